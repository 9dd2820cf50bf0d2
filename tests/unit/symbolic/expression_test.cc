// Expressions are stored once, simplified only where that is certain, and have values.

#include "symbolic/expression.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "support/catch.h"

namespace shapewise {
namespace {

std::optional<int64_t> ValueAt(const ExprPool& pool, ExprId id,
                               const std::map<std::string, int64_t, std::less<>>& values) {
  return pool.Evaluate(id, [&](ExprId symbol) -> std::optional<int64_t> {
    const auto found = values.find(pool.name(symbol));
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST_CASE("equal expressions have one id", "[symbolic]") {
  ExprPool pool;
  const ExprId s0 = pool.Symbol("s0");
  const ExprId s1 = pool.Symbol("s1");
  const ExprId terms[] = {s0, s1};
  const ExprId reversed[] = {s1, s0};
  CHECK(pool.Add(terms) == pool.Add(reversed));
  CHECK(pool.Mul(terms) == pool.Mul(reversed));
  CHECK(pool.Add(terms) != pool.Mul(terms));
  CHECK(pool.Integer(4) == pool.Integer(4));
  CHECK(pool.kind(pool.Add(terms)) == ExprKind::kAdd);
  CHECK(pool.operands(pool.Add(terms)).size() == 2);
}

TEST_CASE("results beyond 64 bits are not folded", "[symbolic]") {
  ExprPool pool;
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  const ExprId terms[] = {pool.Integer(kMax), pool.Integer(1)};
  CHECK(pool.kind(pool.Add(terms)) == ExprKind::kAdd);
  CHECK(pool.kind(pool.Negate(pool.Integer(kMin))) == ExprKind::kMul);
  CHECK(pool.kind(pool.Parse("4611686018427387904*2")) == ExprKind::kMul);
  CHECK(pool.Parse("-4611686018427387904*2") == pool.Integer(kMin));
  CHECK(pool.ToText(pool.Parse("-9223372036854775808//-1")) == "-9223372036854775808*-1");
  CHECK(pool.kind(pool.Parse("2**64")) == ExprKind::kPower);
  CHECK_FALSE(ValueAt(pool, pool.Parse("s0 + 1"), {{"s0", kMax}}));
  CHECK_FALSE(ValueAt(pool, pool.Parse("s0**2"), {{"s0", kMax}}));
  CHECK(ValueAt(pool, pool.Parse("s0 + 1 - s1"), {{"s0", kMax}, {"s1", 1}}) == kMax);
}

TEST_CASE("values are Python's", "[symbolic]") {
  ExprPool pool;
  const auto at = [&](std::string_view text, int64_t s0, int64_t s1) {
    return ValueAt(pool, pool.Parse(text), {{"s0", s0}, {"s1", s1}});
  };
  CHECK(at("s0//s1", -7, 2) == -4);
  CHECK(at("s0//s1", 7, -2) == -4);
  CHECK(at("s0 % s1", -7, 2) == 1);
  CHECK(at("s0 % s1", 7, -2) == -1);
  CHECK(at("CeilDiv(s0, s1)", 7, 2) == 4);
  CHECK(at("s0/s1", 8, 2) == 4);
  CHECK_FALSE(at("s0/s1", 7, 2));
  CHECK_FALSE(at("s0//s1", 7, 0));
  // The divisor itself does not fit 64 bits.
  CHECK(at("s0//(2**s1*3**s1)", 7, 39) == 0);
  CHECK(at("s0//(2**s1*3**s1)", -7, 39) == -1);
  CHECK(at("s0 < s1 and s1 < 10", 7, 8) == 1);
  CHECK(at("s0 < 0 and foo(s1)", 7, 8) == 0);
  CHECK_FALSE(at("s0 > 0 and foo(s1)", 7, 8));
  CHECK_FALSE(at("s0 + u0", 7, 8));
}

TEST_CASE("floats are not touched by integer arithmetic", "[symbolic]") {
  ExprPool pool;
  CHECK(pool.kind(pool.Parse("zf0 + zf0")) == ExprKind::kCall);
  CHECK(pool.kind(pool.Parse("0.5 + 0.5")) == ExprKind::kCall);
  CHECK(pool.kind(pool.Parse("ToFloat(s0) < 1")) == ExprKind::kCall);
  CHECK(pool.kind(pool.Parse("FloatTrueDiv(s0, 2)*0")) == ExprKind::kCall);
  CHECK(pool.kind(pool.Parse("floor(0.5*s0)")) == ExprKind::kCall);
  CHECK(pool.kind(pool.Parse("not (zf0 < 1)")) == ExprKind::kNot);
  CHECK(pool.SymbolsOf(pool.Parse("L['f'] < 0.5")).size() == 1);
}

TEST_CASE("symbols are found once, in order", "[symbolic]") {
  ExprPool pool;
  const auto symbols = pool.SymbolsOf(pool.Parse("Max(s3, s1*s2, s1) + s0"));
  CHECK(symbols.size() == 4);
}

TEST_CASE("substitution simplifies again", "[symbolic]") {
  ExprPool pool;
  const ExprId size = pool.Parse("8*(s0//8) + Mod(s0, 8)");
  const ExprId with = pool.Substitute(size, [&](ExprId symbol) {
    return pool.name(symbol) == "s0" ? pool.Parse("8*s1") : ExprId::kNone;
  });
  CHECK(pool.ToText(with) == "8*s1");
  CHECK(pool.Substitute(size, [](ExprId) { return ExprId::kNone; }) == size);
}

TEST_CASE("an expression that shares its parts is walked in time", "[symbolic]") {
  ExprPool pool;
  ExprId tower = pool.Symbol("s0");
  for (int i = 0; i < 200; ++i) {
    const ExprId halves[] = {pool.Binary(ExprKind::kFloorDiv, tower, pool.Symbol("s1")),
                             pool.Binary(ExprKind::kMod, tower, pool.Symbol("s2"))};
    tower = pool.Fold(ExprKind::kMax, halves);
  }
  CHECK(pool.SymbolsOf(tower).size() == 3);
  CHECK(ValueAt(pool, tower, {{"s0", 5}, {"s1", 1}, {"s2", 9}}) == 5);
  CHECK(pool.ToText(tower).size() < 100);
}

std::optional<double> NumberOf(std::string_view text, double a, double n) {
  ExprPool pool;
  return EvaluateNumber(pool, pool.Parse(text), [&](ExprId symbol) -> std::optional<double> {
    if (pool.name(symbol) == "L['a']") return a;
    if (pool.name(symbol) == "L['x'].size()[2]") return n;
    return std::nullopt;
  });
}

TEST_CASE("floats are compared and rounded as Python does it", "[symbolic]") {
  CHECK(NumberOf("L['a'] > 0.5", 0.75, 0) == 1.0);
  CHECK(NumberOf("L['a'] > 0.5", 0.5, 0) == 0.0);
  CHECK(NumberOf("L['a'] == 1.5", 1.5, 0) == 1.0);
  CHECK(NumberOf("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) >= 2", 0, 5) == 1.0);
  CHECK(NumberOf("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) >= 2", 0, 3) == 0.0);
  CHECK(NumberOf("math.trunc(0.5*torch.sym_float(L['x'].size()[2])) != 1", 0, 3) == 0.0);
}

TEST_CASE("an expression without a finite value is absent", "[symbolic]") {
  CHECK_FALSE(NumberOf("L['b'] > 0.5", 1, 1).has_value());
  CHECK_FALSE(NumberOf("unheard_of(L['a'], 0.5)", 1, 1).has_value());
  CHECK_FALSE(NumberOf("0.5 / L['a']", 0, 1).has_value());
  CHECK_FALSE(NumberOf("0.5 + 9007199254740993", 0, 1).has_value());
}

}  // namespace
}  // namespace shapewise
