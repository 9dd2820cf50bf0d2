#include "model/size_history.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace shapewise {
namespace {

// Explicit bit masks, so that the compiler sees that nothing is lost.
constexpr uint64_t kSizeMask = (uint64_t{1} << 21) - 1;
static_assert(SizeHistory::kMaxDistinct <= kSizeMask);

// Sizes of one dim below this are looked up without hashing, in at most 1 MiB of memory.
constexpr uint64_t kMaxDirect = uint64_t{1} << 18;

uint64_t HashOf(const Sizes& sizes) {
  uint64_t hash = 0;
  for (const int64_t size : sizes) {
    // An odd multiplier near 2^64 / golden ratio spreads neighbours over the whole word.
    hash = (hash ^ static_cast<uint64_t>(size)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

bool SizeHistory::Add(const Sizes& sizes, uint64_t calls) {
  const double elements = ElementsOf(sizes);
  return AddCalls(sizes, calls, static_cast<double>(calls) * elements, elements);
}

bool SizeHistory::Add(const Sizes& sizes, uint64_t calls, double real) {
  if (calls == 0) return true;
  const double real_a_call = real / static_cast<double>(calls);
  if (!has_real_ && real_a_call != ElementsOf(sizes)) RecordReal();
  return AddCalls(sizes, calls, real, real_a_call);
}

bool SizeHistory::AddCalls(const Sizes& sizes, uint64_t calls, double real, double real_a_call) {
  assert(std::ranges::all_of(sizes, [](int64_t size) { return size >= 0 && size <= kMaxSize; }));
  if (calls > kMaxCalls - calls_) return false;
  if (calls == 0) return true;
  uint32_t size = index_.Find(rounded_to_ == 1 ? sizes : Rounded(sizes));
  if (size == totals_.size()) {
    totals_.emplace_back();
    open_runs_.push_back(0);
    if (totals_.size() > kMaxDistinct) {
      RoundUp();
      size = index_.Find(Rounded(sizes));
    }
  }
  totals_[size].calls += calls;
  totals_[size].real += real;
  calls_ += calls;
  AddRun(size, calls, real_a_call);
  if (runs_.size() < kKeptInOrder) return true;
  // Drop at least half of them, so that the next call does not repeat all this.
  do {
    granularity_ *= 2;
  } while (IsMoreThan(kKeptInOrder / 2));
  Regroup();
  return true;
}

SizeHistogram SizeHistory::Histogram(uint64_t first, uint64_t end) const {
  if (first == 0 && end >= calls_) return HistogramOf(totals_);
  std::vector<Total> totals(totals_.size());
  if (end < calls_) end -= end % granularity_;
  if (first < calls_) first -= first % granularity_;
  uint64_t at = 0;
  for (size_t run = 0; run < runs_.size() && at < end;) {
    uint64_t block_end = at;
    size_t next = run;
    do {
      block_end += runs_[next].calls;
    } while (runs_[next++].ends_block == 0 && next < runs_.size());
    // Only blocks of a single size can cross a cut: all of their calls are equal.
    const uint64_t inside = std::min(end, block_end) - std::min(std::max(first, at), block_end);
    const bool is_whole = inside == block_end - at;
    for (; run < next && block_end > first; ++run) {
      const auto calls = static_cast<double>(runs_[run].calls);
      Total& total = totals[runs_[run].size];
      total.calls += is_whole ? runs_[run].calls : inside;
      total.real += is_whole ? RealOf(run) : RealOf(run) / calls * static_cast<double>(inside);
    }
    run = next;
    at = block_end;
  }
  return HistogramOf(totals);
}

double SizeHistory::ElementsOf(const Sizes& sizes) const {
  auto elements = static_cast<double>(rows_);
  for (const int64_t size : sizes) elements *= static_cast<double>(size);
  return elements;
}

Sizes SizeHistory::Rounded(const Sizes& sizes) const {
  Sizes rounded = sizes;
  for (size_t dim = 0; dim < dims_; ++dim) {
    rounded[dim] = (sizes[dim] + rounded_to_ - 1) / rounded_to_ * rounded_to_;
  }
  return rounded;
}

double SizeHistory::RealOf(size_t run) const {
  if (has_real_) return real_[run];
  return static_cast<double>(runs_[run].calls) * ElementsOf(index_[runs_[run].size]);
}

void SizeHistory::AddRun(uint32_t size, uint64_t calls, double real_a_call) {
  while (calls > 0) {
    if (open_calls_ > 0 || calls < granularity_) {
      const uint64_t taken = std::min(calls, granularity_ - open_calls_);
      AddToOpenBlock(size, taken, real_a_call);
      calls -= taken;
      continue;
    }
    const uint64_t whole = calls - calls % granularity_;
    if (ExtendsLastBlock(size, real_a_call)) {
      runs_.back().calls = (runs_.back().calls + whole) & kMaxCalls;
      if (has_real_) real_.back() += real_a_call * static_cast<double>(whole);
    } else {
      PushRun(size, whole, real_a_call);
      runs_.back().ends_block = 1;
    }
    open_begin_ = runs_.size();
    calls -= whole;
  }
}

void SizeHistory::AddToOpenBlock(uint32_t size, uint64_t calls, double real_a_call) {
  const size_t known = open_runs_[size];
  if (known >= open_begin_ && known < runs_.size() && runs_[known].size == size) {
    runs_[known].calls = (runs_[known].calls + calls) & kMaxCalls;
    if (has_real_) real_[known] += real_a_call * static_cast<double>(calls);
  } else {
    open_runs_[size] = static_cast<uint32_t>(runs_.size());
    PushRun(size, calls, real_a_call);
  }
  open_calls_ += calls;
  if (open_calls_ < granularity_) return;
  runs_.back().ends_block = 1;
  open_begin_ = runs_.size();
  open_calls_ = 0;
}

/// Whether the last block contains only such calls.
bool SizeHistory::ExtendsLastBlock(uint32_t size, double real_a_call) const {
  if (runs_.empty() || runs_.back().size != size) return false;
  if (runs_.size() > 1 && runs_[runs_.size() - 2].ends_block == 0) return false;
  return !has_real_ || real_.back() == real_a_call * static_cast<double>(runs_.back().calls);
}

void SizeHistory::PushRun(uint32_t size, uint64_t calls, double real_a_call) {
  Run run{};
  run.size = size & kSizeMask;
  run.calls = calls & kMaxCalls;
  runs_.push_back(run);
  if (has_real_) real_.push_back(real_a_call * static_cast<double>(calls));
}

/// From now on the number of real elements is stored for each run.
void SizeHistory::RecordReal() {
  real_.resize(runs_.size());
  for (size_t run = 0; run < runs_.size(); ++run) real_[run] = RealOf(run);
  has_real_ = true;
}

/// Whether blocks of granularity_ calls contain more than `most` runs in total. A run across
/// several blocks counts once in the first and once in the last of them.
bool SizeHistory::IsMoreThan(size_t most) const {
  std::vector<uint64_t> last_block(totals_.size(), ~uint64_t{0});  // by number of the size
  const int shift = std::countr_zero(granularity_);
  size_t num_runs = 0;
  uint64_t at = 0;
  for (const Run& run : runs_) {
    const uint64_t first = at >> shift;
    at += run.calls;
    const uint64_t last = (at - 1) >> shift;
    num_runs += (last_block[run.size] != first ? 1 : 0) + (last != first ? 1 : 0);
    last_block[run.size] = last;
    if (num_runs > most) return true;
  }
  return false;
}

/// Combines the runs into blocks of granularity_ calls.
void SizeHistory::Regroup() {
  const std::vector<Run> runs = std::exchange(runs_, {});
  const std::vector<double> real = std::exchange(real_, {});
  open_begin_ = 0;
  open_calls_ = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    const auto calls = static_cast<double>(runs[run].calls);
    const auto size = static_cast<uint32_t>(runs[run].size);
    AddRun(size, runs[run].calls, has_real_ ? real[run] / calls : ElementsOf(index_[size]));
  }
}

/// Rounds sizes until the number of distinct sizes has at least halved.
void SizeHistory::RoundUp() {
  if (!has_real_) RecordReal();
  while (index_.size() > kMaxDistinct / 2) {
    rounded_to_ *= 2;
    SizeIndex index;
    std::vector<uint32_t> numbers(index_.size());
    std::vector<Total> totals;
    for (uint32_t size = 0; size < numbers.size(); ++size) {
      numbers[size] = index.Find(Rounded(index_[size]));
      totals.resize(index.size());
      totals[numbers[size]].calls += totals_[size].calls;
      totals[numbers[size]].real += totals_[size].real;
    }
    for (Run& run : runs_) run.size = numbers[run.size] & kSizeMask;
    index_ = std::move(index);
    totals_ = std::move(totals);
  }
  open_runs_.assign(totals_.size(), 0);
  Regroup();
}

void SizeHistory::ForEachRun(
    llvm::function_ref<bool(const Sizes& sizes, uint64_t calls, double real)> visit) const {
  for (size_t run = 0; run < runs_.size(); ++run) {
    const uint64_t calls = runs_[run].calls;
    if (!visit(index_[runs_[run].size], calls, RealOf(run))) return;
  }
}

SizeHistogram SizeHistory::HistogramOf(const std::vector<Total>& totals) const {
  SizeHistogram histogram;
  histogram.dims = dims_;
  histogram.rows = rows_;
  for (uint32_t size = 0; size < totals.size(); ++size) {
    const Total& total = totals[size];
    if (total.calls == 0) continue;
    histogram.counts.push_back({index_[size], total.calls, total.real});
    histogram.calls += total.calls;
    histogram.real += total.real;
  }
  std::ranges::sort(histogram.counts, {}, &SizeCount::sizes);
  return histogram;
}

uint32_t SizeIndex::FindSlowly(const Sizes& sizes) {
  // At most half full, so that probing stays short.
  if (sizes_.size() * 2 >= table_.size()) Grow();
  const uint64_t mask = table_.size() - 1;
  uint64_t place = HashOf(sizes) & mask;
  while (table_[place] != kNone && sizes_[table_[place]] != sizes) place = (place + 1) & mask;
  if (table_[place] != kNone) return table_[place];
  const auto number = static_cast<uint32_t>(sizes_.size());
  table_[place] = number;
  sizes_.push_back(sizes);
  const auto first = static_cast<uint64_t>(sizes[0]);
  if (first < kMaxDirect && sizes[1] == 1 && sizes[2] == 1) {
    if (first >= direct_.size()) {
      direct_.resize(std::min(kMaxDirect, std::max<uint64_t>(first + 1, direct_.size() * 2)),
                     kNone);
    }
    direct_[first] = number;
  }
  return number;
}

void SizeIndex::Grow() {
  table_.assign(std::max<size_t>(64, table_.size() * 2), kNone);
  const uint64_t mask = table_.size() - 1;
  for (uint32_t number = 0; number < sizes_.size(); ++number) {
    uint64_t place = HashOf(sizes_[number]) & mask;
    while (table_[place] != kNone) place = (place + 1) & mask;
    table_[place] = number;
  }
}

}  // namespace shapewise
