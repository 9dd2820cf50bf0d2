#include "cli/check_cache.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/result_output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

namespace shapewise {
namespace {

namespace fs = llvm::sys::fs;

constexpr llvm::StringRef kEnd = ".analysis";
constexpr size_t kMostEntries = 32;

std::string PathIn(const std::string& folder, const std::string& name) {
  return folder + "/" + name;
}

/// Writes a cache file; errors are ignored, because the cache is optional.
void WriteQuietly(const std::string& path, llvm::StringRef bytes) {
  llvm::consumeError(WriteResult(path, [&](llvm::raw_ostream& out) { out << bytes; }));
}

}  // namespace

std::string ProgramStamp() {
  std::string stamp = SHAPEWISE_VERSION;
  // A rebuilt program may give other results under the same version.
  const std::string path = fs::getMainExecutable(nullptr, reinterpret_cast<void*>(&ProgramStamp));
  fs::file_status status;
  if (fs::status(path, status)) return stamp;
  stamp += " " + std::to_string(status.getSize());
  stamp += " " + std::to_string(status.getLastModificationTime().time_since_epoch().count());
  return stamp;
}

std::optional<CodeAnalysis> CheckCache::Find(const std::string& key) const {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(PathIn(folder_, key + kEnd.str()));
  if (!file) return std::nullopt;
  Expected<CodeAnalysis> analysis =
      LoadAnalysis(std::string_view((*file)->getBufferStart(), (*file)->getBufferSize()));
  if (analysis) return std::move(*analysis);
  llvm::consumeError(analysis.takeError());
  return std::nullopt;
}

void CheckCache::Keep(const std::string& key, const CodeAnalysis& analysis) const {
  if (!fs::exists(folder_)) {
    if (fs::create_directories(folder_)) return;
    // Excludes the cache from version control.
    WriteQuietly(PathIn(folder_, ".gitignore"), "*\n");
    WriteQuietly(PathIn(folder_, "CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55\n");
  }
  WriteQuietly(PathIn(folder_, key + kEnd.str()), SaveAnalysis(analysis));
  DropOldest();
}

void CheckCache::DropOldest() const {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> entries;
  std::error_code code;
  for (fs::directory_iterator entry(folder_, code), end; !code && entry != end;
       entry.increment(code)) {
    if (!std::string_view(entry->path()).ends_with(kEnd)) continue;
    llvm::ErrorOr<fs::basic_file_status> status = entry->status();
    if (status) entries.emplace_back(status->getLastModificationTime(), entry->path());
  }
  if (entries.size() <= kMostEntries) return;
  std::sort(entries.begin(), entries.end());
  for (size_t i = 0; i + kMostEntries < entries.size(); ++i) {
    (void)fs::remove(entries[i].second);  // files that cannot be removed now are removed later
  }
}

}  // namespace shapewise
