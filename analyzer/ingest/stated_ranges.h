// The ranges that an exported program states, and to which of its symbols and sizes they belong.

#ifndef SHAPEWISE_INGEST_STATED_RANGES_H_
#define SHAPEWISE_INGEST_STATED_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "shapewise/model/graph_model.h"
#include "shapewise/symbolic/expression.h"
#include "shapewise/symbolic/interval.h"

namespace shapewise {

/// A program states ranges for symbols and for sizes made of them ("2*s39"), also for symbols that
/// none of its graphs has: torch.export traces twice, and each time names sizes out of data anew.
class StatedRanges {
 public:
  /// `size` is an expression of `pool`.
  void Add(const ExprPool& pool, ExprId size, const Interval& range);

  /// Gives the symbols of all graphs from `first` on their ranges; those of other sizes become
  /// constraints of graph `first` if it has all their symbols. The graphs are finished.
  void Apply(GraphSet& graphs, size_t first) const;

 private:
  llvm::DenseMap<uint32_t, Interval> symbols_;
  std::vector<std::pair<ExprId, Interval>> sizes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_STATED_RANGES_H_
