// Measuring costs where they matter: which size to time next, and how good the plan is.

#ifndef SHAPEWISE_BUCKETS_ACTIVE_COST_H_
#define SHAPEWISE_BUCKETS_ACTIVE_COST_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "shapewise/buckets/frontier.h"
#include "shapewise/buckets/size_line.h"
#include "shapewise/model/cost_curve.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// How sizes to measure are chosen.
struct ActiveCostOptions {
  size_t max_buckets = 8;    ///< that the plan may have
  double price = 0;          ///< of a bucket, in weight times cost: seconds over all calls
  double gap = 0.02;         ///< enough is known when the plan costs at most this share too much
  size_t measurements = 25;  ///< at most so many
  double noise = 0.01;       ///< a measured cost is off by at most this share
};

/// Plans buckets on a line whose costs are asked for one by one.
///
/// Costs are taken not to fall from one size to the next, so that each measured one bounds those on
/// its sides; one that does fall is replaced by the cheaper size behind it, as in a SizeLine, and
/// is_monotone() says so. What the plan costs too much at most, whatever the costs within their
/// bounds are, is the estimated gap: an estimate, since the bounds rest on measured spreads
/// (analyzer/docs/replay.md has the derivation).
///
/// \code
///   while (std::optional<int64_t> size = active.NextSize()) active.Add(*size, Measure(*size));
/// \endcode
class ActiveCost {
 public:
  enum class Ending : uint8_t {
    kGoesOn,   ///< there is something to measure
    kGap,      ///< the gap is as small as was asked for
    kNoise,    ///< what is left of the gap is no more than measured costs are off by
    kBudget,   ///< all measurements were made
    kNothing,  ///< nothing that could be measured would make the gap smaller
  };

  /// Of `line` the sizes, weights and which may be buckets are used; costs are not. Error: the line
  /// has no stop.
  static Expected<ActiveCost> Make(SizeLine line, const ActiveCostOptions& options);

  /// The size to measure next; absent: no more, and ending() says why.
  std::optional<int64_t> NextSize() const { return next_; }
  /// What a call of `size`, a stop of the line, costs: above 0. `spread`: a share by which it may
  /// be off, if that is more than is taken for granted.
  void Add(int64_t size, double cost, double spread = 0);
  /// `size` cannot be measured: it is no bucket. Error: the largest, without which there is no
  /// plan.
  Error Refuse(int64_t size);

  Ending ending() const { return ending_; }
  /// The plan costs at most this share more than the best one, if no measured cost is off by more
  /// than its spread; infinite until something is known.
  double gap() const { return gap_; }
  /// The plan; its cost is the most that it can be.
  const BucketSet& plan() const { return plan_; }
  /// What was measured, by size.
  CostCurve Curve() const;
  size_t measurements() const { return measured_.size(); }
  /// Sizes that may be buckets.
  size_t candidates() const { return ends_; }
  /// No measured cost was below one of a smaller size by more than noise.
  bool is_monotone() const { return is_monotone_; }

 private:
  ActiveCost(SizeLine line, const ActiveCostOptions& options);

  using Stops = std::vector<size_t>;  // indices of stops, ascending

  void Update();
  void Bound();
  std::vector<double> Guess() const;
  Stops Solve(const std::vector<double>& costs) const;
  double CostOf(const Stops& plan, const std::vector<double>& costs) const;
  struct Regret;
  Regret WorstRegret(const Stops& plan) const;
  double GapOf(const Stops& plan, double regret, double least) const;
  std::optional<size_t> ChooseNext(const Stops& guessed, const Stops& challenger) const;
  std::optional<size_t> SplitBracket(size_t wanted, double reach) const;
  bool IsOpen(size_t stop) const;
  double NoiseOfStop(size_t stop) const;
  bool IsGapNoise() const;
  size_t IndexOf(int64_t size) const;
  void SetPlan(const Stops& plan);

  SizeLine line_;
  ActiveCostOptions options_;
  size_t ends_ = 0;
  std::map<size_t, double> measured_;  // by stop
  std::map<size_t, double> spreads_;   // by stop
  std::vector<double> low_;            // by stop: bounds of its cost
  std::vector<double> high_;
  bool is_monotone_ = true;
  BucketSet plan_;
  double gap_;
  std::optional<int64_t> next_;
  Ending ending_ = Ending::kGoesOn;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_ACTIVE_COST_H_
