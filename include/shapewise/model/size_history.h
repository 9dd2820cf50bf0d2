// Sizes that one to three dims took, call by call: what buckets are planned from.

#ifndef SHAPEWISE_MODEL_SIZE_HISTORY_H_
#define SHAPEWISE_MODEL_SIZE_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"

#include "shapewise/model/size_index.h"

namespace shapewise {

/// Calls that had the same sizes.
struct SizeCount {
  Sizes sizes{1, 1, 1};
  uint64_t calls = 0;
  /// Elements that were not padding in these calls together. For calls that hold nothing but what
  /// their sizes say: calls times rows times the product of the sizes.
  double real = 0;

  friend bool operator==(const SizeCount&, const SizeCount&) = default;
};

/// How often which sizes came.
struct SizeHistogram {
  size_t dims = 1;
  int64_t rows = 1;  ///< a call holds so many rows of its sizes: a batch that is always full
  std::vector<SizeCount> counts;  ///< distinct sizes, ascending
  uint64_t calls = 0;             ///< sum over `counts`
  double real = 0;                ///< sum over `counts`
};

/// The sizes of a run's calls in constant memory.
///
/// The order of calls is kept call by call for the first kKeptInOrder of them (calls alike in a row
/// count once); beyond, neighbouring calls are gathered in blocks of granularity() calls, which
/// doubles as the run goes on, so that a part in time can be cut out however long the run was.
/// Distinct sizes beyond kMaxDistinct are rounded up together (see rounded_to()).
class SizeHistory {
 public:
  static constexpr uint64_t kKeptInOrder = uint64_t{1} << 22;
  static constexpr size_t kMaxDistinct = size_t{1} << 20;
  static constexpr uint64_t kMaxCalls = (uint64_t{1} << 42) - 1;

  explicit SizeHistory(size_t dims = 1, int64_t rows = 1) : dims_(dims), rows_(rows) {}

  /// Adds `calls` calls in a row of `sizes` (each 0 to kMaxSize), which hold `real` elements
  /// together that are not padding. False, and nothing added, if that makes more than kMaxCalls.
  bool Add(const Sizes& sizes, uint64_t calls, double real);
  /// The same for calls that hold nothing but what their sizes say.
  bool Add(const Sizes& sizes, uint64_t calls = 1);

  /// The calls came as a histogram, or from several processes: their order means nothing.
  void SetUnordered() { is_ordered_ = false; }

  size_t dims() const { return dims_; }
  int64_t rows() const { return rows_; }
  uint64_t calls() const { return calls_; }
  bool is_ordered() const { return is_ordered_; }
  /// Calls a block: cuts in time are rounded down to a multiple of it. 1: exact.
  uint64_t granularity() const { return granularity_; }
  /// What sizes were rounded up to, to hold their number down; 1: they are as they were.
  int64_t rounded_to() const { return rounded_to_; }

  /// Counts of calls number `first` up to `end`, without it; cut as granularity() allows.
  SizeHistogram Histogram(uint64_t first, uint64_t end) const;
  SizeHistogram Histogram() const { return Histogram(0, calls_); }

  /// Gives out calls of one size in a row, how many, and their elements that are not padding
  /// together, in the order in which they came; within a block of granularity() calls equal sizes
  /// come together. Until `visit` returns false.
  void ForEachRun(
      llvm::function_ref<bool(const Sizes& sizes, uint64_t calls, double real)> visit) const;

 private:
  /// Calls of one size. A block is one or more of these up to one that ends it: granularity_ calls
  /// together, or, where all are of one size, a multiple of it.
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
  void TellReal();
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
  std::vector<Total> totals_;  // by number of the size, of all calls
  std::vector<Run> runs_;      // in order of time
  bool is_real_told_ = false;  // else all hold just what their sizes say
  std::vector<double> real_;   // by run, if told
  // The last block, while it has fewer than granularity_ calls.
  size_t open_begin_ = 0;  // its first run
  uint64_t open_calls_ = 0;
  std::vector<uint32_t> open_runs_;  // by number of the size: its run, if that is in the open block
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SIZE_HISTORY_H_
