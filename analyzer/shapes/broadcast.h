// Lines up the dims of operands, as elementwise operators and batches of matrices do.

#ifndef SHAPEWISE_SHAPES_BROADCAST_H_
#define SHAPEWISE_SHAPES_BROADCAST_H_

#include "llvm/ADT/ArrayRef.h"
#include "shapes/node_context.h"

namespace shapewise {

/// The result of `function` over operands whose shapes are broadcast. Without rank if a shape is
/// not known, or if the context was told of a failure.
TensorState Broadcast(NodeContext& context, Pointwise function,
                      llvm::ArrayRef<TensorState> operands);

/// One dim of the result, made of one dim of each operand (an empty array: the operand does not
/// have it). Fills are joined by multiplication, as in batches of products. False: the positions
/// do not line up, and the context was told.
bool LineUp(NodeContext& context, llvm::ArrayRef<const TensorState*> operands,
            llvm::ArrayRef<llvm::ArrayRef<Axis>> dims, Pointwise function, TensorState& result);

/// Whether the size of a dim is that of another symbol than the one that is padded. Where a padded
/// dim must fit it, both are padded in every run that works, but the dump does not say so.
bool IsOfOtherSymbol(const NodeContext& context, llvm::ArrayRef<Axis> parts);

/// Tells the context that a verdict on one of such symbols alone is not possible.
void TellOtherSymbol(NodeContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_BROADCAST_H_
