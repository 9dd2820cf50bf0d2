// Finds the files that a file imports.

#ifndef SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
#define SHAPEWISE_PIPELINE_IMPORT_PATHS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"

namespace shapewise {

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

#endif  // SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
