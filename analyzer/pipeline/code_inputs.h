// Selects and reads the files of a check. Notebooks as code, and where imports are looked up.

#ifndef SHAPEWISE_PIPELINE_CODE_INPUTS_H_
#define SHAPEWISE_PIPELINE_CODE_INPUTS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"
#include "result/code_finding.h"
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

/// Looks for modules where Python would: next to a script, or from the folder that contains the
/// outermost package. Environments are not searched, except that a file in one finds its own
/// package; torch and numpy are never searched. Caches results.
class ImportPaths {
 public:
  /// The distinct files that `text`, the content of `path`, imports, in text order.
  std::vector<std::string> Imported(const std::string& path, std::string_view text);

  /// The __init__.py files of the packages that contain `path`, innermost first.
  std::vector<std::string> PackagesOf(const std::string& path);

 private:
  bool IsFile(const std::string& path);
  /// The folder for absolute imports of `path`; empty: the working directory.
  std::string RootOf(const std::string& path);
  /// The file of the module at `base` (a path without ".py"); empty: none.
  std::string ModuleAt(const std::string& base);

  llvm::StringMap<bool> is_file_;
};

/// An `import module` or `from ..module import names` statement.
struct ImportLine {
  uint32_t dots = 0;                    ///< number of leading dots
  std::string_view module;              ///< dotted; empty: `from . import name`
  std::vector<std::string_view> names;  ///< empty: `import module`; "*" may be one of them
};

/// All imports in `text`. Text that only looks like one, such as a line in a docstring, is
/// included. Views point into `text`.
std::vector<ImportLine> FindImports(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_CODE_INPUTS_H_
