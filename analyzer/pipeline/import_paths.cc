#include "pipeline/import_paths.h"

#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace shapewise {
namespace {

using llvm::StringRef;

constexpr StringRef kPackageFile = "__init__.py";

std::string Joined(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

// Packages that are described by tables, which contain more than their code shows.
constexpr StringRef kKnownPackages[] = {"numpy", "torch"};

/// Whether `folder` contains the packages of an environment.
bool IsEnvironment(StringRef folder) {
  llvm::SmallString<128> whole(folder);
  if (llvm::sys::fs::make_absolute(whole)) return false;
  const StringRef name = llvm::sys::path::filename(whole);
  return name == "site-packages" || name == "dist-packages";
}

/// Whether the absolute import of `first` in `path` refers to another package, which is not to be
/// searched from `root`.
bool IsForeign(StringRef root, bool is_environment, StringRef path, StringRef first) {
  if (!is_environment && !llvm::is_contained(kKnownPackages, first)) return false;
  path.consume_front(root);
  return path.ltrim('/').split('/').first != first;
}

std::string AsPath(std::string_view dotted) {
  std::string path(dotted);
  for (char& c : path) {
    if (c == '.') c = '/';
  }
  return path;
}

}  // namespace

bool ImportPaths::IsFile(const std::string& path) {
  const auto [known, is_new] = is_file_.try_emplace(path, false);
  if (is_new) known->second = llvm::sys::fs::is_regular_file(path);
  return known->second;
}

std::vector<std::string> ImportPaths::PackagesOf(const std::string& path) {
  std::vector<std::string> packages;
  StringRef folder = llvm::sys::path::parent_path(path);
  while (!folder.empty()) {
    const std::string package = Joined(folder.str(), kPackageFile.str());
    if (!IsFile(package)) break;
    if (package != path) packages.push_back(package);
    folder = llvm::sys::path::parent_path(folder);
  }
  return packages;
}

std::string ImportPaths::RootOf(const std::string& path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  while (!folder.empty() && IsFile(Joined(folder.str(), kPackageFile.str()))) {
    folder = llvm::sys::path::parent_path(folder);
  }
  return folder.str();
}

std::string ImportPaths::ModuleAt(const std::string& base) {
  for (const char* end : {".py", "/__init__.py"}) {
    if (IsFile(base + end)) return base + end;
  }
  return {};
}

std::vector<std::string> ImportPaths::Imported(const std::string& path, std::string_view text) {
  std::vector<std::string> found;
  std::set<std::string> known;
  const auto add = [&](const std::string& file) {
    if (!file.empty() && file != path && known.insert(file).second) found.push_back(file);
  };
  const std::string root = RootOf(path);
  const bool is_environment = IsEnvironment(root);
  for (const ImportLine& line : FindImports(text)) {
    const StringRef module_name(line.module.data(), line.module.size());
    const StringRef first = module_name.split('.').first;
    if (line.dots == 0 && IsForeign(root, is_environment, path, first)) continue;
    std::string folder = root;
    if (line.dots > 0) {
      StringRef above = llvm::sys::path::parent_path(path);
      for (uint32_t i = 1; i < line.dots; ++i) above = llvm::sys::path::parent_path(above);
      folder = above.str();
    }
    const std::string base = line.module.empty() ? folder : Joined(folder, AsPath(line.module));
    if (base.empty()) continue;
    const std::string module = ModuleAt(base);
    add(module);
    if (!line.module.empty() && module.empty() && !llvm::sys::fs::is_directory(base)) continue;
    // A name may be a module of a package.
    if (!module.empty() && !std::string_view(module).ends_with(kPackageFile)) continue;
    for (const std::string_view name : line.names) {
      if (name != "*") add(ModuleAt(Joined(base, AsPath(name))));
    }
  }
  return found;
}

}  // namespace shapewise
