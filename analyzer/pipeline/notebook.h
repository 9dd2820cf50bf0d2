// The Python in a Jupyter notebook.

#ifndef SHAPEWISE_PIPELINE_NOTEBOOK_H_
#define SHAPEWISE_PIPELINE_NOTEBOOK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/code_finding.h"

namespace shapewise {

/// One cell of code.
struct NotebookCell {
  uint32_t number = 0;               ///< among all cells of the notebook, from 1
  uint32_t first_line = 0;           ///< of its text in Notebook::text, from 1
  std::string text;                  ///< as it stands there
  std::vector<uint32_t> file_lines;  ///< of each line of `text`, its line in the file
};

/// The cells of code of a notebook as one Python text.
struct Notebook {
  /// Cell after cell; magics of IPython (%, !) are "pass", so that what follows stays Python.
  std::string text;
  std::vector<NotebookCell> cells;  ///< in the order of the file

  /// The range of a cell that `range` of `text` stands for.
  CodeRange InCell(const CodeRange& range) const;
};

/// The notebook whose JSON is `json` (nbformat 4 and 3); absent if it is none.
std::optional<Notebook> ReadNotebook(std::string_view json);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_NOTEBOOK_H_
