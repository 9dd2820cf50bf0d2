// A lower bound for joint plans: the Lagrangian relaxation of the p-median problem.

#ifndef SHAPEWISE_BUCKETS_JOINT_BOUND_H_
#define SHAPEWISE_BUCKETS_JOINT_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/joint_grid.h"

namespace shapewise {

/// Raises a lower bound on the cost of every set of `count` buckets.
///
/// The constraint that each call is served by one bucket is replaced by a price v_j per call. For
/// any prices
///
///   L(v) = sum_j w_j v_j - (sum of the `count` largest profits),
///   profit(f) = sum over the calls j that fit f of w_j max(0, v_j - c(f))
///
/// is at most the cost of any set: for each call, the profits of its buckets subtract at least v_j
/// minus the cost of the call there. The largest L is the bound of the linear relaxation (Geoffrion
/// 1974; for p-median: Cornuejols, Fisher, Nemhauser 1977). The volume algorithm (Barahona, Anbil
/// 2000) climbs to it: averages of the choices along the way guide it, and show which buckets a
/// fractional solution uses.
class JointBound {
 public:
  explicit JointBound(const JointGrid& grid);

  /// Starts with sets of `count` buckets (at least 1). `in_set`: the cost of each call in a good
  /// set. `before`: prices() for another count, or empty. The better of both are the first prices.
  void Start(size_t count, std::vector<double> in_set, std::vector<double> before);
  /// Takes at most `steps` steps and about `most` work towards `upper`, the cost of a known set;
  /// stops early if the bound reaches it.
  void Climb(double upper, size_t steps, uint64_t most);

  double bound() const { return bound_; }
  const std::vector<double>& prices() const { return prices_; }
  /// How much the fractional solution uses each cell, from 0 to 1.
  const std::vector<double>& shares() const { return shares_; }
  uint64_t work() const { return sweep_.work() + (looked_at_ / kLooksAUnit); }

 private:
  /// At most L(prices), despite rounding; the cells with the largest profits are then in chosen_.
  double Value(const std::vector<double>& prices);
  /// slopes_, by call: 1 minus the number of chosen cells that would serve it for less than its
  /// price.
  void FindSlopes(const std::vector<double>& prices);

  const JointGrid& grid_;
  ProfitSweep sweep_;
  std::vector<double> least_;  ///< by call: cost at its own cell, the minimum price
  /// By call: its cost in a good set, which scales changes of its price.
  std::vector<double> scales_;
  size_t count_ = 1;
  double bound_ = 0;
  double least_total_ = 0;  ///< cost of all calls at their own cells
  double value_ = 0;        ///< L(prices_)
  double step_length_ = 0;
  size_t without_gain_ = 0;
  std::vector<double> prices_;
  std::vector<double> tried_;
  std::vector<double> rounded_;    ///< prices whose sums are exact
  std::vector<double> direction_;  ///< blend of slopes
  std::vector<double> slopes_;
  std::vector<double> shares_;
  std::vector<double> profits_;
  std::vector<size_t> chosen_;
  uint64_t looked_at_ = 0;  ///< pairs of a bucket and a call
};

/// The maximum relative error of a sum of `terms` products of two non-negative doubles (Higham,
/// "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
constexpr double SumRounding(size_t terms) {
  constexpr double kUnit = 0x1p-53;
  const double units = (static_cast<double>(terms) + 1) * kUnit;
  return units / (1 - units);
}

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_BOUND_H_
