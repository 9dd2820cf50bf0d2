// Which files a check looks at, and their text.

#ifndef SHAPEWISE_PIPELINE_CODE_INPUTS_H_
#define SHAPEWISE_PIPELINE_CODE_INPUTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/result/code_finding.h"
#include "shapewise/result/code_text.h"
#include "shapewise/support/error.h"
#include "shapewise/support/text_input.h"

namespace shapewise {

struct Notebook;

/// Where to look for code.
struct CodeSelection {
  std::vector<std::string> paths;  ///< files, folders, or "-"
  /// Patterns of files and folders to leave out: with '/' they are meant from the begin of a path
  /// on, else any part of it. '*', '?' and [ab] stand for letters.
  std::vector<std::string> exclude;
  bool exclude_given = false;  ///< `exclude` holds for files that are given by name, too
  std::string stdin_name;      ///< what "-" is called, and where its imports are looked for
};

/// One file of code.
struct CodeFile {
  std::string path;
  std::string text;        ///< Python; of a notebook its cells, one after the other
  bool is_checked = true;  ///< false: only there because a checked file may import it
  std::shared_ptr<const Notebook> notebook;  ///< null: it is none
};

/// The code of one check.
struct CodeInputs {
  std::vector<CodeFile> files;      ///< by path; of those that were asked for, what can matter
  std::vector<CodeFault> faults;    ///< files that cannot be Python, by path
  std::vector<std::string> unread;  ///< one message a file that could not be read
  uint64_t num_files = 0;           ///< that were asked for

  /// The file whose bytes are `bytes`; absent: it is a notebook that cannot be read, or not UTF-8.
  static std::optional<CodeFile> FileOf(const std::string& path, std::string_view bytes,
                                        bool is_checked);
  /// `range` of a file's text as it is told: in a notebook that of a cell.
  static CodeRange Told(const CodeFile& file, const CodeRange& range);
  /// Where the cells of a notebook begin, in words: what its text does not say.
  static std::string CellsText(const CodeFile& file);
  /// The file at `path`; null if there is none.
  const CodeFile* Find(const std::string& path) const;
  /// Adds the text of `file` for those who print it.
  static void AddText(const CodeFile& file, CodeTexts& texts);
};

/// The files below `selection.paths` that a check would open, in byte order, each once. Hidden
/// folders, environments, builds and the like are not entered. Error: a path does not exist, or a
/// pattern cannot be read.
Expected<std::vector<std::string>> ListCode(const CodeSelection& selection);

/// Reads the code. A file is kept if its text speaks of what is compiled, or a kept file may import
/// it; what is imported from beside the paths comes along with is_checked false, as far as a few
/// thousand files go. Error: as ListCode.
Expected<CodeInputs> ReadCode(const CodeSelection& selection, FileSource& files);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_INPUTS_H_
