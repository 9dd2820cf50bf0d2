// Finds the files that a file imports.

#ifndef SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
#define SHAPEWISE_PIPELINE_IMPORT_PATHS_H_

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

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
