// Numbers distinct sizes in order of first occurrence.

#ifndef SHAPEWISE_MODEL_SIZE_INDEX_H_
#define SHAPEWISE_MODEL_SIZE_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shapewise {

/// The number of dims that can be planned together.
inline constexpr size_t kMaxSizeDims = 3;

/// The largest size: products of three sizes, and sums of many, still fit where they are computed.
inline constexpr int64_t kMaxSize = int64_t{1} << 31;

/// One size per dim; unused dims are 1.
using Sizes = std::array<int64_t, kMaxSizeDims>;

/// Finds distinct sizes in constant time.
class SizeIndex {
 public:
  /// The number of `sizes`; a new one gets the previous size().
  uint32_t Find(const Sizes& sizes) {
    const auto first = static_cast<uint64_t>(sizes[0]);
    if (first < direct_.size() && sizes[1] == 1 && sizes[2] == 1 && direct_[first] != kNone) {
      return direct_[first];
    }
    return FindSlowly(sizes);
  }

  size_t size() const { return sizes_.size(); }
  const Sizes& operator[](uint32_t number) const { return sizes_[number]; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t FindSlowly(const Sizes& sizes);
  void Grow();

  std::vector<Sizes> sizes_;      // by number
  std::vector<uint32_t> direct_;  // by size, for small sizes of a single dim
  std::vector<uint32_t> table_;   // open addressing; its length is a power of two
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SIZE_INDEX_H_
