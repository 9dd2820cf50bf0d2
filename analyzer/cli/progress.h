// Shows a progress line on the terminal while reading large inputs.

#ifndef SHAPEWISE_CLI_PROGRESS_H_
#define SHAPEWISE_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/text_input.h"

namespace shapewise {

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

/// The files of the disk, with a progress line if stderr is a terminal.
std::unique_ptr<FileSource> NewWatchedFileSource();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PROGRESS_H_
