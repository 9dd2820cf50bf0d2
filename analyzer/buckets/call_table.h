// What sets of buckets mean for calls that came: padding, cost, who serves how many.

#ifndef SHAPEWISE_BUCKETS_CALL_TABLE_H_
#define SHAPEWISE_BUCKETS_CALL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shapewise/buckets/cost_model.h"
#include "shapewise/model/size_history.h"

namespace shapewise {

/// A set of buckets, measured on calls. All but `out_of_range` is of the calls that some bucket
/// holds.
struct SetScore {
  uint64_t calls = 0;
  uint64_t out_of_range = 0;
  double real = 0;        ///< elements that are not padding
  double padded = 0;      ///< elements of the buckets
  double cost = 0;        ///< at the buckets
  double ideal = 0;       ///< at the very sizes
  double worst_call = 0;  ///< the most that one call pays at its bucket over its own cost, minus 1
  std::vector<uint64_t> calls_a_bucket;

  /// Padded minus real, over real; 0 where nothing is real.
  double Padding() const { return real > 0 ? (padded - real) / real : 0; }
  /// Cost over cost without padding, minus 1.
  double Overhead() const { return ideal > 0 ? (cost / ideal) - 1 : 0; }
};

/// Calls, made ready to measure many sets of buckets on them. Keeps references to what it is made
/// from.
class CallTable {
 public:
  CallTable(const SizeHistogram& calls, const CostModel& cost);

  const SizeHistogram& calls() const { return calls_; }
  /// Of one call at `sizes`.
  double CostOf(const Sizes& sizes) const;
  /// Elements of one call padded to `sizes`.
  double ElementsOf(const Sizes& sizes) const;
  /// Of call number `index` of the histogram at its very sizes.
  double IdealOf(size_t index) const { return ideal_[index]; }
  /// Of all calls at their very sizes.
  double Ideal() const { return ideal_before_.back(); }

  /// Measures `buckets` (ascending). In one dim a call runs at the least that holds it: O(k log n)
  /// and a pass over the sizes; in more at the cheapest, O(n k).
  SetScore Score(const std::vector<Sizes>& buckets) const;

  /// Number of the first size (one dim) larger than `size`.
  size_t FirstAbove(int64_t size) const;
  uint64_t CallsBefore(size_t index) const { return calls_before_[index]; }

 private:
  void AddShare(size_t first, size_t end, const Sizes& bucket, SetScore& score) const;
  SetScore ScoreJointly(const std::vector<Sizes>& buckets) const;

  const SizeHistogram& calls_;
  const CostModel& cost_;
  std::vector<double> ideal_;           // of one call
  std::vector<uint64_t> calls_before_;  // one more than sizes: sums of all before
  std::vector<double> real_before_;
  std::vector<double> ideal_before_;
};

/// Sizes of one dim as the report holds them.
std::vector<Sizes> AsSizes(const std::vector<int64_t>& sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_CALL_TABLE_H_
