// Selects and reads the files of a check.

#ifndef SHAPEWISE_PIPELINE_CODE_INPUTS_H_
#define SHAPEWISE_PIPELINE_CODE_INPUTS_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include "result/code_finding.h"
#include "result/code_text.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

struct Notebook;

/// Where to look for code.
struct CodeSelection {
  std::vector<std::string> paths;  ///< files, folders, or "-"
  /// Patterns of files and folders to exclude: with '/' they match a path from its start, else any
  /// component. '*', '?' and [ab] are wildcards.
  std::vector<std::string> exclude;
  bool exclude_given = false;  ///< apply `exclude` to files named by the user, too
  std::string stdin_name;      ///< name of "-", also used to find its imports
};

/// A file of code.
struct PythonFile {
  std::string path;
  std::string text;        ///< Python code; for a notebook, its cells one after the other
  bool is_checked = true;  ///< false: read only because a checked file may import it
  std::shared_ptr<const Notebook> notebook;  ///< null: not a notebook
  bool is_named = false;  ///< the user named it: all of it is parsed, to find its syntax errors
};

/// The code of one check.
struct CodeInputs {
  std::vector<PythonFile> files;    ///< relevant files by path
  std::vector<CodeFault> faults;    ///< files that cannot be Python, by path
  std::vector<std::string> unread;  ///< one message per unreadable file
  uint64_t num_files = 0;           ///< number of files asked for

  /// The file with the content `bytes`; absent: an unreadable notebook, or not UTF-8.
  static std::optional<PythonFile> FileOf(const std::string& path, std::string_view bytes,
                                          bool is_checked);
  /// Converts `range` of a file's text to the reported range: in a notebook, that of a cell.
  static CodeRange ReportedRange(const PythonFile& file, const CodeRange& range);
  /// The start of each cell of a notebook in words; its text does not contain it.
  static std::string CellsText(const PythonFile& file);
  /// The file at `path`; null: none.
  const PythonFile* Find(const std::string& path) const;
  /// Adds the text of `file` for printing.
  static void AddText(const PythonFile& file, CodeTexts& texts);
};

/// Lists the files below `selection.paths` that a check would open, in byte order and without
/// duplicates. Hidden folders, environments, build folders and similar are skipped. Error: a path
/// does not exist, or a pattern is invalid.
Expected<std::vector<std::string>> ListCode(const CodeSelection& selection);

/// Reads the code. A file is kept if it mentions what is compiled, or if a kept file may import it.
/// Imports from outside the paths are added with is_checked false, up to a few thousand files.
/// Error: as for ListCode.
Expected<CodeInputs> ReadCode(const CodeSelection& selection, FileSource& files);

/// Patterns as described in CodeSelection::exclude.
class PathPatterns {
 public:
  PathPatterns(PathPatterns&&) = default;
  PathPatterns& operator=(PathPatterns&&) = default;

  /// Error: an invalid pattern.
  static Expected<PathPatterns> Make(const std::vector<std::string>& patterns);

  /// Whether a pattern matches `path` or one of its parent folders.
  bool Match(llvm::StringRef path) const;
  /// Whether a pattern matches `path` itself, or its last component.
  bool MatchLast(llvm::StringRef path) const;

 private:
  PathPatterns() = default;

  std::deque<std::string> texts_;  ///< texts that the patterns refer to
  std::vector<llvm::GlobPattern> of_names_;
  std::vector<llvm::GlobPattern> of_paths_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_INPUTS_H_
