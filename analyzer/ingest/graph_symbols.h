// The symbols of a graph whose nodes are read: which there are, and where they come from.

#ifndef SHAPEWISE_INGEST_GRAPH_SYMBOLS_H_
#define SHAPEWISE_INGEST_GRAPH_SYMBOLS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shapewise/model/graph_model.h"

namespace shapewise {

/// The symbols of one graph, to be found by id. Nobody else may append to them meanwhile.
class SymbolIndex {
 public:
  explicit SymbolIndex(GraphModel& graph);

  /// The entry of `symbol`, appended if it is new; dies with the next one that is.
  GraphSymbol& Of(ExprId symbol);

 private:
  std::vector<GraphSymbol>& symbols_;
  std::unordered_map<uint32_t, size_t> indices_;
};

/// Notes the symbols in the types of all values of `graph`, with the placeholders' sizes that are
/// nothing but the symbol as their sources ("x.size()[0]", "n"), and orders them.
void CollectSymbols(GraphSet& graphs, GraphModel& graph);

/// The predicate in "Runtime assertion failed for expression u0 >= 2 on node 'ge'", which an
/// aten._assert_scalar node holds to; empty if `message` is another text.
std::string_view AssertedPredicate(std::string_view message);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_SYMBOLS_H_
