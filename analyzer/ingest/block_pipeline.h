// Reads one large input with several threads.

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

/// Collects lines into blocks as they arrive from disk. Each block has a thread that scans it and
/// passes it to the reader after the preceding block, so the reader receives the same as without
/// threads. Threads and copies are created only once an input proves large.
class BlockPipeline {
 public:
  /// `num_threads` includes the calling one; at least 2. `reader` is called by any of them, never
  /// by two at a time, and not after Drain().
  BlockPipeline(LogReader& reader, size_t num_threads);
  ~BlockPipeline() { WaitForBlocks(); }
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

  /// As LineSink::OnLines.
  void OnLines(std::string_view lines, uint64_t first_line);

  /// Passes everything that is still pending to the reader.
  void Drain();

 private:
  struct Block {
    std::string lines;
    uint64_t first_line = 0;
    LineScan scan;
    std::future<void> reading;  ///< valid: the block is or was being read
  };

  Block& BlockAt(uint64_t number) { return ring_[number % ring_.size()]; }
  /// Starts scanning and reading the block that is being filled, and waits until another one is
  /// free.
  void Submit();
  void ScanAndRead(Block& block, uint64_t number);
  /// Waits for the pending blocks in order; if the system has no more threads, waiting itself reads
  /// them.
  void WaitForBlocks();

  LogReader& reader_;
  uint64_t bytes_before_ = 0;  ///< passed on without threads
  uint64_t num_filled_ = 0;    ///< number of the block that is being filled
  std::atomic<uint64_t> num_read_ = 0;
  std::vector<Block> ring_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_BLOCK_PIPELINE_H_
