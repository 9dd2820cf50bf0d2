// From the imports of a file to the files that hold what is imported.

#ifndef SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
#define SHAPEWISE_PIPELINE_IMPORT_PATHS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// Looks for modules where Python would: beside a script, or from the folder on that holds the
/// outermost package. Nothing is looked for in environments, of which a file in one sees its own
/// package only; nor torch and numpy. Remembers what the disk said.
class ImportPaths {
 public:
  /// The files that `text`, which stands at `path`, imports; each once, in the order of the text.
  std::vector<std::string> Imported(const std::string& path, std::string_view text);

  /// The __init__.py of the packages that `path` lies in, innermost first.
  std::vector<std::string> PackagesOf(const std::string& path);

 private:
  bool IsFile(const std::string& path);
  /// The folder from which absolute imports of `path` go; empty: the current one.
  std::string RootOf(const std::string& path);
  /// The file of the module at `base` (a path without ".py"); empty: there is none.
  std::string ModuleAt(const std::string& base);

  llvm::StringMap<bool> is_file_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_IMPORT_PATHS_H_
