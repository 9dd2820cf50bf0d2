// Passes every input to the reader of its format.

#ifndef SHAPEWISE_INGEST_SNIFFING_SINK_H_
#define SHAPEWISE_INGEST_SNIFFING_SINK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
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

/// Chooses the format by the first kSniffBytes, however they arrive, and passes everything to its
/// reader.
class SniffingSink final : public LineSink {
 public:
  /// With more than one of `num_threads`, lines are processed in the background until Finish():
  /// nothing can be shown before.
  SniffingSink(Session& session, uint32_t input, const ReadOptions& options, size_t num_threads = 1)
      : session_(session), input_(input), options_(options), num_threads_(num_threads) {}

  void OnLines(std::string_view lines, uint64_t first_line) override;
  size_t OnPiece(std::string_view piece, uint64_t line, bool is_first, bool is_last) override;

  /// `totals`: the whole input, or as much of it as could be read.
  void Finish(const TextTotals& totals);

  /// Adds to `copy`, a copy of the current session, what Finish(totals) would add; without
  /// `with_open`, only complete records.
  void ShowIn(Session& copy, const TextTotals& totals, bool with_open) const;

  /// Why the format rejects the input; empty: it does not. Call after Finish().
  std::string failure() const { return reader_ == nullptr ? std::string() : reader_->failure(); }

 private:
  /// Chooses by the lines kept so far followed by `text`, then passes the kept lines to the reader.
  void Sniff(std::string_view text);
  void ChooseReader(std::string_view head);
  void SetTotals(Session& session, const TextTotals& totals, uint64_t torch_lines) const;

  Session& session_;
  const uint32_t input_;
  const ReadOptions options_;
  const size_t num_threads_;
  std::string head_;  ///< whole lines received before the format was chosen
  bool is_sniffed_ = false;
  const LogFormat* format_ = nullptr;
  std::unique_ptr<LogReader> reader_;
  std::unique_ptr<BlockPipeline> pipeline_;  ///< nullptr: the reader receives lines directly
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SNIFFING_SINK_H_
