#include "dynamo/strides.h"

#include <algorithm>
#include <numeric>

namespace shapewise {

int64_t WrappedProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

llvm::SmallVector<size_t, 8> DimsByStride(llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<size_t, 8> dims(strides.size());
  std::iota(dims.begin(), dims.end(), size_t{0});
  std::ranges::sort(dims, [&](size_t a, size_t b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : a > b;
  });
  return dims;
}

llvm::SmallVector<int64_t, 8> WrappedContiguousStrides(llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t, 8> strides(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride = WrappedProduct(stride, std::max<int64_t>(sizes[dim], 1));
  }
  return strides;
}

llvm::SmallVector<int64_t, 8> ResizedStrides(llvm::ArrayRef<int64_t> old_sizes,
                                             llvm::ArrayRef<int64_t> old_strides,
                                             llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<int64_t, 8> strides(old_strides.begin(), old_strides.end());
  int64_t old_next = 0;
  int64_t next = 0;
  for (const size_t dim : DimsByStride(old_strides)) {
    if (old_next != 0) {
      strides[dim] = old_strides[dim] == old_next ? next : std::max(old_strides[dim], next);
    }
    old_next = WrappedProduct(old_strides[dim], std::max<int64_t>(old_sizes[dim], 1));
    next = WrappedProduct(strides[dim], std::max<int64_t>(sizes[dim], 1));
  }
  return strides;
}

namespace {

/// Whether the dims `order`, innermost first, are contiguous in memory. Dims of size 1 do not
/// matter.
bool IsPackedIn(llvm::ArrayRef<size_t> order, llvm::ArrayRef<int64_t> sizes,
                llvm::ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  for (const size_t dim : order) {
    if (sizes[dim] == 1) continue;
    if (strides[dim] != expected) return false;
    expected = WrappedProduct(expected, sizes[dim]);
  }
  return true;
}

}  // namespace

LayoutClass ClassOfLayout(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides) {
  LayoutClass result;
  const size_t rank = sizes.size();
  llvm::SmallVector<size_t, 8> order;
  for (size_t dim = rank; dim-- > 0;) order.push_back(dim);
  result.is_contiguous = IsPackedIn(order, sizes, strides);
  result.is_dense = IsPackedIn(DimsByStride(strides), sizes, strides);
  if (rank == 4 || rank == 5) {
    // Channels, the second dim, come first, then the others from the last one on, the batch last.
    std::rotate(order.begin(), order.end() - 2, order.end() - 1);
    result.is_channels_last = IsPackedIn(order, sizes, strides);
  }
  return result;
}

}  // namespace shapewise
