// Strides: their order in memory, and what they are where nobody tells.

#ifndef SHAPEWISE_DYNAMO_STRIDES_H_
#define SHAPEWISE_DYNAMO_STRIDES_H_

#include <cstddef>
#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// a * b in 64 bits; what does not fit wraps, as it does in a tensor's metadata.
int64_t WrappedProduct(int64_t a, int64_t b);

/// Dims in ascending order of their strides; of equal strides the last dim first. The order in
/// which PyTorch infers strides (torch/_dynamo/variables/builder.py, record_automatic_dynamic).
llvm::SmallVector<size_t, 8> DimsByStride(llvm::ArrayRef<int64_t> strides);

/// Strides of a tensor without gaps, last dim innermost; a size of 0 counts as 1.
llvm::SmallVector<int64_t, 8> WrappedContiguousStrides(llvm::ArrayRef<int64_t> sizes);

/// Strides that a copy of a tensor has after its sizes were changed to `sizes`: the same order in
/// memory, the same innermost stride, and no gap where there was none.
llvm::SmallVector<int64_t, 8> ResizedStrides(llvm::ArrayRef<int64_t> old_sizes,
                                             llvm::ArrayRef<int64_t> old_strides,
                                             llvm::ArrayRef<int64_t> sizes);

/// What operators ask of a tensor's layout before they choose one for their result.
struct LayoutClass {
  bool is_contiguous = false;
  bool is_channels_last = false;
  bool is_dense = false;  ///< without gaps and overlaps, in whatever order

  friend bool operator==(const LayoutClass&, const LayoutClass&) = default;
};
LayoutClass ClassOfLayout(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_STRIDES_H_
