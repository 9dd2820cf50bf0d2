// What can be known of an integer: an interval, a congruence; of a question: a truth value.

#ifndef SHAPEWISE_SYMBOLIC_INTERVAL_H_
#define SHAPEWISE_SYMBOLIC_INTERVAL_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace shapewise {

/// The answer to a question. kUnknown: it could not be found out.
enum class Truth : uint8_t { kFalse, kTrue, kUnknown };

/// Integers from `lower` to `upper`, both included; absent: no bound.
struct Interval {
  std::optional<int64_t> lower;
  std::optional<int64_t> upper;

  bool IsEmpty() const { return lower && upper && *lower > *upper; }
  bool Contains(int64_t value) const {
    return (!lower || *lower <= value) && (!upper || value <= *upper);
  }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Reads a range as PyTorch prints it: "VR[2, int_oo]", "[2, 64]", "ValueRanges(lower=2,
/// upper=oo)". Infinities are no bounds, nor are the greatest numbers of 64 bits, unless
/// `has_infinity`: its writer is known to have a word for infinity, and means the number, as sizes
/// of unbacked symbols have it ("VR[0, 9223372036854775806]"). Absent: it is no such range.
std::optional<Interval> ParseInterval(std::string_view text, bool has_infinity = false);

/// Integers n with n % modulus == remainder, 0 <= remainder < modulus. modulus 1: all integers;
/// modulus 0: `remainder` alone.
struct Congruence {
  uint64_t modulus = 1;
  int64_t remainder = 0;
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_INTERVAL_H_
