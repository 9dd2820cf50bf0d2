// Views: the elements of a tensor in the same order, with other dims.

#ifndef SHAPEWISE_SHAPES_REGROUP_H_
#define SHAPEWISE_SHAPES_REGROUP_H_

#include "llvm/ADT/ArrayRef.h"
#include "shapes/node_context.h"

namespace shapewise {

/// `state` with dims of `sizes`, whose product is that of its own sizes. At most one size may be
/// kNone: it is computed. Reports to the context if padded positions do not stay separate.
TensorState Regroup(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes);

/// Appends a dim of `size` that contains `axes`. If only the outermost is padded, the real
/// positions are still the first, so one axis is enough.
void AddFolded(llvm::ArrayRef<Axis> axes, ExprId size, TensorState& result);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_REGROUP_H_
