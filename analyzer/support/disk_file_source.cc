#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "llvm/Support/Errno.h"
#include "shapewise/support/terminal_text.h"
#include "shapewise/support/text_input.h"
#include "support/decoding_chain.h"

namespace shapewise {
namespace {

namespace stdfs = std::filesystem;

constexpr std::string_view kStandardInput = "-";

// What a read asks for. Measured: from 128 KiB on the kernel copies at a quarter of the speed, past
// the caches.
constexpr size_t kReadBytes = size_t{64} << 10;

// What a pipe may hold if it lets us: with the 64 KiB it has at first, the two ends spend most of
// their time waking each other up.
[[maybe_unused]] constexpr int kPipeBytes = 1 << 20;

// Of a mapped file, this much is made resident and handed on at a time: enough to make the calls
// cheap, little enough for the caches, and a multiple of every page size.
constexpr size_t kMappedBlockBytes = size_t{4} << 20;

Error MakePathError(const std::string& what, const std::string& path, const std::error_code& why) {
  std::string reason = why.message();
  // The C library starts its messages with a capital; ours go on after a colon.
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(reason[0]));
  return MakeError(what + " " + MakePrintable(path) + ": " + reason);
}

Error MakePathError(const std::string& what, const std::string& path, int error_number) {
  return MakePathError(what, path, std::error_code(error_number, std::generic_category()));
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

class Mapping {
 public:
  /// The first `size` bytes of `file`; data() is null if they cannot be mapped.
  Mapping(const FileDescriptor& file, size_t size) : size_(size) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (address != MAP_FAILED) data_ = static_cast<char*>(address);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }

  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  const size_t size_;
};

// Makes `size` bytes from `address` on resident in one call, which costs less than a fault for each
// few pages, and tells of what would otherwise kill the process: a disk that fails, or a file that
// was cut after it was mapped. Returns 0 or an error number.
int MakeResident([[maybe_unused]] char* address, [[maybe_unused]] size_t size) {
#ifdef MADV_POPULATE_READ
  const int result = llvm::sys::RetryAfterSignal(-1, ::madvise, address, size, MADV_POPULATE_READ);
  // Kernels before 5.14 refuse; there the pages are read when they are touched.
  if (result != 0 && (errno == EFAULT || errno == EHWPOISON)) return EIO;
#endif
  return 0;
}

// Feeds the `size` bytes of `mapping` to `chain`. Returns 0 or an error number.
int ReadMapped(const Mapping& mapping, size_t size, DecodingChain& chain) {
  size_t done = 0;
  size_t resident = 0;
  int error_number = 0;
  while (resident < size) {
    const size_t added = std::min(size - resident, kMappedBlockBytes);
    error_number = MakeResident(mapping.data() + resident, added);
    if (error_number != 0) break;
    resident += added;
    std::string_view block(mapping.data() + done, resident - done);
    // A block that ends with a line need not be copied.
    const void* newline = ::memrchr(block.data(), '\n', block.size());
    if (newline != nullptr) {
      block = block.substr(0, static_cast<const char*>(newline) - block.data() + 1);
    }
    chain.Append(block);
    done += block.size();
  }
  chain.Append({mapping.data() + done, resident - done});
  return error_number;
}

// Feeds what is left of `file` to `chain`. Returns 0 or an error number.
int ReadInChunks(const FileDescriptor& file, DecodingChain& chain) {
#ifdef F_SETPIPE_SZ
  // Whatever is no pipe refuses, which is fine.
  ::fcntl(file.number(), F_SETPIPE_SZ, kPipeBytes);
#endif
  const auto chunk = std::make_unique<char[]>(kReadBytes);
  while (true) {
    const ssize_t size =
        llvm::sys::RetryAfterSignal(-1, ::read, file.number(), chunk.get(), kReadBytes);
    if (size < 0) return errno;
    if (size == 0) return 0;
    chain.Append({chunk.get(), static_cast<size_t>(size)});
  }
}

// Feeds all of `file`, whose status is `status`, to `chain`. Returns 0 or an error number.
int Feed(const FileDescriptor& file, const struct stat& status, DecodingChain& chain) {
  // Files of /proc claim to be empty. What was read of standard input before is not ours.
  if (S_ISREG(status.st_mode) && status.st_size > 0 && file.number() != STDIN_FILENO) {
    const auto size = static_cast<size_t>(status.st_size);
    const Mapping mapping(file, size);
    if (mapping.data() != nullptr) return ReadMapped(mapping, size, chain);
  }
  return ReadInChunks(file, chain);
}

bool IsHidden(const stdfs::path& path) { return path.filename().native().starts_with('.'); }

// Appends the regular files below `folder`. Links to files are taken, links to folders are not
// entered: they may lead back. Everything else (sockets, pipes, links to nothing) is left out.
Error AppendFilesBelow(const stdfs::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  stdfs::directory_iterator entry(folder, error);
  for (; !error && entry != stdfs::directory_iterator(); entry.increment(error)) {
    if (IsHidden(entry->path())) continue;
    std::error_code gone;  // such an entry has vanished since, or is a link to nothing
    const stdfs::file_status status = entry->status(gone);
    if (stdfs::is_regular_file(status)) {
      files.push_back(entry->path().native());
    } else if (stdfs::is_directory(status) && !entry->is_symlink(gone)) {
      if (Error below = AppendFilesBelow(entry->path(), files)) return below;
    }
  }
  if (error) return MakePathError("cannot read folder", folder.native(), error);
  return Error::success();
}

class DiskFileSource : public FileSource {
 public:
  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    if (path == kStandardInput) return std::vector<std::string>{path};
    std::error_code error;
    const stdfs::file_status status = stdfs::status(path, error);
    if (error) return MakePathError("cannot open", path, error);
    if (!stdfs::is_directory(status)) return std::vector<std::string>{path};
    std::vector<std::string> files;
    if (Error below = AppendFilesBelow(path, files)) return below;
    std::sort(files.begin(), files.end());
    return files;
  }

  Expected<TextTotals> Read(const std::string& path, LineSink& sink, Stats& stats,
                            uint32_t input) override {
    const FileDescriptor file(
        path == kStandardInput
            ? STDIN_FILENO
            : llvm::sys::RetryAfterSignal(-1, ::open, path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) return MakePathError("cannot open", path, errno);
    struct stat status{};
    if (::fstat(file.number(), &status) != 0) return MakePathError("cannot open", path, errno);
    if (S_ISDIR(status.st_mode)) return MakePathError("cannot read", path, EISDIR);

    DecodingChain chain(sink, stats, input);
    const int error_number = Feed(file, status, chain);
    // Also after an error: a sink must not be left in the middle of a long line.
    const TextTotals totals = chain.Finish();
    if (error_number != 0) return MakePathError("cannot read on in", path, error_number);
    return totals;
  }

  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> bytes =
        path == kStandardInput ? llvm::MemoryBuffer::getSTDIN()
                               : llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                                             /*RequiresNullTerminator=*/false);
    if (!bytes) return MakePathError("cannot open", path, bytes.getError());
    return std::move(*bytes);
  }
};

}  // namespace

std::unique_ptr<FileSource> NewDiskFileSource() { return std::make_unique<DiskFileSource>(); }

}  // namespace shapewise
