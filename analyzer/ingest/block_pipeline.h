// One large input on its way through several threads.

#ifndef SHAPEWISE_INGEST_BLOCK_PIPELINE_H_
#define SHAPEWISE_INGEST_BLOCK_PIPELINE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ingest/log_format.h"

namespace shapewise {

/// Gathers lines into blocks while they come from the disk, which other threads scan and give to
/// the reader, one at a time and in their order: it gets the same as without threads. The calling
/// thread takes part where it would have to wait. Threads and copies are made only after an input
/// proves large.
class BlockPipeline {
 public:
  /// With `num_threads`, the calling one among them; at least 2. `reader` is called by any of them,
  /// never by two at a time, and not beyond Drain().
  BlockPipeline(LogReader& reader, size_t num_threads);
  ~BlockPipeline();
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

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
  /// Lets the block that is being filled be scanned and read, and waits until there is another one
  /// to fill.
  void Submit();
  /// Gives the reader its next block, or scans the first that no thread has begun with; `lock` is
  /// open meanwhile. Whether there was anything to do.
  bool DoOne(std::unique_lock<std::mutex>& lock);
  void Read(Block& block, std::unique_lock<std::mutex>& lock);
  void Scan(Block& block, std::unique_lock<std::mutex>& lock);

  LogReader& reader_;
  const size_t num_helpers_;
  uint64_t bytes_before_ = 0;  ///< that were given on without threads
  std::vector<std::thread> helpers_;
  // Blocks num_read_ to num_filled_ - 1 are on their way; num_filled_ is being filled, by the
  // calling thread alone. The lock protects all members below, and is_scanned.
  std::vector<Block> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t num_filled_ = 0;
  uint64_t num_begun_ = 0;  ///< that were scanned, or are
  uint64_t num_read_ = 0;
  bool is_reading_ = false;
  bool is_over_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_BLOCK_PIPELINE_H_
