#include "ingest/stated_ranges.h"

#include <algorithm>

#include "ingest/symbol_index.h"
#include "llvm/ADT/DenseSet.h"

namespace shapewise {

void StatedRanges::Add(const ExprPool& pool, ExprId size, const Interval& range) {
  if (pool.kind(size) == ExprKind::kSymbol) {
    symbols_[static_cast<uint32_t>(size)] = range;
  } else {
    sizes_.emplace_back(size, range);
  }
}

void StatedRanges::Apply(GraphSet& graphs, size_t first) const {
  for (size_t index = first; index < graphs.graphs.size(); ++index) {
    for (GraphSymbol& symbol : graphs.graphs[index].symbols) {
      const auto stated = symbols_.find(static_cast<uint32_t>(symbol.symbol));
      if (stated == symbols_.end()) continue;
      symbol.has_range = true;
      symbol.lower = stated->second.lower;
      symbol.upper = stated->second.upper;
    }
  }
  GraphModel& graph = graphs.graphs[first];
  ExprPool& pool = graphs.expressions;
  SymbolIndex symbols(graph);
  llvm::DenseSet<uint32_t> known;
  for (const ExprId constraint : graph.constraints) known.insert(static_cast<uint32_t>(constraint));
  const auto hold = [&](ExprId left, ExprId right) {
    const ExprId predicate = pool.Binary(ExprKind::kLessEqual, left, right);
    if (!IsPredicate(pool.kind(predicate)) || pool.kind(predicate) == ExprKind::kTrue) return;
    if (known.insert(static_cast<uint32_t>(predicate)).second) {
      graph.constraints.push_back(predicate);
    }
  };
  for (const auto& [size, range] : sizes_) {
    const std::vector<ExprId> parts = pool.SymbolsOf(size);
    const bool has_all = std::all_of(
        parts.begin(), parts.end(), [&](ExprId symbol) { return symbols.Find(symbol) != nullptr; });
    if (!has_all) continue;
    if (range.lower) hold(pool.Integer(*range.lower), size);
    if (range.upper) hold(size, pool.Integer(*range.upper));
  }
}

}  // namespace shapewise
