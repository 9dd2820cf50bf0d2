// Laws, checked on random expressions by enumerating values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "random_expression.h"
#include "shapewise/symbolic/expression.h"
#include "shapewise/symbolic/facts.h"
#include "support/catch.h"

namespace shapewise {
namespace {

constexpr int kExpressions = 20'000;
constexpr int kSystems = 25'000;

struct Box {
  Interval sides[kNumSymbols];

  template <typename Visit>
  void ForEach(Visit visit) const {
    Point point{};
    for (point[0] = *sides[0].lower; point[0] <= *sides[0].upper; ++point[0]) {
      for (point[1] = *sides[1].lower; point[1] <= *sides[1].upper; ++point[1]) {
        for (point[2] = *sides[2].lower; point[2] <= *sides[2].upper; ++point[2]) visit(point);
      }
    }
  }
};

Box DrawBox(ExpressionDrawer& drawer) {
  Box box;
  for (Interval& side : box.sides) {
    side.lower = drawer.Number(-3, 3);
    side.upper = *side.lower + drawer.Number(0, 5);
  }
  return box;
}

bool Contains(const Interval& interval, int64_t value) {
  return (!interval.lower || *interval.lower <= value) &&
         (!interval.upper || value <= *interval.upper);
}

bool Contains(const Congruence& congruence, int64_t value) {
  if (congruence.modulus == 0) return value == congruence.remainder;
  const auto modulus = static_cast<int64_t>(congruence.modulus);
  return ((value % modulus) + modulus) % modulus == congruence.remainder;
}

TEST_CASE("simplified expressions keep their value wherever they had one", "[symbolic]") {
  ExpressionDrawer drawer(1);
  for (int i = 0; i < kExpressions; ++i) {
    ExprPool pool;
    const DrawnExpression drawn = i % 4 == 0 ? drawer.DrawPredicate(3) : drawer.Draw(4);
    const ExprId id = drawn.Build(pool);
    REQUIRE(id != ExprId::kNone);
    const std::string text = pool.ToText(id);
    const ExprId again = pool.Parse(text);
    if (again != id) FAIL(text << " is read as " << pool.ToText(again));
    for (int sample = 0; sample < 12; ++sample) {
      const Point point = {drawer.Number(-9, 9), drawer.Number(-9, 9), drawer.Number(-9, 9)};
      const auto expected = drawn.ValueAt(point);
      const auto value = pool.Evaluate(id, ValuesAt(pool, point));
      if (expected && value != expected) {
        FAIL(text << " at " << point[0] << ", " << point[1] << ", " << point[2] << " is "
                  << *expected);
      }
    }
  }
}

TEST_CASE("what is proved holds for all values that the facts allow", "[facts]") {
  ExpressionDrawer drawer(2);
  int proved = 0;
  int contradictory = 0;
  for (int i = 0; i < kSystems; ++i) {
    ExprPool pool;
    Facts facts(pool);
    const Box box = DrawBox(drawer);
    std::string story;
    if (drawer.Number(0, 3) != 0) {
      for (int symbol = 0; symbol < kNumSymbols; ++symbol) {
        const std::string name = "s" + std::to_string(symbol);
        facts.AssumeRange(pool.Symbol(name), box.sides[symbol]);
        story += name + " in " + std::to_string(*box.sides[symbol].lower) + ".." +
                 std::to_string(*box.sides[symbol].upper) + "; ";
      }
    }
    std::vector<DrawnExpression> assumed;
    for (int64_t n = drawer.Number(0, 3); n > 0; --n) {
      assumed.push_back(drawer.DrawPredicate(1));
      const ExprId id = assumed.back().Build(pool);
      story += pool.ToText(id) + "; ";
      facts.Assume(id);
    }
    const DrawnExpression predicate = drawer.DrawPredicate(1);
    const ExprId predicate_id = predicate.Build(pool);
    const DrawnExpression size = drawer.Draw(3);
    const ExprId size_id = size.Build(pool);

    const Truth truth = facts.Prove(predicate_id);
    const Interval range = facts.RangeOf(size_id);
    const Congruence congruence = facts.CongruenceOf(size_id);
    const bool is_contradictory = facts.IsContradictory();
    proved += truth != Truth::kUnknown;
    contradictory += is_contradictory;
    box.ForEach([&](const Point& point) {
      for (const DrawnExpression& fact : assumed) {
        if (fact.ValueAt(point).value_or(0) == 0) return;
      }
      INFO(story << "at " << point[0] << ", " << point[1] << ", " << point[2]);
      if (is_contradictory) FAIL("has a solution");
      const auto holds = predicate.ValueAt(point);
      if (holds && truth != Truth::kUnknown && (*holds != 0) != (truth == Truth::kTrue)) {
        FAIL(pool.ToText(predicate_id) << " is " << *holds);
      }
      const auto value = size.ValueAt(point);
      if (value && (!Contains(range, *value) || !Contains(congruence, *value))) {
        FAIL(pool.ToText(size_id) << " is " << *value);
      }
    });
  }
  // A prover that always says "unknown" would be sound.
  CHECK(proved > kSystems / 4);
  CHECK(contradictory > kSystems / 20);
}

}  // namespace
}  // namespace shapewise
