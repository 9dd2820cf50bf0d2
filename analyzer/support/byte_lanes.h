// Sixteen bytes of a text at once, in code that all machines with vectors compile to a few
// instructions.

#ifndef SHAPEWISE_SUPPORT_BYTE_LANES_H_
#define SHAPEWISE_SUPPORT_BYTE_LANES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace shapewise {

/// The bytes that are compared at once; a comparison sets all bits of a byte, or none.
inline constexpr size_t kLanes = 16;
using Lanes = uint8_t __attribute__((vector_size(kLanes)));
using SignedLanes = int8_t __attribute__((vector_size(kLanes)));
using LaneWords = std::array<uint64_t, kLanes / sizeof(uint64_t)>;

/// The kLanes bytes at `bytes`.
inline Lanes LoadLanes(const char* bytes) {
  Lanes lanes;
  std::memcpy(&lanes, bytes, sizeof(lanes));
  return lanes;
}

/// `lanes` as numbers, for tests of eight bytes at once.
inline LaneWords WordsOf(Lanes lanes) {
  LaneWords words;
  std::memcpy(&words, &lanes, sizeof(words));
  return words;
}

/// Whether any bit is set.
inline bool IsAnySet(Lanes lanes) {
  const LaneWords words = WordsOf(lanes);
  return (words[0] | words[1]) != 0;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_BYTE_LANES_H_
