// Extracts the Python code of a Jupyter notebook.

#ifndef SHAPEWISE_PIPELINE_NOTEBOOK_H_
#define SHAPEWISE_PIPELINE_NOTEBOOK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/code_finding.h"

namespace shapewise {

/// A code cell.
struct NotebookCell {
  uint32_t number = 0;               ///< index among all cells of the notebook, from 1
  uint32_t first_line = 0;           ///< first line in Notebook::text, from 1
  std::string text;                  ///< original text
  std::vector<uint32_t> file_lines;  ///< for each line of `text`, its line in the file
};

/// The code cells of a notebook as one Python text.
struct Notebook {
  /// All cells; IPython magics (%, !) are replaced by "pass", so that the rest stays valid Python.
  std::string text;
  std::vector<NotebookCell> cells;  ///< in file order

  /// Converts `range` of `text` to a range of a cell.
  CodeRange InCell(const CodeRange& range) const;
};

/// The notebook in `json` (nbformat 4 and 3); absent: not a notebook.
std::optional<Notebook> ReadNotebook(std::string_view json);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_NOTEBOOK_H_
