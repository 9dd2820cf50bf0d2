// Laws, checked on random expressions by enumerating values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "random_expression.h"
#include "support/catch.h"
#include "symbolic/expression.h"

namespace shapewise {
namespace {

constexpr int kExpressions = 20'000;

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

}  // namespace
}  // namespace shapewise
