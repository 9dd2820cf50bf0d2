// Sizes that one to three dims took, call by call: what buckets are planned from.

#ifndef SHAPEWISE_MODEL_SIZE_HISTORY_H_
#define SHAPEWISE_MODEL_SIZE_HISTORY_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shapewise {

/// How many dims can be planned together.
inline constexpr size_t kMaxSizeDims = 3;

/// No size is larger: products of three sizes and sums of many still fit where they are made.
inline constexpr int64_t kMaxSize = int64_t{1} << 31;

/// One size a dim; dims that are not used hold 1.
using Sizes = std::array<int64_t, kMaxSizeDims>;

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
/// The order of calls is kept call by call for the first kKeptInOrder of them; beyond, neighbouring
/// calls are gathered in blocks of granularity() calls, which doubles as the run goes on, so that a
/// part in time can be cut out however long the run was. Distinct sizes beyond kMaxDistinct are
/// rounded up together (see rounded_to()).
class SizeHistory {
 public:
  static constexpr uint64_t kKeptInOrder = uint64_t{1} << 22;
  static constexpr size_t kMaxDistinct = size_t{1} << 20;

  explicit SizeHistory(size_t dims = 1, int64_t rows = 1) : dims_(dims), rows_(rows) {}

  /// Adds `calls` calls in a row of `sizes` (each 0 to kMaxSize), which hold `real` elements
  /// together that are not padding.
  void Add(const Sizes& sizes, uint64_t calls, double real);
  /// The same for calls that hold nothing but what their sizes say.
  void Add(const Sizes& sizes, uint64_t calls = 1);

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

 private:
  size_t dims_;
  int64_t rows_;
  uint64_t calls_ = 0;
  bool is_ordered_ = true;
  uint64_t granularity_ = 1;
  int64_t rounded_to_ = 1;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SIZE_HISTORY_H_
