// The recurrence over ways to serve: the least cost of the calls up to each stop.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_
#define SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "buckets/layer_table.h"
#include "buckets/line_queue.h"
#include "shapewise/buckets/serving_plan.h"

namespace shapewise {

/// Bit i: the mode number i.
using ModeSet = uint32_t;

/// Whether one graph of this kind serves all its calls, wherever they lie.
bool IsSharedKind(ServingKind kind);
/// Whether calls are padded to the last stop of their stretch.
bool IsPaddedKind(ServingKind kind);

/// Stops that one mode serves.
struct ServedStretch {
  size_t mode = 0;  ///< its number
  size_t from = 0;  ///< the number of stops before
  size_t to = 0;    ///< and with it
};

/// Who serves the stops. Prices of shared graphs are not in it.
struct ServingSolution {
  std::vector<ServedStretch> stretches;  ///< ascending; neighbours of one shared graph joined
  size_t graphs = 0;                     ///< of stretches: shared ones are not counted
  double cost = 0;
  double prices = 0;
  double Total() const { return cost + prices; }
};

/// Solves one line for sets of its modes.
class ServingSolver {
 public:
  /// Both have to outlive it.
  ServingSolver(const SizeLine& line, const std::vector<ServingMode>& modes);

  /// Only these modes are used from here on.
  void Use(ModeSet modes);

  /// The best solution, where each graph costs `extra` more than its price. Nothing: some stop is
  /// served by no mode in use.
  std::optional<ServingSolution> Best(double extra);
  /// The best of those with at most `most` graphs, if there is one: a layer a graph.
  std::optional<ServingSolution> BestByLayers(size_t most);
  /// A price that no graph is worth that can be left out.
  double Dearest() const;

 private:
  size_t columns() const { return weight_to_.size(); }
  double Weight(size_t stops) const { return line_.stops[stops - 1].weight; }
  /// A mode in use that has a graph for each of its stretches.
  struct Stretches {
    size_t mode;
    bool is_padded;
    bool is_monotone;
    std::vector<double> cost;    ///< element j: of a call at the last of the first j stops
    std::vector<double> summed;  ///< of all their calls, each at its own; of a mode without padding
    LineQueue queue;             ///< of a padded one
    double least = 0;            ///< without padding: cost before a stretch, less `summed` there
    size_t least_from = 0;
    bool is_begun = false;
  };

  Stretches MakeStretches(size_t mode) const;
  /// Of the last of the first `stops` stops: a bucket has to be there; one may.
  bool IsCut(size_t stops) const {
    return has_padded_ && stops > 0 && line_.stops[stops - 1].must_end;
  }
  bool MayEnd(size_t stops) const { return line_.stops[stops - 1].may_end || IsCut(stops); }
  /// Fills best[1] and on, from stretches that begin where `start` tells the cost before and from
  /// best[0]; `start` may be `best`.
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
  bool has_padded_ = false;  ///< so stops that must end mean something
  std::vector<Stretches> stretches_;
  Layer shared_cost_;  ///< of a call at the last of the first j stops, by the best shared graph
  std::vector<uint8_t> shared_mode_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_SERVING_SOLVER_H_
