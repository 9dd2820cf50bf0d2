// The recurrence over ways to serve: the least cost of the calls up to each stop.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_
#define SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/layer_table.h"
#include "buckets/line_queue.h"
#include "buckets/serving_plan.h"

namespace shapewise {

/// Bit i: mode number i.
using ModeSet = uint32_t;

/// Whether one graph of this kind serves all its calls.
bool IsSharedKind(ServingKind kind);
/// Whether calls are padded to the last stop of their stretch.
bool IsPaddedKind(ServingKind kind);

/// Stops served by one mode.
struct ServedStretch {
  size_t mode = 0;  ///< its number
  size_t from = 0;  ///< number of stops before it
  size_t to = 0;    ///< number of stops including it
};

/// Which mode serves each stop, without the prices of shared graphs.
struct ServingSolution {
  std::vector<ServedStretch> stretches;  ///< ascending; neighbours with one shared graph are joined
  size_t graphs = 0;                     ///< number of stretches with a graph of their own
  double cost = 0;
  double prices = 0;
  double Total() const { return cost + prices; }
};

/// Solves one line for subsets of its modes.
class ServingSolver {
 public:
  /// Both must outlive it.
  ServingSolver(const SizeLine& line, const std::vector<ServingMode>& modes);

  /// Restricts the solver to these modes.
  void Use(ModeSet modes);

  /// The best solution if each graph costs `extra` more than its price. Empty: no mode in use
  /// serves some stop.
  std::optional<ServingSolution> Best(double extra);
  /// The best solution with at most `most` graphs, if any: one layer per graph.
  std::optional<ServingSolution> BestByLayers(size_t most);
  /// A price at which every graph that can be left out is.
  double HighestPrice() const;

 private:
  size_t columns() const { return weight_to_.size(); }
  double Weight(size_t stops) const { return line_.stops[stops - 1].weight; }
  /// A mode in use with one graph for each of its stretches.
  struct Stretches {
    size_t mode;
    bool is_padded;
    bool is_monotone;
    std::vector<double> cost;  ///< element j: cost of a call at the last of the first j stops
    /// Total cost of their calls, each at its own size; for modes without padding.
    std::vector<double> summed;
    LineQueue queue;   ///< for padded modes
    double least = 0;  ///< without padding: cost before a stretch, minus `summed` there
    size_t least_from = 0;
    bool is_begun = false;
  };

  Stretches MakeStretches(size_t mode) const;
  /// For the last of the first `stops` stops: whether a bucket must be there, or may be.
  bool IsCut(size_t stops) const {
    return has_padded_ && stops > 0 && line_.stops[stops - 1].must_end;
  }
  bool MayEnd(size_t stops) const { return line_.stops[stops - 1].may_end || IsCut(stops); }
  /// Fills best[1] and following, for stretches whose initial cost is given by `start` and best[0];
  /// `start` may be `best`.
  void Pass(double extra, const Layer& start, Layer& best, uint32_t* origin);
  void Begin(Stretches& stretches, const Layer& start, size_t from) const;
  /// The least cost before and of a stretch up to `to`, without its price.
  std::optional<LineQueue::Answer> End(Stretches& stretches, size_t to) const;
  void Prepend(ServedStretch stretch, ServingSolution& solution) const;

  const std::vector<ServingMode>& modes_;
  const SizeLine& line_;
  std::vector<double> weight_to_;  ///< sum over the first j stops
  double trace_ = 0;
  double most_price_ = 0;
  double most_cost_ = 0;
  bool has_padded_ = false;  ///< stops with must_end matter
  std::vector<Stretches> stretches_;
  Layer shared_cost_;  ///< cost of a call at the last of the first j stops, with the best shared
                       ///< graph
  std::vector<uint8_t> shared_mode_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_
