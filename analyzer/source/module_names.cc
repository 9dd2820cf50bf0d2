#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringSet.h"
#include "source/project.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Folders with an __init__.py; the empty path for one in the root.
class Packages {
 public:
  explicit Packages(llvm::ArrayRef<std::string> paths) {
    for (const std::string_view path : paths) {
      const std::string_view folder = FolderOf(path);
      const std::string_view name = path.substr(path.rfind('/') + 1);
      if (name == "__init__.py" && !folder.empty()) {
        folders_.insert(llvm::StringRef(folder.data(), folder.size()));
      }
    }
  }

  bool Has(std::string_view folder) const {
    return folders_.contains(llvm::StringRef(folder.data(), folder.size()));
  }

  /// The folder above the packages that contain `folder`; false: it is in none.
  bool FindRoot(std::string_view folder, std::string_view& root) const {
    // A folder without __init__.py inside a package is still imported through it.
    while (!folder.empty() && !Has(folder)) folder = FolderOf(folder);
    if (folder.empty()) return false;
    while (!folder.empty() && Has(folder)) folder = FolderOf(folder);
    root = folder;
    return true;
  }

 private:
  llvm::StringSet<> folders_;
};

/// The longest common folder of all paths.
std::string_view CommonFolder(llvm::ArrayRef<std::string> paths) {
  if (paths.empty()) return {};
  std::string_view common = FolderOf(paths.front());
  for (const std::string_view path : paths) {
    while (!common.empty() && !(path.starts_with(common) && path.size() > common.size() &&
                                path[common.size()] == '/')) {
      common = FolderOf(common);
    }
  }
  return common;
}

std::string ModuleName(std::string_view path, std::string_view root, bool is_package) {
  if (!root.empty() && path.size() > root.size()) path.remove_prefix(root.size());
  while (path.starts_with('/') || path.starts_with("./")) {
    path.remove_prefix(path.front() == '/' ? 1 : 2);
  }
  if (!is_package && path.starts_with("src/")) path.remove_prefix(4);
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  if (dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash)) {
    path = path.substr(0, dot);
  }
  if (path.ends_with("/__init__")) path = FolderOf(path);
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

std::vector<std::string> ModuleNames(llvm::ArrayRef<std::string> paths) {
  const Packages packages(paths);
  const std::string_view common = CommonFolder(paths);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::string_view path : paths) {
    std::string_view root = common;
    const bool is_package = packages.FindRoot(FolderOf(path), root);
    names.push_back(ModuleName(path, root, is_package));
  }
  return names;
}

}  // namespace shapewise
