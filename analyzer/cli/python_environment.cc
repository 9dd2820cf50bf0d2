#include "cli/python_environment.h"

#include <system_error>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace shapewise {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Whether pip installed the package into the environment at `prefix`, including editable installs.
bool HasPackage(llvm::StringRef prefix) {
  llvm::SmallString<256> libraries(prefix);
  path::append(libraries, "lib");
  std::error_code code;
  for (fs::directory_iterator python(libraries, code), end; !code && python != end;
       python.increment(code)) {
    if (!std::string_view(path::filename(python->path())).starts_with("python3")) continue;
    llvm::SmallString<256> packages(python->path());
    path::append(packages, "site-packages");
    std::error_code unreadable;
    for (fs::directory_iterator entry(packages, unreadable); !unreadable && entry != end;
         entry.increment(unreadable)) {
      const std::string_view name = path::filename(entry->path());
      if (name.starts_with("shapewise-") && name.ends_with(".dist-info")) return true;
    }
  }
  return false;
}

}  // namespace

std::string OwnFolder() {
  static const int anchor = 0;
  // NOLINT: its own type.
  const std::string self = fs::getMainExecutable(nullptr, const_cast<int*>(&anchor));
  return std::string(path::parent_path(self));
}

std::string OwnPython() {
  const std::string folder = OwnFolder();
  llvm::SmallString<256> python(folder);
  path::append(python, "python3");
  if (!fs::can_execute(python) || !HasPackage(path::parent_path(folder))) return {};
  return std::string(python);
}

std::string CheckedOutPackage() {
  if (!OwnPython().empty()) return {};
  std::string folder = OwnFolder();
  constexpr int kMostSteps = 6;
  for (int i = 0; i < kMostSteps && !folder.empty(); ++i) {
    llvm::SmallString<256> candidate(folder);
    path::append(candidate, "python");
    llvm::SmallString<256> module(candidate);
    path::append(module, "shapewise", "replay", "__main__.py");
    if (fs::exists(module)) return std::string(candidate);
    folder = std::string(path::parent_path(folder));
  }
  return {};
}

}  // namespace shapewise
