// Strides: their order in memory, and their values if they are unknown.

#ifndef SHAPEWISE_DYNAMO_STRIDES_H_
#define SHAPEWISE_DYNAMO_STRIDES_H_

#include <cstddef>
#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace shapewise {

/// a * b in 64 bits; overflow wraps, as in a tensor's metadata.
int64_t WrappedProduct(int64_t a, int64_t b);

/// Dims in ascending order of their strides; ties go to the last dim. PyTorch infers strides in
/// this order (torch/_dynamo/variables/builder.py, record_automatic_dynamic).
llvm::SmallVector<size_t, 8> DimsByStride(llvm::ArrayRef<int64_t> strides);

/// Strides of a tensor without gaps, last dim innermost; a size of 0 counts as 1.
llvm::SmallVector<int64_t, 8> WrappedContiguousStrides(llvm::ArrayRef<int64_t> sizes);

/// Strides of a copy of a tensor after its sizes were changed to `sizes`: the same order in memory,
/// the same innermost stride, and no new gaps.
llvm::SmallVector<int64_t, 8> ResizedStrides(llvm::ArrayRef<int64_t> old_sizes,
                                             llvm::ArrayRef<int64_t> old_strides,
                                             llvm::ArrayRef<int64_t> sizes);

/// The properties of a tensor's layout that operators check before they choose one for their
/// result.
struct LayoutClass {
  bool is_contiguous = false;
  bool is_channels_last = false;
  bool is_dense = false;  ///< without gaps and overlaps, in any order

  friend bool operator==(const LayoutClass&, const LayoutClass&) = default;
};
LayoutClass ClassOfLayout(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_STRIDES_H_
