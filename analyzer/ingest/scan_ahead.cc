#include "ingest/scan_ahead.h"

#include <algorithm>
#include <system_error>

namespace shapewise {
namespace {

// Less than this is read before a thread has started.
constexpr uint64_t kMinBytes = uint64_t{4} << 20;

// Large enough that handing it over costs nothing, small enough for a processor's own cache.
constexpr size_t kBlockBytes = size_t{256} << 10;

// Reading the disk and the lines found is left to one thread, which more of them would wait for.
constexpr size_t kMaxHelpers = 3;

}  // namespace

ScanAhead::ScanAhead(LogReader& reader, size_t num_threads)
    : reader_(reader), num_helpers_(std::min(num_threads - 1, kMaxHelpers)) {}

ScanAhead::~ScanAhead() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ScanAhead::StartThreads() {
  ring_.resize(4 * (num_helpers_ + 1));
  try {
    for (size_t i = 0; i < num_helpers_; ++i) helpers_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {
    // The system has no more threads: those that there are do it, or this one alone.
  }
}

void ScanAhead::OnLines(std::string_view lines, uint64_t first_line) {
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

void ScanAhead::Submit() {
  {
    const std::scoped_lock lock(mutex_);
    BlockAt(num_filled_).is_scanned = false;
    ++num_filled_;
  }
  changed_.notify_one();
  if (num_filled_ - num_read_ == ring_.size()) ReadOne();
}

void ScanAhead::Drain() {
  if (ring_.empty()) return;
  if (!BlockAt(num_filled_).lines.empty()) Submit();
  while (num_read_ < num_filled_) ReadOne();
}

bool ScanAhead::ScanOne(std::unique_lock<std::mutex>& lock) {
  if (num_begun_ == num_filled_) return false;
  Block& block = BlockAt(num_begun_++);
  lock.unlock();
  reader_.scanner()->Scan(block.lines, block.scan);
  lock.lock();
  block.is_scanned = true;
  changed_.notify_all();
  return true;
}

void ScanAhead::Help() {
  std::unique_lock lock(mutex_);
  while (!is_over_) {
    if (!ScanOne(lock)) changed_.wait(lock);
  }
}

void ScanAhead::ReadOne() {
  Block& block = BlockAt(num_read_);
  {
    std::unique_lock lock(mutex_);
    while (!block.is_scanned) {
      if (!ScanOne(lock)) changed_.wait(lock);
    }
  }
  reader_.OnScannedLines(block.lines, block.first_line, block.scan);
  block.lines.clear();
  ++num_read_;
}

}  // namespace shapewise
