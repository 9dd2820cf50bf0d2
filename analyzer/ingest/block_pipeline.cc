#include "ingest/block_pipeline.h"

#include <algorithm>
#include <system_error>

namespace shapewise {
namespace {

// Less than this is read before a thread has started.
constexpr uint64_t kMinBytes = uint64_t{4} << 20;

// Large enough that handing it over costs nothing, small enough for a processor's own cache.
constexpr size_t kBlockBytes = size_t{256} << 10;

// One thread takes in the bytes and one reads: more than these to scan would wait for them.
constexpr size_t kMaxHelpers = 3;

size_t NumHelpers(const LogReader& reader, size_t num_threads) {
  const size_t most = reader.scanner() == nullptr ? 1 : kMaxHelpers;
  return std::min(num_threads - 1, most);
}

}  // namespace

BlockPipeline::BlockPipeline(LogReader& reader, size_t num_threads)
    : reader_(reader), num_helpers_(NumHelpers(reader, num_threads)) {}

BlockPipeline::~BlockPipeline() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  for (std::thread& helper : helpers_) helper.join();
}

void BlockPipeline::StartThreads() {
  ring_.resize(4 * (num_helpers_ + 1));
  try {
    for (size_t i = 0; i < num_helpers_; ++i) helpers_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {
    // The system has no more threads: those that there are do it, or this one alone.
  }
}

void BlockPipeline::OnLines(std::string_view lines, uint64_t first_line) {
  if (bytes_before_ < kMinBytes) {
    bytes_before_ += lines.size();
    reader_.OnLines(lines, first_line);
    return;
  }
  if (ring_.empty()) StartThreads();
  Block& block = BlockAt(num_filled_);
  if (block.lines.empty()) block.first_line = first_line;
  block.lines += lines;
  if (block.lines.size() >= kBlockBytes) Submit();
}

void BlockPipeline::Submit() {
  std::unique_lock lock(mutex_);
  BlockAt(num_filled_).is_scanned = false;
  ++num_filled_;
  changed_.notify_one();
  while (num_filled_ - num_read_ == ring_.size()) {
    if (!DoOne(lock)) changed_.wait(lock);
  }
}

void BlockPipeline::Drain() {
  if (ring_.empty()) return;
  if (!BlockAt(num_filled_).lines.empty()) Submit();
  std::unique_lock lock(mutex_);
  while (num_read_ < num_filled_) {
    if (!DoOne(lock)) changed_.wait(lock);
  }
}

void BlockPipeline::Help() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    if (!DoOne(lock)) changed_.wait(lock);
  }
}

bool BlockPipeline::DoOne(std::unique_lock<std::mutex>& lock) {
  // Reading comes first: it is what cannot be shared.
  if (!is_reading_ && num_read_ < num_filled_ && BlockAt(num_read_).is_scanned) {
    Read(BlockAt(num_read_), lock);
  } else if (num_begun_ < num_filled_) {
    Scan(BlockAt(num_begun_++), lock);
  } else {
    return false;
  }
  changed_.notify_all();
  return true;
}

void BlockPipeline::Read(Block& block, std::unique_lock<std::mutex>& lock) {
  is_reading_ = true;
  lock.unlock();
  reader_.OnScannedLines(block.lines, block.first_line, block.scan);
  block.lines.clear();
  lock.lock();
  is_reading_ = false;
  ++num_read_;
}

void BlockPipeline::Scan(Block& block, std::unique_lock<std::mutex>& lock) {
  if (const LineScanner* scanner = reader_.scanner()) {
    lock.unlock();
    scanner->Scan(block.lines, block.scan);
    lock.lock();
  }
  block.is_scanned = true;
}

}  // namespace shapewise
