// What is known of symbols, and what follows from it: proofs that may say "unknown".

#ifndef SHAPEWISE_SYMBOLIC_FACTS_H_
#define SHAPEWISE_SYMBOLIC_FACTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// The outcome of a proof. kTrue and kFalse hold for every value that the facts allow.
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

/// Predicates that are taken to hold together.
class Facts {
 public:
  explicit Facts(ExprPool& pool);
  ~Facts();
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  /// Takes `predicate` to hold from now on. What it says beyond intervals, congruences and
  /// equalities is kept and compared literally.
  void Assume(ExprId predicate);

  /// Takes lower <= symbol <= upper to hold.
  void AssumeRange(ExprId symbol, const Interval& range);

  /// Bounds of `expression`; they may be wider than what the facts allow, never narrower.
  Interval RangeOf(ExprId expression) const;
  Congruence CongruenceOf(ExprId expression) const;

  /// Whether `predicate` follows from the facts (kTrue), or its negation does (kFalse).
  Truth Prove(ExprId predicate) const;

  /// Whether the facts were shown to contradict each other. Then everything follows.
  bool IsContradictory() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_FACTS_H_
