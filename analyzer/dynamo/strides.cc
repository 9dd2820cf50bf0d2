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
  std::sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : a > b;
  });
  return dims;
}

llvm::SmallVector<int64_t, 8> ContiguousStrides(llvm::ArrayRef<int64_t> sizes) {
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

}  // namespace shapewise
