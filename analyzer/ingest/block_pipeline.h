// One large input on its way through several threads.

#ifndef SHAPEWISE_INGEST_BLOCK_PIPELINE_H_
#define SHAPEWISE_INGEST_BLOCK_PIPELINE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/log_format.h"

namespace shapewise {

/// Gathers lines into blocks while they come from the disk. Each block has a
/// thread that scans it and gives it to the reader after the block before it:
/// the reader gets the same as without threads. Threads and copies are made
/// only after an input proves large.
class BlockPipeline {
 public:
  /// With `num_threads`, the calling one among them; at least 2. `reader` is
  /// called by any of them, never by two at a time, and not beyond Drain().
  BlockPipeline(LogReader& reader, size_t num_threads);
  ~BlockPipeline() { WaitForBlocks(); }
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
    std::future<void> reading;  ///< valid: it is on its way, or was
  };

  Block& BlockAt(uint64_t number) { return ring_[number % ring_.size()]; }
  /// Lets the block that is being filled be scanned and read, and waits until
  /// there is another one to fill.
  void Submit();
  void ScanAndRead(Block& block, uint64_t number);
  /// Waits for the blocks on their way, the first one first: where the system
  /// has no more threads, waiting reads it.
  void WaitForBlocks();

  LogReader& reader_;
  uint64_t bytes_before_ = 0;  ///< that were given on without threads
  uint64_t num_filled_ = 0;    ///< the number of the block that is being filled
  std::atomic<uint64_t> num_read_ = 0;
  std::vector<Block> ring_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_BLOCK_PIPELINE_H_
