#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llvm/Support/Errno.h"
#include "llvm/Support/MemoryBuffer.h"
#include "support/decoding_chain.h"
#include "support/terminal_text.h"
#include "support/text_input.h"

namespace shapewise {
namespace {

/// The mapped bytes of a regular file. If the file is truncated while mapped, the lost pages read
/// as zeros instead of raising SIGBUS; see WasCut(). A failing disk looks the same.
class MappedFile final : public llvm::MemoryBuffer {
 public:
  /// Maps the first `size` bytes (at least 1) of the open file `descriptor`. Null: failed.
  static std::unique_ptr<MappedFile> Map(int descriptor, size_t size);

  /// Whether `bytes` are a mapped file that was truncated since.
  static bool WasCut(const llvm::MemoryBuffer& bytes);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

  BufferKind getBufferKind() const override { return MemoryBuffer_MMap; }

 private:
  explicit MappedFile(const char* begin, size_t size) {
    init(begin, begin + size, /*RequiresNullTerminator=*/false);
  }
};

// A mapping, stored where a signal handler can read it: without locks or heap memory.
struct Slot {
  std::atomic<uintptr_t> begin = 0;  // 0: free
  std::atomic<size_t> size = 0;
  std::atomic<bool> was_cut = false;
};

// Each thread reads one file; if there are more, they are read instead of mapped.
std::array<Slot, 64> slots;
uintptr_t page_bytes = 0;
struct sigaction action_before{};

bool IsWithin(const Slot& slot, uintptr_t address) {
  const uintptr_t begin = slot.begin.load();
  return begin != 0 && address >= begin && address - begin < slot.size.load();
}

// Replaces the lost pages by zeros, from the accessed page to the end.
void OnBusError(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    if (!IsWithin(slot, address)) continue;
    const uintptr_t page = address - address % page_bytes;
    const size_t lost = slot.begin.load() + slot.size.load() - page;
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), lost, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) break;
    slot.was_cut = true;
    return;
  }
  // Not ours: restore the previous action, so that the signal repeats and has its usual effect.
  ::sigaction(SIGBUS, &action_before, nullptr);
}

void CatchBusErrors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action{};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &action_before);
  });
}

Slot* SlotOf(const llvm::MemoryBuffer& bytes) {
  for (Slot& slot : slots) {
    if (slot.begin.load() == reinterpret_cast<uintptr_t>(bytes.getBufferStart())) return &slot;
  }
  return nullptr;
}

std::unique_ptr<MappedFile> MappedFile::Map(int descriptor, size_t size) {
  CatchBusErrors();
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return nullptr;
  for (Slot& slot : slots) {
    uintptr_t free = 0;
    if (!slot.begin.compare_exchange_strong(free, reinterpret_cast<uintptr_t>(address))) continue;
    slot.was_cut = false;
    slot.size = size;
    return std::unique_ptr<MappedFile>(new MappedFile(static_cast<const char*>(address), size));
  }
  ::munmap(address, size);
  return nullptr;
}

MappedFile::~MappedFile() {
  Slot* const slot = SlotOf(*this);
  ::munmap(const_cast<char*>(getBufferStart()), getBufferSize());
  slot->size = 0;
  slot->begin = 0;
}

bool MappedFile::WasCut(const llvm::MemoryBuffer& bytes) {
  const Slot* const slot = SlotOf(bytes);
  return slot != nullptr && slot->was_cut.load();
}

namespace stdfs = std::filesystem;

constexpr std::string_view kStandardInput = "-";

// Size of a read. Measured: from 128 KiB on, the kernel copies at a quarter of the speed, bypassing
// the caches.
constexpr size_t kReadBytes = size_t{64} << 10;

// Requested pipe capacity: with the default of 64 KiB, both ends spend most of their time waking
// each other up.
[[maybe_unused]] constexpr int kPipeBytes = 1 << 20;

// Files that are opened as a whole are read up to this size and mapped beyond it: most of a model's
// archive is weights, which are never accessed.
constexpr size_t kMostReadBytes = size_t{32} << 20;

Error MakePathError(const std::string& what, const std::string& path, const std::error_code& why) {
  std::string reason = why.message();
  // The C library capitalizes its messages; ours continue after a colon.
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(reason[0]));
  return MakeError(MakePrintable(path) + ": " + (what.empty() ? "" : what + ": ") + reason);
}

Error MakePathError(const std::string& what, const std::string& path, int error_number) {
  return MakePathError(what, path, std::error_code(error_number, std::generic_category()));
}

Error CutError(const std::string& path) {
  return MakeError(MakePrintable(path) + ": cannot read on: it became shorter while it was read");
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }

  int number() const { return number_; }

 private:
  const int number_;
};

/// Returns a descriptor, or -1 with errno set.
int OpenToRead(const std::string& path) {
  return llvm::sys::RetryAfterSignal(-1, ::open, path.c_str(), O_RDONLY | O_CLOEXEC);
}

/// Reads at most `size` bytes of `file` into `bytes` and returns their number; 0 at the end,
/// negative with errno set.
ssize_t ReadSome(const FileDescriptor& file, char* bytes, size_t size) {
  return llvm::sys::RetryAfterSignal(-1, ::read, file.number(), bytes, size);
}

