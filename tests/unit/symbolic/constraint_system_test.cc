// Systems of guards that a person can follow.

#include "symbolic/constraint_system.h"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr Interval kSize{2, std::nullopt};  // the normal domain of a dynamic size

struct Guards {
  ExprPool pool;
  ConstraintSystem system{pool};

  Guards(std::initializer_list<std::string_view> symbols,
         std::initializer_list<std::string_view> predicates, const Interval& domain = kSize) {
    for (const std::string_view symbol : symbols) system.AddVariable(pool.Symbol(symbol), domain);
    for (const std::string_view predicate : predicates) {
      system.AddConstraint(pool.Parse(predicate));
    }
  }
  VariableAnalysis Of(std::string_view symbol) { return system.Analyze(pool.Symbol(symbol)); }
};

using Indices = std::vector<size_t>;

TEST_CASE("guards that pin a dim only together are all named", "[symbolic]") {
  // pytorch#191833
  Guards guards({"a", "b"}, {"a <= b", "a >= b", "a + b == 10"});
  for (const std::string_view symbol : {"a", "b"}) {
    const VariableAnalysis analysis = guards.Of(symbol);
    CHECK(analysis.freedom == Freedom::kPinned);
    CHECK(analysis.value == 5);
    CHECK(analysis.culprits == Indices{0, 1, 2});
    CHECK(analysis.culprits_are_minimal);
  }
  CHECK(guards.system.IsSatisfiable() == Truth::kTrue);
}

TEST_CASE("one guard makes a size divisible, bounded, restricted or pinned", "[symbolic]") {
  struct Row {
    std::string_view guard;
    Freedom freedom;
    Interval range;
    Congruence congruence;
  };
  const Row rows[] = {
      {"Eq(Mod(s0, 8), 0)", Freedom::kDivisible, {8, std::nullopt}, {8, 0}},
      {"s0 <= 64", Freedom::kBounded, {2, 64}, {1, 0}},
      {"s0 >= 3", Freedom::kBounded, {3, std::nullopt}, {1, 0}},
      {"Ne(s0, 5)", Freedom::kRestricted, kSize, {1, 0}},
      {"Eq(s0, 5)", Freedom::kPinned, {5, 5}, {0, 5}},
      {"s0 < 3", Freedom::kPinned, {2, 2}, {0, 2}},
      {"Ne(Mod(s0, 8), 0)", Freedom::kRestricted, kSize, {1, 0}},
      {"Ne(s0, 1)", Freedom::kFree, kSize, {1, 0}},
      {"s0 < 1", Freedom::kImpossible, {1, 0}, {1, 0}},
      {"Eq(s0//4, 3)", Freedom::kBounded, {12, 15}, {1, 0}},
      {"Eq(s0, 4) | Eq(s0, 16)", Freedom::kDivisible, {4, 16}, {12, 4}},
      {"(s0 == 4) or (s0 == 16) or (s0 == 9)", Freedom::kRestricted, {4, 16}, {1, 0}},
      {"Max(1, s0) <= 7", Freedom::kBounded, {2, 7}, {1, 0}},
      {"Eq(Max(2, s0), s0)", Freedom::kFree, kSize, {1, 0}},
      {"Eq(s0*s0, 49)", Freedom::kPinned, {7, 7}, {0, 7}},
      {"2*s0 < 2147483648", Freedom::kBounded, {2, 1073741823}, {1, 0}},
      {"Eq(Mod(s0 + 3, 4), 1)", Freedom::kDivisible, kSize, {4, 2}},
      {"Eq(CeilDiv(s0, 64), 2)", Freedom::kBounded, {65, 128}, {1, 0}},
      {"IntTrueDiv(s0, 4) < 3", Freedom::kBounded, {2, 11}, {1, 0}},
  };
  for (const Row& row : rows) {
    INFO(row.guard);
    Guards guards({"s0"}, {row.guard});
    const VariableAnalysis analysis = guards.Of("s0");
    CHECK(analysis.freedom == row.freedom);
    CHECK(analysis.range == row.range);
    CHECK(analysis.congruence == row.congruence);
    CHECK(analysis.culprits == (row.freedom == Freedom::kFree ? Indices{} : Indices{0}));
    CHECK(analysis.culprits_are_minimal);
  }
}

