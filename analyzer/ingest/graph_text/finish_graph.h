// Derives properties of a graph from its nodes: kinds of placeholders, symbols, constraints; and
// adds facts about its symbols from elsewhere.

#ifndef SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
#define SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "model/graph_model.h"
#include "symbolic/interval.h"

namespace shapewise {

/// The values of symbols when a graph was captured.
using SymbolHints = std::map<ExprId, int64_t>;

/// Sets placeholders (kinds and sources implied by names), symbols and constraints of a graph with
/// complete nodes. `is_joint`: forward and backward in one.
void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint);

/// Sets the hints of the symbols of `graph`.
void SetHints(const SymbolHints& hints, GraphModel& graph);

/// A program states ranges for symbols and for sizes made of them ("2*s39"), also for symbols that
/// occur in none of its graphs: torch.export traces twice, and creates new symbols for
/// data-dependent sizes each time.
class StatedRanges {
 public:
  /// `size` is the text of an expression; counted at `line` of `input` if unknown.
  void Add(std::string_view size, const Interval& range, GraphSet& graphs, uint32_t input,
           uint64_t line);

  /// Sets the ranges of symbols in all graphs from `first` on; ranges of other sizes become
  /// constraints of graph `first` if it contains all their symbols. The graphs must be finished.
  void Apply(GraphSet& graphs, size_t first) const;

 private:
  std::map<ExprId, Interval> symbols_;
  std::vector<std::pair<ExprId, Interval>> sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_TEXT_FINISH_GRAPH_H_
