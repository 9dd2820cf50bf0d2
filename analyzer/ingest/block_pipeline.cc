#include "ingest/block_pipeline.h"

#include <algorithm>

namespace shapewise {
namespace {

// Smaller inputs are read without starting a thread.
constexpr uint64_t kMinBytes = uint64_t{4} << 20;

// Large enough to amortize a thread, small enough for a processor's own cache.
constexpr size_t kBlockBytes = size_t{512} << 10;

// One thread receives the bytes and one reads: more scanners than these would wait for them.
constexpr size_t kMaxHelpers = 3;

size_t NumHelpers(const LogReader& reader, size_t num_threads) {
  const size_t most = reader.scanner() == nullptr ? 1 : kMaxHelpers;
  return std::min(num_threads - 1, most);
}

}  // namespace

BlockPipeline::BlockPipeline(LogReader& reader, size_t num_threads)
    : reader_(reader), ring_(NumHelpers(reader, num_threads) + 1) {}

void BlockPipeline::OnLines(std::string_view lines, uint64_t first_line) {
  if (bytes_before_ < kMinBytes) {
    bytes_before_ += lines.size();
    reader_.OnLines(lines, first_line);
    return;
  }
  Block& block = BlockAt(num_filled_);
  if (block.lines.empty()) block.first_line = first_line;
  block.lines += lines;
  if (block.lines.size() >= kBlockBytes) Submit();
}

void BlockPipeline::Submit() {
  Block& block = BlockAt(num_filled_);
  const uint64_t number = num_filled_++;
  block.reading = std::async([this, &block, number] { ScanAndRead(block, number); });
  Block& next = BlockAt(num_filled_);
  if (next.reading.valid()) next.reading.wait();
}

void BlockPipeline::ScanAndRead(Block& block, uint64_t number) {
  if (const LineScanner* scanner = reader_.scanner()) scanner->Scan(block.lines, block.scan);
  for (uint64_t read = num_read_; read != number; read = num_read_) num_read_.wait(read);
  reader_.OnScannedLines(block.lines, block.first_line, block.scan);
  block.lines.clear();
  ++num_read_;
  num_read_.notify_all();
}

void BlockPipeline::Drain() {
  if (!BlockAt(num_filled_).lines.empty()) Submit();
  WaitForBlocks();
}

void BlockPipeline::WaitForBlocks() {
  for (uint64_t i = 0; i < ring_.size(); ++i) {
    Block& block = BlockAt(num_filled_ + i);
    if (block.reading.valid()) block.reading.wait();
  }
}

}  // namespace shapewise
