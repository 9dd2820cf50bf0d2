// What follows from facts about sizes.

#include "shapewise/symbolic/facts.h"

#include <initializer_list>
#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

struct Known {
  explicit Known(std::initializer_list<std::string_view> predicates) : facts(pool) {
    for (const std::string_view predicate : predicates) {
      const ExprId id = pool.Parse(predicate);
      REQUIRE(id != ExprId::kNone);
      facts.Assume(id);
    }
  }
  Truth Prove(std::string_view predicate) {
    const ExprId id = pool.Parse(predicate);
    REQUIRE(id != ExprId::kNone);
    return facts.Prove(id);
  }
  Interval RangeOf(std::string_view text) { return facts.RangeOf(pool.Parse(text)); }
  Congruence CongruenceOf(std::string_view text) { return facts.CongruenceOf(pool.Parse(text)); }

  ExprPool pool;
  Facts facts;
};

TEST_CASE("nothing is known without facts, but for what holds of all integers", "[facts]") {
  Known known({});
  CHECK(known.Prove("s0 >= 2") == Truth::kUnknown);
  CHECK(known.Prove("Eq(s0, s1)") == Truth::kUnknown);
  CHECK(known.Prove("Eq(Mod(2*s0, 2), 0)") == Truth::kTrue);
  CHECK(known.Prove("Mod(s0, 8) < 8") == Truth::kTrue);
  CHECK(known.Prove("Mod(s0, 8) >= 0") == Truth::kTrue);
  CHECK(known.Prove("Eq(8*(s0//8) + Mod(s0, 8), s0)") == Truth::kTrue);
  CHECK(known.Prove("Max(s0, s1) >= s1") == Truth::kTrue);
  CHECK(known.Prove("Abs(s0) >= 0") == Truth::kTrue);
  CHECK(known.Prove("s0**2 >= 0") == Truth::kTrue);
  CHECK(known.Prove("Eq(2*s0, 2*s1 + 1)") == Truth::kFalse);
  CHECK(known.RangeOf("Mod(s0, 8)") == Interval{0, 7});
  CHECK_FALSE(known.facts.IsContradictory());
}

TEST_CASE("ranges prove what Dynamo's guards ask", "[facts]") {
  Known known({"2 <= s0", "2 <= s1", "s1 <= 1024"});
  CHECK(known.Prove("s0 >= 2") == Truth::kTrue);
  CHECK(known.Prove("s0 > 0") == Truth::kTrue);
  CHECK(known.Prove("Ne(s0, 0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(s0, 1)") == Truth::kFalse);
  CHECK(known.Prove("(s0//2) <= s0") == Truth::kTrue);
  CHECK(known.Prove("s0*s1 >= 4") == Truth::kTrue);
  CHECK(known.Prove("Eq(Max(1, s0), s0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(Min(1, s0), 1)") == Truth::kTrue);
  CHECK(known.Prove("s0*s1 >= s0") == Truth::kTrue);
  CHECK(known.Prove("s0*s1 - s0 >= 2") == Truth::kTrue);  // s0*(s1 - 1)
  CHECK(known.Prove("(s0//s1) <= s0") == Truth::kTrue);
  CHECK(known.Prove("Mod(s0, 8) <= s0") == Truth::kTrue);
  CHECK(known.Prove("s0*s1 >= s0 + s1") == Truth::kUnknown);  // true, but beyond the means
  CHECK(known.Prove("s1 < 1025") == Truth::kTrue);
  CHECK(known.Prove("s0 < 1025") == Truth::kUnknown);
  CHECK(known.Prove("s0 >= 2 and s1 <= 1024") == Truth::kTrue);
  CHECK(known.Prove("s0 >= 3 or s1 <= 1024") == Truth::kTrue);
  CHECK(known.Prove("s0 <= 1 and foo(s1)") == Truth::kFalse);
  CHECK(known.Prove("s0/2 >= 1") == Truth::kTrue);
  CHECK(known.RangeOf("2*s1 + 1") == Interval{5, 2049});
  CHECK(known.RangeOf("-s1") == Interval{-1024, -2});
  CHECK(known.RangeOf("(s1//16)") == Interval{0, 64});
  CHECK(known.RangeOf("s0") == Interval{2, std::nullopt});
}

TEST_CASE("residues carry over", "[facts]") {
  Known known({"Eq(Mod(s0, 8), 0)", "s0 >= 2", "Eq(Mod(s1, 4), 1)"});
  CHECK(known.Prove("Eq(8*(s0//8), s0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(Mod(s0, 4), 0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(Mod(s0*s1, 8), 0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(Mod(s0 + s1, 4), 1)") == Truth::kTrue);
  CHECK(known.Prove("Eq(s0, 12)") == Truth::kFalse);
  CHECK(known.Prove("Eq(s0, s1)") == Truth::kFalse);
  CHECK(known.Prove("Eq(Mod(s0, 16), 0)") == Truth::kUnknown);
  CHECK(known.CongruenceOf("s0//2") == Congruence{4, 0});
  CHECK(known.CongruenceOf("s0 + s1") == Congruence{4, 1});
  CHECK(known.RangeOf("s0") == Interval{8, std::nullopt});
}

