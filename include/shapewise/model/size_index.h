// Numbers for distinct sizes, in the order in which they come first.

#ifndef SHAPEWISE_MODEL_SIZE_INDEX_H_
#define SHAPEWISE_MODEL_SIZE_INDEX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shapewise {

/// How many dims can be planned together.
inline constexpr size_t kMaxSizeDims = 3;

/// No size is larger: products of three sizes and sums of many still fit where they are made.
inline constexpr int64_t kMaxSize = int64_t{1} << 31;

/// One size a dim; dims that are not used hold 1.
using Sizes = std::array<int64_t, kMaxSizeDims>;

/// Distinct sizes, found in constant time.
class SizeIndex {
 public:
  /// The number of `sizes`; a new one is size() before the call.
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
  std::vector<uint32_t> direct_;  // by size, for small sizes of one dim alone
  std::vector<uint32_t> table_;   // open addressing; as many places as a power of two
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_SIZE_INDEX_H_