TEST_CASE("relations between unbounded sizes", "[symbolic]") {
  struct Row {
    std::vector<std::string_view> guards;
    std::string_view symbol;
    Freedom freedom;
    Interval range;
    Congruence congruence;
    Indices culprits;
  };
  const Row rows[] = {
      // Seen alone each of two equal sizes may be anything.
      {{"Eq(s0, s1)"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"Eq(s0, 2*s1)"}, "s0", Freedom::kDivisible, {4, std::nullopt}, {2, 0}, {0}},
      {{"Eq(s0, 2*s1)"}, "s1", Freedom::kFree, kSize, {1, 0}, {}},
      {{"Ne(s0, s1)"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"s0 < s1"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"s0 < s1"}, "s1", Freedom::kBounded, {3, std::nullopt}, {1, 0}, {0}},
      {{"s0 < s1", "s1 < s2"}, "s2", Freedom::kBounded, {4, std::nullopt}, {1, 0}, {0, 1}},
      {{"s0 < s1", "s1 <= s0"}, "s2", Freedom::kImpossible, {1, 0}, {1, 0}, {0, 1}},
      {{"s0 < s1", "s1 < s2", "s2 < s0"}, "s0", Freedom::kImpossible, {1, 0}, {1, 0}, {0, 1, 2}},
      {{"s0 <= s1", "s1 <= s0", "Ne(s0, s1)"},
       "s0",
       Freedom::kImpossible,
       {1, 0},
       {1, 0},
       {0, 1, 2}},
      {{"Eq(2*s0, 2*s1 + 1)"}, "s0", Freedom::kImpossible, {1, 0}, {1, 0}, {0}},
      {{"Eq(s0*s1, 512)"}, "s0", Freedom::kRestricted, {2, 256}, {2, 0}, {0}},
      {{"s0*s1 < 2147483648"}, "s0", Freedom::kBounded, {2, 1073741823}, {1, 0}, {0}},
      {{"s0*s1 >= 2"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"Eq(Mod(s0*s1, 8), 0)"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"Eq(s0, s1)", "Eq(s1, s2)", "Eq(Mod(s2, 16), 0)", "s2 <= 4096"},
       "s0",
       Freedom::kDivisible,
       {16, 4096},
       {16, 0},
       {0, 1, 2, 3}},
      {{"Eq(s0, s1 - s2)", "s1 <= s2 + 3", "s1 >= s2 - 2"},
       "s0",
       Freedom::kBounded,
       {2, 3},
       {1, 0},
       {0, 1}},
      {{"Eq(Max(s0, s1), s2)", "s2 <= 10"}, "s0", Freedom::kBounded, {2, 10}, {1, 0}, {0, 1}},
      {{"Eq(s0, s1 + s2)"}, "s0", Freedom::kBounded, {4, std::nullopt}, {1, 0}, {0}},
      {{"Eq(s0, s1)", "Eq(s0, s2)", "Eq(s1, 7)", "s0 < 100"},
       "s2",
       Freedom::kPinned,
       {7, 7},
       {0, 7},
       {0, 1, 2}},
      {{"s0 < s1 or s0 > s1"}, "s0", Freedom::kFree, kSize, {1, 0}, {}},
      {{"Eq(4*s0, 3*s1)"}, "s0", Freedom::kDivisible, {3, std::nullopt}, {3, 0}, {0}},
  };
  for (const Row& row : rows) {
    Guards guards({"s0", "s1", "s2"}, {});
    for (const std::string_view guard : row.guards) {
      UNSCOPED_INFO(guard);
      guards.system.AddConstraint(guards.pool.Parse(guard));
    }
    INFO(row.symbol);
    const VariableAnalysis analysis = guards.Of(row.symbol);
    CHECK(analysis.freedom == row.freedom);
    CHECK(analysis.range == row.range);
    CHECK(analysis.congruence == row.congruence);
    CHECK(analysis.culprits == row.culprits);
    CHECK(analysis.culprits_are_minimal);
  }
}

TEST_CASE("symbols without a domain may be any integer", "[symbolic]") {
  Guards guards({}, {"Eq(Mod(u0, 3), 1)", "u1 < 0", "Ne(u2, 0)"});
  CHECK(guards.Of("u0").freedom == Freedom::kDivisible);
  CHECK(guards.Of("u0").range == Interval{});
  CHECK(guards.Of("u0").congruence == Congruence{3, 1});
  CHECK(guards.Of("u1").freedom == Freedom::kBounded);
  CHECK(guards.Of("u1").range == Interval{std::nullopt, -1});
  CHECK(guards.Of("u2").freedom == Freedom::kRestricted);
  CHECK(guards.Of("u3").freedom == Freedom::kFree);
}

TEST_CASE("a smaller set of guards is preferred, then the first", "[symbolic]") {
  Guards guards({"a", "b"}, {"a <= b", "a >= b", "a + b == 10", "a == 5", "5 == a"});
  CHECK(guards.Of("a").culprits == Indices{3});
  CHECK(guards.Of("b").culprits == Indices{2, 3});
}

TEST_CASE("a contradiction makes every variable impossible", "[symbolic]") {
  Guards guards({"a", "b", "c"}, {"a < 10", "b == 3", "a > 20", "b < 100"});
  CHECK(guards.system.IsSatisfiable() == Truth::kFalse);
  for (const std::string_view symbol : {"a", "b", "c"}) {
    CHECK(guards.Of(symbol).freedom == Freedom::kImpossible);
    CHECK(guards.Of(symbol).culprits == Indices{0, 2});
  }
}

