// Shows a progress line on the terminal while reading large inputs.

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/result_output.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "support/terminal_text.h"
#include "support/text_input.h"

namespace shapewise {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kFirstProgress{1.0};  // no progress line in the first second
constexpr Seconds kInterval{0.25};      // between two updates
constexpr std::string_view kEraseLine = "\r\x1b[K";

double Megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

bool IsArchive(llvm::StringRef path) {
  const llvm::StringRef extension = llvm::sys::path::extension(path);
  return extension == ".gz" || extension == ".zst";
}

/// Wraps a FileSource: after a second it shows on stderr how much was read, the speed and, if all
/// inputs are plain files, the remaining time.
class ProgressSource final : public FileSource {
 public:
  explicit ProgressSource(std::unique_ptr<FileSource> files) : files_(std::move(files)) {}
  ~ProgressSource() override;

  Expected<std::vector<std::string>> Expand(const std::string& path) override;
  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override;
  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string& path) override {
    return files_->Open(path);
  }

 private:
  friend class WatchedSink;
  using Clock = std::chrono::steady_clock;

  void AddBytes(size_t bytes);
  void PrintLine(Clock::time_point now);

  const std::unique_ptr<FileSource> files_;
  std::mutex mutex_;  ///< protects everything below: several threads read
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_print_;
  std::string current_;  // path being read
  uint64_t bytes_read_ = 0;
  uint64_t bytes_total_ = 0;  // of the inputs expanded so far
  bool is_total_known_ = true;
  bool is_shown_ = false;
};

/// Passes everything on and counts bytes.
class WatchedSink final : public LineSink {
 public:
  WatchedSink(LineSink& sink, ProgressSource& progress) : sink_(sink), progress_(progress) {}

  void OnLines(std::string_view lines, uint64_t first_line) override {
    sink_.OnLines(lines, first_line);
    progress_.AddBytes(lines.size());
  }
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override {
    const size_t used = sink_.OnPiece(piece, line, is_first, is_last);
    progress_.AddBytes(is_last ? piece.size() : used);
    return used;
  }

 private:
  LineSink& sink_;
  ProgressSource& progress_;
};

ProgressSource::~ProgressSource() {
  if (is_shown_) llvm::errs() << kEraseLine;
}

Expected<std::vector<std::string>> ProgressSource::Expand(const std::string& path) {
  Expected<std::vector<std::string>> files = files_->Expand(path);
  if (!files) return files;
  for (const std::string& file : *files) {
    uint64_t bytes = 0;
    const bool is_plain = llvm::sys::fs::is_regular_file(file) && !IsArchive(file) &&
                          !llvm::sys::fs::file_size(file, bytes);
    is_total_known_ &= is_plain;
    bytes_total_ += bytes;
  }
  return files;
}

Error ProgressSource::Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
                           TextTotals& totals) {
  {
    const std::scoped_lock lock(mutex_);
    current_ = path;
  }
  WatchedSink watched(sink, *this);
  return files_->Read(path, watched, stats, input, totals);
}

void ProgressSource::AddBytes(size_t bytes) {
  const std::scoped_lock lock(mutex_);
  bytes_read_ += bytes;
  const Clock::time_point now = Clock::now();
  if (now - start_ < kFirstProgress || now - last_print_ < kInterval) return;
  last_print_ = now;
  PrintLine(now);
}

void ProgressSource::PrintLine(Clock::time_point now) {
  const double elapsed = Seconds(now - start_).count();
  const double rate = static_cast<double>(bytes_read_) / elapsed;
  std::string line =
      llvm::formatv("{0:F0} MB read, {1:F0} MB/s", Megabytes(bytes_read_), rate / 1e6);
  // A file may have grown.
  if (is_total_known_ && bytes_total_ > bytes_read_ && rate > 0) {
    const double left = static_cast<double>(bytes_total_ - bytes_read_) / rate;
    line += llvm::formatv(", {0:F0} s left", left);
  }
  const std::string name(llvm::sys::path::filename(current_));
  llvm::errs() << kEraseLine << line << ": " << MakePrintable(name);
  is_shown_ = true;
}

}  // namespace

std::unique_ptr<FileSource> NewWatchedFileSource() {
  if (!ErrorsAreSeen()) return NewDiskFileSource();
  return std::make_unique<ProgressSource>(NewDiskFileSource());
}

}  // namespace shapewise
