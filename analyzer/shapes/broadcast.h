// Steps on dims that several rules share: broadcasting, positions and ranges, views.

#ifndef SHAPEWISE_SHAPES_BROADCAST_H_
#define SHAPEWISE_SHAPES_BROADCAST_H_

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "shapes/node_context.h"

namespace shapewise {

/// The result of `function` over operands whose shapes are broadcast. Without rank if a shape is
/// not known, or if a failure was reported to the context.
TensorState Broadcast(NodeContext& context, Pointwise function,
                      llvm::ArrayRef<TensorState> operands);

/// One dim of the result, made of one dim of each operand (an empty array: the operand does not
/// have it). Fills are joined by multiplication, as in batches of products. False: the positions
/// cannot be broadcast, which was reported to the context.
bool LineUp(NodeContext& context, llvm::ArrayRef<const TensorState*> operands,
            llvm::ArrayRef<llvm::ArrayRef<Axis>> dims, Pointwise function, TensorState& result);

/// Whether the size of a dim depends on a symbol other than the padded one. If a padded dim must
/// match it, both are padded in every run that works, but the dump does not say so.
bool IsOfOtherSymbol(const NodeContext& context, llvm::ArrayRef<Axis> parts);

/// Reports to the context that a verdict on only one of these symbols is not possible.
void RefuseOtherSymbol(NodeContext& context);

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

/// `state` with dims of `sizes`, whose product is that of its own sizes. At most one size may be
/// kNone: it is computed. Reports to the context if padded positions do not stay separate.
TensorState Regroup(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes);

/// Appends a dim of `size` that contains `axes`. If only the outermost is padded, the real
/// positions are still the first, so one axis is enough.
void AddFolded(llvm::ArrayRef<Axis> axes, ExprId size, TensorState& result);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_BROADCAST_H_