TEST_CASE("equalities with offsets and factors are substituted", "[facts]") {
  Known known({"Eq(s0, s1 + 1)", "Eq(s2, 2*s1)", "s1 >= 3", "Eq(s3, s4)", "Eq(s4, 7)"});
  CHECK(known.Prove("s0 >= 4") == Truth::kTrue);
  CHECK(known.Prove("s2 > s0") == Truth::kTrue);
  CHECK(known.Prove("Eq(Mod(s2, 2), 0)") == Truth::kTrue);
  CHECK(known.Prove("Eq(2*s0, s2 + 2)") == Truth::kTrue);
  CHECK(known.RangeOf("s3") == Interval{7, 7});
  CHECK_FALSE(known.facts.IsContradictory());
}

TEST_CASE("an equality without a unit coefficient gives residues", "[facts]") {
  Known known({"Eq(2*s0, 3*s1)", "s0 >= 1", "s0 <= 5"});
  CHECK(known.RangeOf("s0") == Interval{3, 3});
  CHECK(known.RangeOf("s1") == Interval{2, 2});
}

TEST_CASE("orders chain", "[facts]") {
  Known known({"s0 <= s1", "s1 < s2", "s2 <= s3", "s3 <= 64"});
  CHECK(known.Prove("s0 < s3") == Truth::kTrue);
  CHECK(known.Prove("s3 <= s0") == Truth::kFalse);
  CHECK(known.RangeOf("s0") == Interval{std::nullopt, 63});
}

TEST_CASE("facts about quotients, products and maxima reach their operands", "[facts]") {
  CHECK(Known({"s0//8 >= 3"}).RangeOf("s0") == Interval{24, std::nullopt});
  CHECK(Known({"Eq(s0//8, 3)"}).RangeOf("s0") == Interval{24, 31});
  CHECK(Known({"Max(s0, s1) <= 9"}).RangeOf("s1") == Interval{std::nullopt, 9});
  CHECK(Known({"Max(1, s0) >= 5"}).RangeOf("s0") == Interval{5, std::nullopt});
  CHECK(Known({"s0*s1 <= 64", "s1 >= 4", "s0 >= 0"}).RangeOf("s0") == Interval{0, 16});
}

TEST_CASE("excluded values move bounds", "[facts]") {
  Known known({"s0 >= 0", "Ne(s0, 0)", "Ne(s0, 1)", "Ne(s0, 9)", "Ne(s1, s2)"});
  CHECK(known.RangeOf("s0") == Interval{2, std::nullopt});
  CHECK(known.Prove("Eq(s0, 9)") == Truth::kFalse);
  CHECK(known.Prove("Eq(2*s1, 2*s2)") == Truth::kFalse);
}

TEST_CASE("of alternatives the only possible one holds", "[facts]") {
  Known known({"Eq(s0, 1) or s0 >= 8", "s0 >= 2"});
  CHECK(known.RangeOf("s0") == Interval{8, std::nullopt});
}

TEST_CASE("what is not understood is compared literally", "[facts]") {
  Known known({"foo(s0)", "not bar(s0)", "zf0 < 0.5", "L['flag']"});
  CHECK(known.Prove("foo(s0)") == Truth::kTrue);
  CHECK(known.Prove("bar(s0)") == Truth::kFalse);
  CHECK(known.Prove("not foo(s0)") == Truth::kFalse);
  CHECK(known.Prove("foo(s1)") == Truth::kUnknown);
  CHECK(known.Prove("zf0 < 0.5") == Truth::kTrue);
  CHECK(known.Prove("zf0 < 1.5") == Truth::kUnknown);
  CHECK(known.Prove("L['flag']") == Truth::kTrue);
}

TEST_CASE("contradictions are found", "[facts]") {
  CHECK(Known({"s0 >= 2", "s0 <= 1"}).facts.IsContradictory());
  CHECK(Known({"Eq(s0, 3)", "Eq(s0, 4)"}).facts.IsContradictory());
  CHECK(Known({"Eq(Mod(s0, 2), 0)", "Eq(Mod(s0, 4), 1)"}).facts.IsContradictory());
  CHECK(Known({"s0 < s1", "s1 < s0"}).facts.IsContradictory());
  CHECK(Known({"s0 < s1", "s1 < s2", "s2 < s0"}).facts.IsContradictory());
  CHECK(Known({"Eq(2*s0, 2*s1 + 1)"}).facts.IsContradictory());
  CHECK(Known({"s0 >= 2", "s1 >= 8", "Eq(s0*s1, 7)"}).facts.IsContradictory());
  CHECK(Known({"Eq(s0, 4)", "Ne(s0, 4)"}).facts.IsContradictory());
  CHECK(Known({"False"}).Prove("Eq(s0, 5)") == Truth::kTrue);
  CHECK_FALSE(Known({"s0 < s1", "s1 < s2"}).facts.IsContradictory());
}

}  // namespace
}  // namespace shapewise
