// What follows from the nodes of a graph that was read: kinds of placeholders, symbols,
// constraints; and what is stated of its symbols elsewhere.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/symbolic/interval.h"

namespace shapewise {

/// The values that symbols had when a graph was captured.
using SymbolHints = std::map<ExprId, int64_t>;

/// Fills placeholders (kinds and sources that names tell), symbols and constraints of a graph whose
/// nodes are complete. `is_joint`: forward and backward in one.
void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint);

/// Gives the symbols of `graph` their hints.
void SetHints(const SymbolHints& hints, GraphModel& graph);

/// A program states ranges for symbols and for sizes made of them ("2*s39"), also for symbols that
/// none of its graphs has: torch.export traces twice, and each time names sizes out of data anew.
class StatedRanges {
 public:
  /// `size` is the text of an expression; counted at `line` of `input` if it is unknown.
  void Add(std::string_view size, const Interval& range, GraphSet& graphs, uint32_t input,
           uint64_t line);

  /// Gives the symbols of all graphs from `first` on their ranges; those of other sizes become
  /// constraints of graph `first` if it has all their symbols. The graphs are finished.
  void Apply(GraphSet& graphs, size_t first) const;

 private:
  std::map<ExprId, Interval> symbols_;
  std::vector<std::pair<ExprId, Interval>> sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
