// A proof of how good a joint plan can be at best: the Lagrangian relaxation of the p-median
// problem.

#ifndef SHAPEWISE_BUCKETS_JOINT_BOUND_H_
#define SHAPEWISE_BUCKETS_JOINT_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/joint_grid.h"
#include "buckets/joint_profit.h"

namespace shapewise {

/// Raises a lower bound on the cost of every set of `count` buckets.
///
/// That each call is served by one bucket is not demanded but priced, v_j a call. For any prices
///
///   L(v) = sum_j w_j v_j - (sum of the `count` largest profits),
///   profit(f) = sum over the calls j that f holds of w_j max(0, v_j - c(f))
///
/// is no more than the cost of any set: for each call the profits of its buckets take back at least
/// v_j less what the call costs there. The largest L is the bound of the linear relaxation
/// (Geoffrion 1974; of p-median: Cornuejols, Fisher, Nemhauser 1977). It is climbed to by the
/// volume algorithm (Barahona, Anbil 2000): averages of the choices made on the way steer it, and
/// tell which buckets a fractional solution uses.
class JointBound {
 public:
  explicit JointBound(const JointGrid& grid);

  /// Begins with sets of `count` buckets (1 or more). `in_set`, by call: what a good set costs
  /// them. `before`: prices() of another count, or empty. The better of both are the first prices.
  void Start(size_t count, std::vector<double> in_set, std::vector<double> before);
  /// Takes up to `steps` steps, and no more work than about `most`, towards `upper`, the cost of a
  /// known set; fewer if the bound meets it.
  void Climb(double upper, size_t steps, uint64_t most);

  double bound() const { return bound_; }
  const std::vector<double>& prices() const { return prices_; }
  /// By cell: how much the fractional solution uses it, 0 to 1.
  const std::vector<double>& shares() const { return shares_; }
  uint64_t work() const { return sweep_.work() + (looked_at_ / kLooksAUnit); }

 private:
  /// No more than L(prices) whatever was rounded; the cells with the largest profits are in chosen_
  /// after.
  double Value(const std::vector<double>& prices);
  /// slopes_, by call: 1 less the number of chosen cells that would serve it for less than its
  /// price.
  void FindSlopes(const std::vector<double>& prices);

  const JointGrid& grid_;
  ProfitSweep sweep_;
  std::vector<double> least_;  ///< by call: at its own cell; no price is below
  std::vector<double>
      scales_;  ///< by call: its cost in a good set: prices move in proportion to it
  size_t count_ = 1;
  double bound_ = 0;
  double least_total_ = 0;  ///< what all calls cost at their own cells
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

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_JOINT_BOUND_H_
