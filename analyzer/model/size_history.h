// The sizes of one to three dims, call by call: the input of bucket planning.

#ifndef SHAPEWISE_MODEL_SIZE_HISTORY_H_
#define SHAPEWISE_MODEL_SIZE_HISTORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace shapewise {

/// The number of dims that can be planned together.
inline constexpr size_t kMaxSizeDims = 3;

/// The largest size: products of three sizes, and sums of many, still fit where they are computed.
inline constexpr int64_t kMaxSize = int64_t{1} << 31;

/// One size per dim; unused dims are 1.
using Sizes = std::array<int64_t, kMaxSizeDims>;

/// Finds distinct sizes in constant time.
class SizeIndex {
 public:
  /// The number of `sizes`; a new one gets the previous size().
  uint32_t Find(const Sizes& sizes) {
    const auto first = static_cast<uint64_t>(sizes[0]);
    if (first < direct_.size() && sizes[1] == 1 && sizes[2] == 1 && direct_[first] != kNone) {
      return direct_[first];
    }
    return FindSlowly(sizes);
  }

  size_t size() const { return sizes_.size(); }
  const Sizes& operator[](uint32_t number) const { return sizes_[number]; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t FindSlowly(const Sizes& sizes);
  void Grow();

  std::vector<Sizes> sizes_;      // by number
  std::vector<uint32_t> direct_;  // by size, for small sizes of a single dim
  std::vector<uint32_t> table_;   // open addressing; its length is a power of two
};

/// Calls with equal sizes.
struct SizeCount {
  Sizes sizes{1, 1, 1};
  uint64_t calls = 0;
  /// Total number of elements that are not padding. For unpadded calls: calls times rows times the
  /// product of the sizes.
  double real = 0;

  friend bool operator==(const SizeCount&, const SizeCount&) = default;
};

/// How often each size occurred.
struct SizeHistogram {
  size_t dims = 1;
  int64_t rows = 1;               ///< rows per call of these sizes: a batch that is always full
  std::vector<SizeCount> counts;  ///< distinct sizes, ascending
  uint64_t calls = 0;             ///< sum over `counts`
  double real = 0;                ///< sum over `counts`
};

/// The sizes of a run's calls in constant memory.
///
/// The order of the first kKeptInOrder calls is exact (consecutive equal calls count once). After
/// that, neighbouring calls are combined into blocks of granularity() calls, which doubles as the
/// run grows, so that any part of a run can be selected. Beyond kMaxDistinct distinct sizes, sizes
/// are rounded up (see rounded_to()).
class SizeHistory {
 public:
  static constexpr uint64_t kKeptInOrder = uint64_t{1} << 22;
  static constexpr size_t kMaxDistinct = size_t{1} << 20;
  static constexpr uint64_t kMaxCalls = (uint64_t{1} << 42) - 1;

  explicit SizeHistory(size_t dims = 1, int64_t rows = 1) : dims_(dims), rows_(rows) {}

  /// Adds `calls` consecutive calls of `sizes` (each 0 to kMaxSize), with `real` elements in total
  /// that are not padding. Returns false and adds nothing if there would be more than kMaxCalls.
  bool Add(const Sizes& sizes, uint64_t calls, double real);
  /// The same for calls without padding.
  bool Add(const Sizes& sizes, uint64_t calls = 1);

  /// The calls are from a histogram or several processes, so their order is meaningless.
  void SetUnordered() { is_ordered_ = false; }

  size_t dims() const { return dims_; }
  int64_t rows() const { return rows_; }
  uint64_t calls() const { return calls_; }
  bool is_ordered() const { return is_ordered_; }
  /// Calls per block: positions in time are rounded down to a multiple of it. 1: exact.
  uint64_t granularity() const { return granularity_; }
  /// Sizes were rounded up to a multiple of this to limit their number; 1: exact.
  int64_t rounded_to() const { return rounded_to_; }

  /// Counts of the calls `first` to `end` (exclusive), rounded as granularity() requires.
  SizeHistogram Histogram(uint64_t first, uint64_t end) const;
  SizeHistogram Histogram() const { return Histogram(0, calls_); }

  /// Visits runs of consecutive calls of one size in order: the size, the number of calls, and
  /// their total of elements that are not padding. Within a block of granularity() calls, equal
  /// sizes are combined. Stops when `visit` returns false.
  void ForEachRun(
      llvm::function_ref<bool(const Sizes& sizes, uint64_t calls, double real)> visit) const;

 private:
  /// Calls of one size. A block consists of one or more runs up to the one that ends it:
  /// granularity_ calls together, or a multiple if all have one size.
  struct Run {
    uint64_t size : 21;  // number in index_
    uint64_t ends_block : 1;
    uint64_t calls : 42;
  };
  struct Total {
    uint64_t calls = 0;
    double real = 0;
  };

  bool AddCalls(const Sizes& sizes, uint64_t calls, double real, double real_a_call);
  double ElementsOf(const Sizes& sizes) const;
  Sizes Rounded(const Sizes& sizes) const;
  double RealOf(size_t run) const;
  void AddRun(uint32_t size, uint64_t calls, double real_a_call);
  void AddToOpenBlock(uint32_t size, uint64_t calls, double real_a_call);
  bool ExtendsLastBlock(uint32_t size, double real_a_call) const;
  void PushRun(uint32_t size, uint64_t calls, double real_a_call);
  void RecordReal();
  bool IsMoreThan(size_t most) const;
  void Regroup();
  void RoundUp();
  SizeHistogram HistogramOf(const std::vector<Total>& totals) const;

  size_t dims_;
  int64_t rows_;
  uint64_t calls_ = 0;
  bool is_ordered_ = true;
  uint64_t granularity_ = 1;
  int64_t rounded_to_ = 1;

  SizeIndex index_;
  std::vector<Total> totals_;  // over all calls, by number of the size
  std::vector<Run> runs_;      // in order of time
  bool has_real_ = false;      // false: no call has padding
  std::vector<double> real_;   // by run, if has_real_
  // The last block, while it has fewer than granularity_ calls.
  size_t open_begin_ = 0;  // its first run
  uint64_t open_calls_ = 0;
  std::vector<uint32_t> open_runs_;  // by number of the size: its run in the open block, if any
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SIZE_HISTORY_H_
