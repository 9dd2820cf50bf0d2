// Measures costs only where they matter: chooses which size to time next and bounds how far the
// plan can be from the best one.

#ifndef SHAPEWISE_BUCKETS_ACTIVE_COST_H_
#define SHAPEWISE_BUCKETS_ACTIVE_COST_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "buckets/frontier.h"
#include "buckets/size_line.h"
#include "support/error.h"

namespace shapewise {

/// Controls how sizes are chosen for measurement.
struct ActiveCostOptions {
  size_t max_buckets = 8;    ///< upper limit for the plan
  double price = 0;          ///< of one bucket, in weight times cost: seconds over all calls
  double gap = 0.02;         ///< stop when the plan costs at most this share more than the best
  size_t measurements = 25;  ///< upper limit
  double noise = 0.01;       ///< assumed relative error of a measured cost
};

/// Plans buckets on a line whose costs are measured one at a time.
///
/// Costs are assumed not to fall from one size to the next, so each measurement bounds its
/// neighbours. A cost that does fall is replaced by that of the cheaper, larger size, as in a
/// SizeLine, and is_monotone() returns false. The estimated gap is the largest excess cost of the
/// plan for any costs within their bounds. It is an estimate because the bounds rest on measured
/// spreads (derivation: analyzer/docs/replay.md).
///
/// \code
///   while (std::optional<int64_t> size = active.NextSize()) active.Add(*size, Measure(*size));
///   \endcode
class ActiveCost {
 public:
  enum class Ending : uint8_t {
    kGoesOn,   ///< a measurement is pending
    kGap,      ///< the gap is at most the requested one
    kNoise,    ///< the rest of the gap is within the measurement error
    kBudget,   ///< the limit on measurements is reached
    kNothing,  ///< no measurement would reduce the gap
  };

  /// Uses the sizes, weights and allowed buckets of `line`, not its costs. Error: the line has no
  /// stop.
  static Expected<ActiveCost> Make(SizeLine line, const ActiveCostOptions& options);

  /// The size to measure next; absent: finished, for the reason in ending().
  std::optional<int64_t> NextSize() const { return next_; }
  /// Records the measured cost (above 0) of a call of `size`, a stop of the line. `spread`: its
  /// relative error, if larger than ActiveCostOptions::noise.
  void Add(int64_t size, double cost, double spread = 0);
  /// Marks `size` as impossible to measure, so it is not used as a bucket. Error: it is the largest
  /// size, which every plan needs.
  Error Refuse(int64_t size);

  Ending ending() const { return ending_; }
  /// The plan costs at most this share more than the best one if every measured cost is within its
  /// spread. Infinite until enough is measured.
  double gap() const { return gap_; }
  /// The plan; its cost is an upper bound.
  const BucketSet& plan() const { return plan_; }
  size_t measurements() const { return measured_.size(); }
  /// The number of sizes that may be buckets.
  size_t candidates() const { return ends_; }
  /// Whether no measured cost was below that of a smaller size by more than the noise.
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
  std::vector<double> low_;            // bounds of the cost, by stop
  std::vector<double> high_;
  bool is_monotone_ = true;
  BucketSet plan_;
  double gap_;
  std::optional<int64_t> next_;
  Ending ending_ = Ending::kGoesOn;
};

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_ACTIVE_COST_H_