/// Whether the number of bytes to read is known: not for pipes, for files of /proc, which claim to
/// be empty, or for standard input that was partly read before.
bool HasKnownSize(const FileDescriptor& file, const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size > 0 && file.number() != STDIN_FILENO;
}

/// Passes the rest of `file` at `path` to `chain`: `size` bytes, or everything. Files are read, not
/// mapped: that is as fast, and others may truncate a file while it is read.
Error Feed(const FileDescriptor& file, const std::string& path, std::optional<uint64_t> size,
           DecodingChain& chain) {
#ifdef F_SETPIPE_SZ
  // Fails if it is not a pipe, which is fine.
  ::fcntl(file.number(), F_SETPIPE_SZ, kPipeBytes);
#endif
  const auto chunk = std::make_unique<char[]>(kReadBytes);
  uint64_t left = size.value_or(UINT64_MAX);
  while (left > 0) {
    const ssize_t got = ReadSome(file, chunk.get(), std::min<uint64_t>(left, kReadBytes));
    if (got < 0) return MakePathError("cannot read on", path, errno);
    if (got == 0) break;
    chain.Append({chunk.get(), static_cast<size_t>(got)});
    left -= static_cast<uint64_t>(got);
  }
  if (size && left > 0) return CutError(path);
  return Error::success();
}

/// The first `size` bytes of the regular file `file` at `path`.
Expected<std::unique_ptr<llvm::MemoryBuffer>> OpenRegular(const FileDescriptor& file,
                                                          const std::string& path, size_t size) {
  if (size > kMostReadBytes) {
    if (std::unique_ptr<MappedFile> mapped = MappedFile::Map(file.number(), size)) return mapped;
  }
  auto bytes = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(size);
  if (bytes == nullptr) return MakePathError("", path, ENOMEM);
  for (size_t done = 0; done < size;) {
    const ssize_t got = ReadSome(file, bytes->getBufferStart() + done, size - done);
    if (got < 0) return MakePathError("cannot read on", path, errno);
    if (got == 0) return CutError(path);
    done += static_cast<size_t>(got);
  }
  return bytes;
}

bool IsHidden(const stdfs::path& path) { return path.filename().native().starts_with('.'); }

// Appends the regular files below `folder`. Links to files are included, links to folders are
// skipped because they may form loops. Everything else (sockets, pipes, dangling links) is skipped.
// Unreadable entries are appended, so that reading them reports the error.
std::error_code AppendFilesBelow(const stdfs::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  stdfs::directory_iterator entry(folder, error);
  for (; !error && entry != stdfs::directory_iterator(); entry.increment(error)) {
    if (IsHidden(entry->path())) continue;
    std::error_code why;
    const stdfs::file_status status = entry->status(why);
    if (why == std::errc::too_many_symbolic_link_levels) continue;  // a link to itself
    if (stdfs::is_regular_file(status) || !stdfs::status_known(status)) {
      files.push_back(entry->path().native());
    } else if (stdfs::is_directory(status) && !entry->is_symlink(why)) {
      if (AppendFilesBelow(entry->path(), files)) files.push_back(entry->path().native());
    }
  }
  return error;
}

class DiskFileSource : public FileSource {
 public:
  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    if (path == kStandardInput) return std::vector<std::string>{path};
    std::error_code error;
    const stdfs::file_status status = stdfs::status(path, error);
    if (error) return MakePathError("", path, error);
    if (!stdfs::is_directory(status)) return std::vector<std::string>{path};
    std::vector<std::string> files;
    if ((error = AppendFilesBelow(path, files))) return MakePathError("", path, error);
    std::sort(files.begin(), files.end());
    return files;
  }

  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override {
    const FileDescriptor file(path == kStandardInput ? STDIN_FILENO : OpenToRead(path));
    if (file.number() < 0) return MakePathError("", path, errno);
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) return MakePathError("", path, errno);
    if (S_ISDIR(status.st_mode)) return MakePathError("", path, EISDIR);

    std::optional<uint64_t> size;
    if (HasKnownSize(file, status)) size = static_cast<uint64_t>(status.st_size);
    DecodingChain chain(sink, stats, input);
    Error error = Feed(file, path, size, chain);
    // Also after an error: a sink must not be left in the middle of a long line.
    const TextTotals read = chain.Finish();
    totals.bytes += read.bytes;
    totals.lines += read.lines;
    return error;
  }

  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> bytes(nullptr);
    if (path == kStandardInput) {
      bytes = llvm::MemoryBuffer::getSTDIN();
    } else {
      const FileDescriptor file(OpenToRead(path));
      struct stat status{};
      if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        return MakePathError("", path, errno);
      }
      if (S_ISDIR(status.st_mode)) return MakePathError("", path, EISDIR);
      if (HasKnownSize(file, status)) {
        return OpenRegular(file, path, static_cast<size_t>(status.st_size));
      }
      bytes = llvm::MemoryBuffer::getOpenFile(file.number(), path, /*FileSize=*/-1,
                                              /*RequiresNullTerminator=*/false);
    }
    if (!bytes) return MakePathError("", path, bytes.getError());
    return std::move(*bytes);
  }
};

}  // namespace

std::unique_ptr<FileSource> NewDiskFileSource() { return std::make_unique<DiskFileSource>(); }

Error CheckUncut(const std::string& path, const llvm::MemoryBuffer& bytes) {
  return MappedFile::WasCut(bytes) ? CutError(path) : Error::success();
}

}  // namespace shapewise
