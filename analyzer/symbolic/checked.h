// 64-bit arithmetic with overflow checks.

#ifndef SHAPEWISE_SYMBOLIC_CHECKED_H_
#define SHAPEWISE_SYMBOLIC_CHECKED_H_

#include <cstdint>
#include <limits>
#include <optional>

namespace shapewise {

/// Wide enough for sums of as many 64-bit numbers as fit in memory, and for one product.
__extension__ using Int128 = __int128;

inline uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

inline std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// Rounded towards minus infinity, as Python's `//`; absent: division by zero.
inline std::optional<int64_t> CheckedFloorDivide(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return std::nullopt;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Rounded towards plus infinity; absent: division by zero.
inline std::optional<int64_t> CheckedCeilDivide(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return std::nullopt;
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

/// With the sign of `b`, as Python's `%`; absent: division by zero.
inline std::optional<int64_t> CheckedModulo(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Absent: negative exponent.
inline std::optional<int64_t> CheckedPower(int64_t base, int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent > 63) return std::nullopt;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_CHECKED_H_