TEST_CASE("a domain may contradict itself, or pin its variable", "[symbolic]") {
  Guards guards({}, {"a < 10"});
  guards.system.AddVariable(guards.pool.Symbol("one"), {7, 7});
  CHECK(guards.Of("one").freedom == Freedom::kPinned);
  CHECK(guards.Of("one").value == 7);
  CHECK(guards.Of("one").culprits.empty());
  guards.system.AddVariable(guards.pool.Symbol("none"), {5, 3});
  CHECK(guards.Of("a").freedom == Freedom::kImpossible);
  CHECK(guards.Of("a").culprits.empty());
  CHECK(guards.system.IsSatisfiable() == Truth::kFalse);
}

TEST_CASE("a division by zero is false, and does not hide other conditions", "[symbolic]") {
  Guards guards({"a", "b"}, {"(b == 0) or (a // b == 2)"}, {0, 8});
  CHECK(guards.Of("a").freedom == Freedom::kFree);  // b may be 0
  CHECK(guards.Of("b").range == Interval{0, 4});
  Guards strict({"a", "b"}, {"a // b >= 0"}, {0, 8});
  CHECK(strict.Of("b").freedom == Freedom::kBounded);
  CHECK(strict.Of("b").range == Interval{1, 8});
}

TEST_CASE("an unparsed guard makes only the sizes unknown that it could affect", "[symbolic]") {
  Guards guards({"a", "b", "c"}, {"mystery(a) < 3", "b == 4", "mystery(b) == 1", "c % 2 == 0"});
  CHECK(guards.Of("a").freedom == Freedom::kUnknown);
  CHECK(guards.Of("b").freedom == Freedom::kPinned);
  CHECK(guards.Of("b").culprits == Indices{1});
  CHECK(guards.Of("c").freedom == Freedom::kDivisible);
  CHECK(guards.system.IsSatisfiable() == Truth::kUnknown);

  Guards bounded({"a"}, {"mystery(a) < 3", "a <= 9"});
  CHECK(bounded.Of("a").freedom == Freedom::kUnknown);
  CHECK(bounded.Of("a").range == Interval{2, 9});

  Guards impossible({"a"}, {"mystery(a) < 3", "a < 2"});
  CHECK(impossible.Of("a").freedom == Freedom::kImpossible);
  CHECK(impossible.Of("a").culprits == Indices{1});
  CHECK(impossible.system.IsSatisfiable() == Truth::kFalse);

  // A part of "and" is used although another part is not understood.
  Guards part({"a"}, {"(a == 6) and (mystery(a) < 3)"});
  CHECK(part.Of("a").freedom == Freedom::kPinned);

  Guards unread({"a", "b"}, {"a == 3"});
  unread.system.AddConstraint(ExprId::kNone);
  CHECK(unread.Of("a").freedom == Freedom::kPinned);
  CHECK(unread.Of("b").freedom == Freedom::kUnknown);
  CHECK(unread.system.IsSatisfiable() == Truth::kUnknown);
}

TEST_CASE("further guards are asked about without being kept", "[symbolic]") {
  Guards guards({"a", "b"}, {"a <= b", "b <= 10"});
  const ExprId larger[] = {guards.pool.Parse("a > 10")};
  CHECK(guards.system.IsSatisfiable(larger) == Truth::kFalse);
  const ExprId new_symbol[] = {guards.pool.Parse("z == a + b"), guards.pool.Parse("z == 20")};
  CHECK(guards.system.IsSatisfiable(new_symbol) == Truth::kTrue);
  CHECK(guards.system.IsSatisfiable() == Truth::kTrue);
}

TEST_CASE("numbers near the ends of 64 bits stay right or become unknown", "[symbolic]") {
  constexpr int64_t kHuge = int64_t{1} << 62;
  Guards guards({}, {"a == b + 1", "b >= 4611686018427387904", "c*c*c*c > 9223372036854775807"});
  CHECK(guards.Of("a").range.lower == kHuge + 1);
  CHECK(guards.Of("a").freedom == Freedom::kBounded);
  CHECK(guards.Of("c").freedom != Freedom::kFree);

  Guards wide({"x", "y"}, {"x + y > 9223372036854775807"}, {0, INT64_MAX - 1});
  CHECK(wide.system.IsSatisfiable() != Truth::kFalse);
  Guards product({"x", "y"}, {"x*y == 9223372036854775806"}, {kHuge, INT64_MAX - 1});
  CHECK(product.system.IsSatisfiable() != Truth::kTrue);
}

}  // namespace
}  // namespace shapewise
