#include "ingest/graph_symbols.h"

#include <string>
#include <tuple>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "s10" as ("s", 10, ""), so that s2 stands before s10.
std::tuple<std::string_view, uint64_t, std::string_view> OrderOf(std::string_view name) {
  const size_t at = name.find_first_of("0123456789");
  if (at == std::string_view::npos) return {name, 0, {}};
  std::string_view rest = name.substr(at);
  const uint64_t number = ConsumeUint(rest).value_or(UINT64_MAX);
  return {name.substr(0, at), number, rest};
}

/// Symbols of one graph by id, while they are found.
class SymbolFinder {
 public:
  SymbolFinder(GraphSet& graphs, GraphModel& graph) : graphs_(graphs), index_(graph) {}

  void AddType(const ValueType& type) {
    AddExpression(type.expression);
    for (const ExprId size : type.shape) AddExpression(size);
    for (const ExprId stride : type.stride) AddExpression(stride);
  }

  /// Notes that the value of `symbol`, if it is one, is that of `source`.
  void AddSource(ExprId symbol, const std::string& source) {
    if (graphs_.expressions.kind(symbol) != ExprKind::kSymbol) return;
    std::vector<StrId>& sources = index_.Of(symbol).sources;
    const StrId id = graphs_.strings.Intern(source);
    if (!llvm::is_contained(sources, id)) sources.push_back(id);
  }

 private:
  void AddExpression(ExprId expression) {
    if (graphs_.expressions.kind(expression) == ExprKind::kInteger) return;
    for (const ExprId symbol : graphs_.expressions.SymbolsOf(expression)) index_.Of(symbol);
  }

  GraphSet& graphs_;
  SymbolIndex index_;
};

}  // namespace

SymbolIndex::SymbolIndex(GraphModel& graph) : symbols_(graph.symbols) {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    indices_.emplace(static_cast<uint32_t>(symbols_[i].symbol), i);
  }
}

GraphSymbol& SymbolIndex::Of(ExprId symbol) {
  const auto [entry, is_new] = indices_.emplace(static_cast<uint32_t>(symbol), symbols_.size());
  if (is_new) symbols_.emplace_back().symbol = symbol;
  return symbols_[entry->second];
}

void CollectSymbols(GraphSet& graphs, GraphModel& graph) {
  SymbolFinder finder(graphs, graph);
  std::vector<bool> is_seen(graphs.types.size());
  for (const GraphValue& value : graph.values) {
    if (value.type == kNoIndex || is_seen[value.type]) continue;
    is_seen[value.type] = true;
    finder.AddType(graphs.types[value.type]);
  }
  for (const Placeholder& placeholder : graph.placeholders) {
    const GraphNode& node = graph.nodes[placeholder.node];
    if (node.num_values == 0) continue;
    const GraphValue& value = graph.values[node.first_value];
    if (value.type == kNoIndex) continue;
    const ValueType& type = graphs.types[value.type];
    const std::string name(graphs.strings.text(value.name));
    if (type.expression != ExprId::kNone) finder.AddSource(type.expression, name);
    for (size_t dim = 0; dim < type.shape.size(); ++dim) {
      finder.AddSource(type.shape[dim], name + ".size()[" + std::to_string(dim) + "]");
    }
  }
  llvm::stable_sort(graph.symbols, [&](const GraphSymbol& left, const GraphSymbol& right) {
    return OrderOf(graphs.expressions.name(left.symbol)) <
           OrderOf(graphs.expressions.name(right.symbol));
  });
}

std::string_view AssertedPredicate(std::string_view message) {
  constexpr std::string_view kHead = "Runtime assertion failed for expression ";
  if (!ConsumeFront(message, kHead)) return {};
  return message.substr(0, message.rfind(" on node "));
}

}  // namespace shapewise
