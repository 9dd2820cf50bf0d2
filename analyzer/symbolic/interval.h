// Basic knowledge about integers and questions: intervals, congruences and truth values.

#ifndef SHAPEWISE_SYMBOLIC_INTERVAL_H_
#define SHAPEWISE_SYMBOLIC_INTERVAL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace shapewise {

/// The answer to a question. kUnknown: undecided.
enum class Truth : uint8_t { kFalse, kTrue, kUnknown };

/// Integers from `lower` to `upper`, inclusive; absent: no bound.
struct Interval {
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;

  bool IsEmpty() const { return lower && upper && *lower > *upper; }
  bool Contains(int64_t value) const {
    return (!lower || *lower <= value) && (!upper || value <= *upper);
  }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Parses a range as PyTorch prints it: "VR[2, int_oo]", "[2, 64]", "ValueRanges(lower=2,
/// upper=oo)". Infinities are not bounds. Neither are the largest 64-bit numbers, unless
/// `has_infinity`: its writer has a word for infinity and so means the number, as for sizes of
/// unbacked symbols ("VR[0, 9223372036854775806]"). Absent: not a range.
std::optional<Interval> ParseInterval(std::string_view text, bool has_infinity = false);

/// Integers n with n % modulus == remainder, 0 <= remainder < modulus. Modulus 1: all integers;
/// modulus 0: only `remainder`.
struct Congruence {
  uint64_t modulus = 1;
  int64_t remainder = 0;
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_INTERVAL_H_
