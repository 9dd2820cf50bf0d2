// Selects parts of a dim: one position, or a range.

#ifndef SHAPEWISE_SHAPES_INDEXING_H_
#define SHAPEWISE_SHAPES_INDEXING_H_

#include "llvm/ADT/SmallVector.h"
#include "shapes/node_context.h"

namespace shapewise {

/// The bounds of a range as written; null: not given.
struct Range {
  const Argument* start = nullptr;
  const Argument* stop = nullptr;
  const Argument* step = nullptr;
};

/// Whether one position of `dim` can be selected; reports to the context if it may contain padding.
bool TakePosition(NodeContext& context, const TensorState& state, size_t dim,
                  const Argument* position);

/// The axes of `dim` cut to `range`. Reports to the context if the result no longer begins with the
/// real positions.
llvm::SmallVector<Axis, 2> TakeRange(NodeContext& context, const TensorState& state, size_t dim,
                                     const Range& range);

/// Part `at` of the list `parts`, which a node made from a padded dim.
void TakePart(NodeContext& context, uint32_t parts, int64_t at);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_INDEXING_H_
