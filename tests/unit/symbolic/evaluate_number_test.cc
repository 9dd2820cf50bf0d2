// Expressions over floats have the values that Python gives them.

#include "symbolic/evaluate_number.h"

#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

std::optional<double> Value(std::string_view text, double a, double n) {
  ExprPool pool;
  return EvaluateNumber(pool, pool.Parse(text), [&](ExprId symbol) -> std::optional<double> {
    if (pool.name(symbol) == "L['a']") return a;
    if (pool.name(symbol) == "L['x'].size()[2]") return n;
    return std::nullopt;
  });
}

TEST_CASE("floats are compared and rounded as Python does it", "[dynamo]") {
  CHECK(Value("L['a'] > 0.5", 0.75, 0) == 1.0);
  CHECK(Value("L['a'] > 0.5", 0.5, 0) == 0.0);
  CHECK(Value("L['a'] == 1.5", 1.5, 0) == 1.0);
  CHECK(Value("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) >= 2", 0, 5) == 1.0);
  CHECK(Value("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) >= 2", 0, 3) == 0.0);
  CHECK(Value("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) != 1", 0, 3) == 0.0);
}

TEST_CASE("an expression without a finite value is absent", "[dynamo]") {
  CHECK_FALSE(Value("L['b'] > 0.5", 1, 1).has_value());
  CHECK_FALSE(Value("unheard_of(L['a'], 0.5)", 1, 1).has_value());
  CHECK_FALSE(Value("0.5 / L['a']", 0, 1).has_value());
  CHECK_FALSE(Value("0.5 + 9007199254740993", 0, 1).has_value());
}

}  // namespace
}  // namespace shapewise
