// Views: the elements of a tensor in the same order, with other dims.

#ifndef SHAPEWISE_SHAPES_REGROUP_H_
#define SHAPEWISE_SHAPES_REGROUP_H_

#include "llvm/ADT/ArrayRef.h"
#include "shapes/node_context.h"

namespace shapewise {

/// `state` with dims of `sizes`, whose product is that of its own sizes. At most one size may be
/// kNone: what is left for it. Tells the context when padded positions do not stay apart.
TensorState Regroup(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_REGROUP_H_
