#include "support/growing_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "llvm/Support/Errno.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

constexpr size_t kGrowthBytes = size_t{1} << 20;

// The number of last bytes that are compared to detect that a file was rewritten.
constexpr size_t kTailBytes = 64;

Error FailedWith(const std::string& path, int error_number) {
  std::string reason = std::error_code(error_number, std::generic_category()).message();
  if (!reason.empty()) reason[0] = static_cast<char>(std::tolower(reason[0]));
  return MakeError("cannot follow " + MakePrintable(path) + ": " + reason);
}

}  // namespace

GrowingFile::~GrowingFile() { Close(); }

void GrowingFile::Close() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  descriptor_ = -1;
}

Error GrowingFile::Open() {
  descriptor_ =
      llvm::sys::RetryAfterSignal(-1, ::open, path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ >= 0 || errno == ENOENT) return Error::success();
  return FailedWith(path_, errno);
}

void GrowingFile::BeginAgain() {
  needs_newline_ = !tail_.empty() && tail_.back() != '\n';
  offset_ = 0;
  tail_.clear();
}

/// Whether the bytes read so far are no longer the start of the file.
bool GrowingFile::WasCut() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size < offset_) return true;
  if (size == offset_) return false;
  std::array<char, kTailBytes> now{};
  const auto begin = static_cast<off_t>(offset_ - tail_.size());
  const ssize_t got =
      llvm::sys::RetryAfterSignal(-1, ::pread, descriptor_, now.data(), tail_.size(), begin);
  return got < 0 || std::string_view(now.data(), static_cast<size_t>(got)) != tail_;
}

/// Whether a different file is at the path now. A path without a file does not count: it may
/// appear.
bool GrowingFile::WasReplaced() const {
  struct stat open_file{};
  struct stat named_file{};
  if (::fstat(descriptor_, &open_file) != 0 || ::stat(path_.c_str(), &named_file) != 0)
    return false;
  return open_file.st_ino != named_file.st_ino || open_file.st_dev != named_file.st_dev;
}

bool GrowingFile::Fill(int& error_number) {
  buffer_.resize(kGrowthBytes + 1);
  const size_t begin = needs_newline_ ? 1 : 0;
  const ssize_t got =
      llvm::sys::RetryAfterSignal(-1, ::read, descriptor_, buffer_.data() + begin, kGrowthBytes);
  if (got < 0 && errno != EAGAIN) error_number = errno;
  if (got <= 0) return false;
  if (needs_newline_) buffer_[0] = '\n';
  needs_newline_ = false;
  buffer_.resize(begin + static_cast<size_t>(got));
  offset_ += static_cast<uint64_t>(got);
  tail_.append(buffer_, begin + static_cast<size_t>(got) - std::min<size_t>(got, kTailBytes));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kTailBytes));
  return true;
}

Expected<std::string_view> GrowingFile::ReadStandardInput() {
  descriptor_ = STDIN_FILENO;
  pollfd ready{descriptor_, POLLIN, 0};
  if (::poll(&ready, 1, 0) <= 0) return std::string_view();
  int error_number = 0;
  if (Fill(error_number)) return buffer_;
  if (error_number != 0) return FailedWith("standard input", error_number);
  has_ended_ = true;
  return std::string_view();
}

Expected<std::string_view> GrowingFile::ReadMore() {
  if (has_ended_) return std::string_view();
  if (path_ == "-") return ReadStandardInput();
  if (descriptor_ < 0) {
    if (Error error = Open()) return error;
    if (descriptor_ < 0) return std::string_view();
  }
  if (WasCut()) {
    ::lseek(descriptor_, 0, SEEK_SET);
    BeginAgain();
  }
  int error_number = 0;
  if (Fill(error_number)) return buffer_;
  if (error_number != 0) return FailedWith(path_, error_number);
  if (!WasReplaced()) return std::string_view();
  // Data may have arrived between the read and the check of the path.
  if (Fill(error_number)) return buffer_;
  Close();
  BeginAgain();
  if (Error error = Open()) return error;
  if (descriptor_ >= 0 && Fill(error_number)) return buffer_;
  return std::string_view();
}

}  // namespace shapewise
