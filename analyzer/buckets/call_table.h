// Evaluates sets of buckets on calls: padding, cost, and calls per bucket.

#ifndef SHAPEWISE_BUCKETS_CALL_TABLE_H_
#define SHAPEWISE_BUCKETS_CALL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/cost_model.h"
#include "model/size_history.h"
#include "result/bucket_report.h"

namespace shapewise {

/// The evaluation of a set of buckets on calls. Everything except `out_of_range` covers only calls
/// that fit some bucket.
struct SetScore {
  uint64_t calls = 0;
  uint64_t out_of_range = 0;
  double real = 0;        ///< elements that are not padding
  double padded = 0;      ///< elements of the buckets
  double cost = 0;        ///< at the buckets
  double ideal = 0;       ///< at their own sizes
  double worst_call = 0;  ///< largest overhead of a single call: cost at its bucket divided by its
                          ///< own cost, minus 1
  std::vector<uint64_t> calls_a_bucket;

  /// Padded minus real elements, divided by real elements; 0 without calls.
  double Padding() const { return real > 0 ? (padded - real) / real : 0; }
  /// Cost divided by cost without padding, minus 1.
  double Overhead() const { return ideal > 0 ? (cost / ideal) - 1 : 0; }
};

/// Calls, preprocessed to evaluate many sets of buckets. Keeps references to its arguments.
class CallTable {
 public:
  CallTable(const SizeHistogram& calls, const CostModel& cost);

  const SizeHistogram& calls() const { return calls_; }
  /// The cost of one call at `sizes`.
  double CostOf(const Sizes& sizes) const;
  /// Elements of one call padded to `sizes`.
  double ElementsOf(const Sizes& sizes) const;
  /// Of call number `index` of the histogram at its own sizes.
  double IdealOf(size_t index) const { return ideal_[index]; }
  /// The cost of all calls at their own sizes.
  double Ideal() const { return ideal_before_.back(); }

  /// Evaluates `buckets` (ascending). In one dim a call runs at the smallest bucket that fits: O(k
  /// log n) and a pass over the sizes. In several dims it runs at the cheapest: O(n k).
  SetScore Score(const std::vector<Sizes>& buckets) const;

  /// Index of the first size (one dim) larger than `size`.
  size_t FirstAbove(int64_t size) const;
  uint64_t CallsBefore(size_t index) const { return calls_before_[index]; }

 private:
  void AddShare(size_t first, size_t end, const Sizes& bucket, SetScore& score) const;
  SetScore ScoreJointly(const std::vector<Sizes>& buckets) const;

  const SizeHistogram& calls_;
  const CostModel& cost_;
  std::vector<double> ideal_;           // of one call
  std::vector<uint64_t> calls_before_;  // prefix sums, one more than sizes
  std::vector<double> real_before_;
  std::vector<double> ideal_before_;
};

/// The number of the cheapest of `buckets`, whose `costs` are given, that fits calls of `sizes`;
/// ties go to the first. buckets.size(): none does.
size_t CheapestBucket(const std::vector<Sizes>& buckets, const std::vector<double>& costs,
                      const Sizes& sizes);

/// Sizes of one dim in the report's form.
std::vector<Sizes> AsSizes(const std::vector<int64_t>& sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_CALL_TABLE_H_
