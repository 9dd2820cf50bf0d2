// Laws of guard systems: more guards, another order, no bounds, many variables.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "constraint_reference.h"
#include "support/catch.h"
#include "symbolic/constraint_system.h"

namespace shapewise {
namespace {

using Texts = std::vector<std::string>;

class Solved {
 public:
  Solved(const Texts& guards, int num_symbols, const Interval& domain) {
    for (int i = 0; i < num_symbols; ++i) system.AddVariable(Symbol(i), domain);
    for (const std::string& guard : guards) {
      parsed.push_back(pool.Parse(guard));
      system.AddConstraint(parsed.back());
    }
  }
  ExprId Symbol(int number) { return pool.Symbol("s" + std::to_string(number)); }
  VariableAnalysis Of(int number) { return system.Analyze(Symbol(number)); }
  /// Whether all guards hold at a point.
  bool Holds(const std::vector<int64_t>& point) const {
    const auto value_of = [&](ExprId symbol) -> std::optional<int64_t> {
      return point[static_cast<size_t>(pool.name(symbol).back() - '0')];
    };
    return std::all_of(parsed.begin(), parsed.end(),
                       [&](ExprId guard) { return pool.Evaluate(guard, value_of) == 1; });
  }

  ExprPool pool;
  ConstraintSystem system{pool};
  std::vector<ExprId> parsed;
};

bool IsWithin(const VariableAnalysis& analysis, int64_t value) {
  if (analysis.range.lower && value < *analysis.range.lower) return false;
  if (analysis.range.upper && value > *analysis.range.upper) return false;
  const Congruence& congruence = analysis.congruence;
  if (congruence.modulus == 0) return value == congruence.remainder;
  const auto modulus = static_cast<int64_t>(congruence.modulus);
  return ((value - congruence.remainder) % modulus + modulus) % modulus == 0;
}

TEST_CASE("one more guard never frees a variable, and their order does not matter", "[symbolic]") {
  GuardDrawer drawer(7);
  const Interval domain{0, 40};
  for (int i = 0; i < 800; ++i) {
    const auto num_symbols = static_cast<int>(drawer.Number(1, 3));
    Texts guards;
    const auto num_guards = static_cast<size_t>(drawer.Number(2, 4));
    while (guards.size() < num_guards) guards.push_back(drawer.Draw(num_symbols, 40));
    std::string text;
    for (const std::string& guard : guards) text += guard + "\n";
    INFO(text);
    Solved all(guards, num_symbols, domain);
    Solved fewer({guards.begin(), guards.end() - 1}, num_symbols, domain);
    Solved reversed({guards.rbegin(), guards.rend()}, num_symbols, domain);
    for (int symbol = 0; symbol < num_symbols; ++symbol) {
      const VariableAnalysis with = all.Of(symbol);
      const VariableAnalysis without = fewer.Of(symbol);
      const VariableAnalysis other = reversed.Of(symbol);
      REQUIRE(with.freedom == other.freedom);
      REQUIRE(with.range == other.range);
      REQUIRE(with.range == all.system.RangeOf(all.Symbol(symbol)));
      REQUIRE(with.congruence == other.congruence);
      REQUIRE(with.culprits.size() == other.culprits.size());
      if (with.freedom == Freedom::kFree) REQUIRE(without.freedom == Freedom::kFree);
      if (without.freedom == Freedom::kImpossible) REQUIRE(with.freedom == Freedom::kImpossible);
      if (with.freedom == Freedom::kImpossible) continue;
      REQUIRE(IsWithin(without, *with.range.lower));
      REQUIRE(IsWithin(without, *with.range.upper));
      if (without.freedom == Freedom::kPinned) REQUIRE(with.value == without.value);
    }
  }
}

TEST_CASE("without bounds, what is said agrees with the values up to 200", "[symbolic]") {
  constexpr int64_t kEnd = 200;
  // Guards of small numbers give a small value partners that are not far away.
  constexpr int64_t kCertain = 12;
  constexpr int kCases = 300;
  GuardDrawer drawer(11);
  int num_unknown = 0;
  int num_infinite = 0;
  for (int i = 0; i < kCases; ++i) {
    Texts guards;
    const auto num_guards = static_cast<size_t>(drawer.Number(1, 3));
    while (guards.size() < num_guards) guards.push_back(drawer.Draw(2, 20));
    std::string text;
    for (const std::string& guard : guards) text += guard + "\n";
    INFO(text);
    Solved solved(guards, 2, {2, std::nullopt});
    std::vector<bool> occurs[2] = {std::vector<bool>(kEnd + 1), std::vector<bool>(kEnd + 1)};
    bool is_satisfiable = false;
    for (int64_t x = 2; x <= kEnd; ++x) {
      for (int64_t y = 2; y <= kEnd; ++y) {
        if (!solved.Holds({x, y})) continue;
        occurs[0][static_cast<size_t>(x)] = true;
        occurs[1][static_cast<size_t>(y)] = true;
        is_satisfiable = true;
      }
    }
    const Truth truth = solved.system.IsSatisfiable();
    if (is_satisfiable) REQUIRE(truth != Truth::kFalse);
    for (int symbol = 0; symbol < 2; ++symbol) {
      const VariableAnalysis analysis = solved.Of(symbol);
      INFO("s" << symbol << " freedom " << static_cast<int>(analysis.freedom));
      num_unknown += analysis.freedom == Freedom::kUnknown ? 1 : 0;
      if (analysis.freedom == Freedom::kImpossible) {
        REQUIRE_FALSE(is_satisfiable);
        continue;
      }
      num_infinite += analysis.freedom != Freedom::kUnknown && !analysis.range.upper ? 1 : 0;
      const bool is_filled =
          analysis.freedom != Freedom::kUnknown && analysis.freedom != Freedom::kRestricted;
      for (int64_t value = 2; value <= kEnd; ++value) {
        const bool does_occur = occurs[symbol][static_cast<size_t>(value)];
        if (does_occur) REQUIRE(IsWithin(analysis, value));
        if (is_filled && value <= kCertain && IsWithin(analysis, value)) REQUIRE(does_occur);
      }
    }
  }
  // Products and quotients of two unbounded sizes may end as unknown: one answer of twenty.
  CHECK(num_unknown <= 2 * kCases / 20);
  CHECK(num_infinite >= kCases / 4);
}

TEST_CASE("five hundred guards over a hundred sizes take few steps", "[symbolic]") {
  // Counted in steps, so that the test does not depend on a machine.
  constexpr uint64_t kSteps = 20'000;
  ExprPool pool;
  ConstraintSystem system(pool, kSteps);
  const auto size = [](int number) { return "L['x" + std::to_string(number) + "'].size()[0]"; };
  for (int i = 0; i < 100; ++i) {
    system.AddVariable(pool.Symbol(size(i)), {2, std::nullopt});
    // Four sizes each are equal to the first of them, which is a multiple of eight.
    const std::string first = size(i / 4 * 4);
    for (const std::string& guard :
         {"2 <= " + size(i), size(i) + " <= " + std::to_string(1024 + i % 4 * 100),
          i % 4 == 0 ? first + " % 8 == 0" : size(i) + " == " + first,
          size(i) + "*" + first + " < 2147483648", "Ne(" + size(i) + ", 1)"}) {
      system.AddConstraint(pool.Parse(guard));
    }
  }
  CHECK(system.IsSatisfiable() == Truth::kTrue);
  for (int i = 0; i < 100; ++i) {
    const VariableAnalysis analysis = system.Analyze(pool.Symbol(size(i)));
    INFO(size(i));
    REQUIRE(analysis.freedom == Freedom::kDivisible);
    REQUIRE(analysis.range == Interval{8, 1024});
    REQUIRE(analysis.congruence == Congruence{8, 0});
    // The bound and the divisor of the first, and what makes this one equal to it.
    const auto group = static_cast<size_t>(i / 4 * 20);
    std::vector<size_t> expected = {group + 1, group + 2};
    if (i % 4 != 0) expected.push_back(group + static_cast<size_t>(i % 4) * 5 + 2);
    REQUIRE(analysis.culprits == expected);
    REQUIRE(analysis.culprits_are_minimal);
  }
}

}  // namespace
}  // namespace shapewise
