// One large input, scanned by several threads and read by one.

#ifndef SHAPEWISE_INGEST_SCAN_AHEAD_H_
#define SHAPEWISE_INGEST_SCAN_AHEAD_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ingest/line_scan.h"
#include "ingest/log_format.h"

namespace shapewise {

/// Gathers lines into blocks, which helping threads scan, and gives them to the reader in their
/// order: it is told the same as without. The calling thread reads, and scans where there is
/// nothing to read yet. Not before an input proves large are there threads and copies.
class ScanAhead {
 public:
  /// `reader` has a scanner(). With `num_threads`, the calling one among them; at least 2.
  ScanAhead(LogReader& reader, size_t num_threads);
  ~ScanAhead();
  ScanAhead(const ScanAhead&) = delete;
  ScanAhead& operator=(const ScanAhead&) = delete;

  /// As LineSink::OnLines.
  void OnLines(std::string_view lines, uint64_t first_line);

  /// Gives the reader all that was not given yet.
  void Drain();

 private:
  struct Block {
    std::string lines;
    uint64_t first_line = 0;
    LineScan scan;
    bool is_scanned = false;
  };

  Block& BlockAt(uint64_t number) { return ring_[number % ring_.size()]; }
  void StartThreads();
  void Help();
  /// Lets the block that is being filled be scanned.
  void Submit();
  /// Scans the first block that nobody has begun with, `lock` open meanwhile. Whether there was
  /// one.
  bool ScanOne(std::unique_lock<std::mutex>& lock);
  /// Gives the reader the first block that it has not read.
  void ReadOne();

  LogReader& reader_;
  const size_t num_helpers_;
  uint64_t bytes_before_ = 0;  ///< that were given on without threads
  std::vector<std::thread> helpers_;
  // Blocks num_read_ to num_filled_ - 1 are on their way; num_filled_ is being filled. Helpers see
  // only blocks below num_filled_, and only under the lock.
  std::vector<Block> ring_;
  uint64_t num_read_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t num_filled_ = 0;
  uint64_t num_begun_ = 0;
  bool is_over_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SCAN_AHEAD_H_
