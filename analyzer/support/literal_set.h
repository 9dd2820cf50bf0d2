// Searches for many literals at once; fast if none occurs.

#ifndef SHAPEWISE_SUPPORT_LITERAL_SET_H_
#define SHAPEWISE_SUPPORT_LITERAL_SET_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// Finds the first occurrence of any literal in a text. Built once, then read-only and safe to
/// share between threads.
class LiteralSet {
 public:
  /// All literals must have at least `kMinLength` bytes and outlive the set. Case-sensitive.
  explicit LiteralSet(const std::vector<std::string_view>& literals);

  static constexpr size_t kMinLength = 6;
  static constexpr size_t kNotFound = static_cast<size_t>(-1);

  /// Offset of the first occurrence at or after `from`; kNotFound: none. One call for a block of
  /// lines takes a third of the time of one call per line.
  size_t Find(std::string_view text, size_t from = 0) const;

  /// The same for any occurrence on the line of the first one, which is found sooner; no literal
  /// may contain a newline.
  size_t FindLine(std::string_view text, size_t from = 0) const;

  bool Occurs(std::string_view text) const { return FindLine(text) != kNotFound; }

 private:
  friend class LiteralScan;

  // Bytes of each literal that the fast part of the search uses, and the number of buckets for
  // literals: one for each bit of a byte.
  static constexpr size_t kWindowBytes = sizeof(uint32_t);
  static constexpr size_t kNumBuckets = 8;
  static constexpr size_t kShuffleBytes = 32;  // tables of 16 entries, duplicated for wide shuffles
  static constexpr int kHashBits = 14;

  struct Literal {
    std::string_view text;
    size_t window_offset;
    uint32_t window;  // these bytes in memory order
    uint32_t bucket;
  };

  void AssignBuckets();

  std::vector<Literal> literals_;  // by window
  size_t max_window_offset_ = 0;
  std::bitset<1U << kHashBits> window_hashes_;  // those of the literals' windows

  // Which bytes literals of bucket k may have at offset i of their window. For byte x: bit 8 * i +
  // k of byte_buckets_[x]. For a low or high half x of a byte: bit k of [i][x].
  std::array<uint32_t, 256> byte_buckets_{};
  std::array<std::array<uint8_t, kShuffleBytes>, kWindowBytes> low_half_buckets_{};
  std::array<std::array<uint8_t, kShuffleBytes>, kWindowBytes> high_half_buckets_{};
  bool has_shuffle_ = false;  // whether this machine can look up a block of halves at once
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_LITERAL_SET_H_
