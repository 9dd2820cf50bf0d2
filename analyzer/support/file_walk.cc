#include "support/file_walk.h"

#include <algorithm>
#include <system_error>

#include "llvm/Support/FileSystem.h"

namespace shapewise {

namespace fs = llvm::sys::fs;

Expected<std::vector<std::string>> WalkFiles(
    const std::string& folder,
    llvm::function_ref<bool(llvm::StringRef path, bool is_folder)> wanted) {
  std::vector<std::string> files;
  std::vector<std::string> folders = {folder};
  while (!folders.empty()) {
    const std::string current = std::move(folders.back());
    folders.pop_back();
    std::error_code code;
    fs::directory_iterator entry(current, code, /*follow_symlinks=*/false);
    if (code && current == folder) return MakeError(folder + ": " + code.message());
    for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
      fs::file_type type = entry->type();
      if (type == fs::file_type::directory_file) {
        if (wanted(entry->path(), true)) folders.push_back(entry->path());
        continue;
      }
      if (type != fs::file_type::regular_file && type != fs::file_type::symlink_file) continue;
      if (!wanted(entry->path(), false)) continue;
      if (type == fs::file_type::symlink_file && !fs::is_regular_file(entry->path())) continue;
      files.push_back(entry->path());
    }
    if (code) files.push_back(current);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace shapewise
