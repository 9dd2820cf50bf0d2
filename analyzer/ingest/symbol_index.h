// The symbols of one graph by id, while something is noted of them.

#ifndef SHAPEWISE_INGEST_SYMBOL_INDEX_H_
#define SHAPEWISE_INGEST_SYMBOL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// Finds symbols of a graph, to which nobody else may append meanwhile.
class SymbolIndex {
 public:
  explicit SymbolIndex(GraphModel& graph) : symbols_(graph.symbols) {
    for (size_t i = 0; i < symbols_.size(); ++i) {
      indices_.try_emplace(static_cast<uint32_t>(symbols_[i].symbol), i);
    }
  }

  /// The entry of `symbol`, appended if it is new; the reference dies with the next one that is.
  GraphSymbol& Of(ExprId symbol) {
    const auto [entry, is_new] =
        indices_.try_emplace(static_cast<uint32_t>(symbol), symbols_.size());
    if (is_new) symbols_.emplace_back().symbol = symbol;
    return symbols_[entry->second];
  }

  /// Null: it has none.
  GraphSymbol* Find(ExprId symbol) {
    const auto entry = indices_.find(static_cast<uint32_t>(symbol));
    return entry == indices_.end() ? nullptr : &symbols_[entry->second];
  }

 private:
  std::vector<GraphSymbol>& symbols_;
  llvm::DenseMap<uint32_t, size_t> indices_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SYMBOL_INDEX_H_
