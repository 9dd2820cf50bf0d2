// Steps on dims that several rules share.

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

/// Part `at` of the list `parts`, which a node made from a padded dim.
void TakePart(NodeContext& context, uint32_t parts, int64_t at);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_BROADCAST_H_
