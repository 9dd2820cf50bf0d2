// The mutations of targets that read text: half of them libFuzzer's own, half of them structural.
// The first SHAPEWISE_FUZZ_HEAD bytes are options of the target, which only libFuzzer changes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/stretching_mutator.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr size_t kHead = SHAPEWISE_FUZZ_HEAD;

/// Room that libFuzzer's own mutations get: they double a text at random, and long ones are slow.
constexpr size_t kOwnGrowth = 4096;

/// What follows the head.
std::string_view TextIn(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data) + kHead, size - kHead};
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 2 == 0 || size < kHead || max_size <= kHead) {
    return LLVMFuzzerMutate(data, size, std::min(max_size, size + kOwnGrowth));
  }
  const std::string text = shapewise::StretchText(TextIn(data, size), max_size - kHead, seed / 2);
  std::ranges::copy(text, data + kHead);
  return kHead + text.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size,
                                            const uint8_t* second, size_t second_size, uint8_t* out,
                                            size_t max_size, unsigned seed) {
  if (first_size < kHead || second_size < kHead || max_size <= kHead) return 0;
  const std::string text = shapewise::SpliceTexts(
      TextIn(first, first_size), TextIn(second, second_size), max_size - kHead, seed);
  std::copy_n(first, kHead, out);
  std::ranges::copy(text, out + kHead);
  return kHead + text.size();
}
