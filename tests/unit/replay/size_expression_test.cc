// Sizes of a dump: numbers that no tensor has must not break the arithmetic.

#include "replay/size_expression.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/catch.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;
using Number = std::optional<int64_t>;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Number ValueOf(const char* name, int64_t a, int64_t b) {
  return Evaluate(ReadSizeExpression(Json{{"op", name}, {"args", {a, b}}}), {});
}

TEST_CASE("arithmetic of sizes that overflows has no value", "[replay]") {
  CHECK(ValueOf("+", kMost, 1) == Number());
  CHECK(ValueOf("*", kMost, 2) == Number());
  CHECK(ValueOf("*", kLeast, -1) == Number());
  CHECK(ValueOf("**", 2, 63) == Number());
  CHECK(ValueOf("**", 2, -1) == Number());
  CHECK(ValueOf("**", 3, kMost) == Number());
  CHECK(ValueOf("//", kLeast, -1) == Number());
  CHECK(ValueOf("ceildiv", kLeast, -1) == Number());
  CHECK(ValueOf("/", kLeast, -1) == Number());
}

TEST_CASE("nothing is divided by zero", "[replay]") {
  for (const char* name : {"//", "%", "/", "ceildiv"}) CHECK(ValueOf(name, 7, 0) == Number());
}

TEST_CASE("the smallest integer is divided like any other", "[replay]") {
  CHECK(ValueOf("ceildiv", kLeast, 2) == Number(kLeast / 2));
  CHECK(ValueOf("ceildiv", kLeast, 3) == Number(kLeast / 3));
  CHECK(ValueOf("ceildiv", kLeast, -2) == Number(-(kLeast / 2)));
  CHECK(ValueOf("//", kLeast, 2) == Number(kLeast / 2));
  CHECK(ValueOf("%", kLeast, -1) == Number(0));
  CHECK(ValueOf("/", kLeast, 2) == Number(kLeast / 2));
}

TEST_CASE("divisions round as in Python", "[replay]") {
  CHECK(ValueOf("ceildiv", 7, 2) == Number(4));
  CHECK(ValueOf("ceildiv", -7, 2) == Number(-3));
  CHECK(ValueOf("//", -7, 2) == Number(-4));
  CHECK(ValueOf("%", -7, 2) == Number(1));
  CHECK(ValueOf("/", 7, 2) == Number());
  CHECK(ValueOf("**", -1, kMost) == Number(-1));
  CHECK(ValueOf("**", 2, 62) == Number(int64_t{1} << 62));
}

TEST_CASE("a symbol has a value only if it is bound to an integer of 64 bits", "[replay]") {
  const SizeExpression symbol = ReadSizeExpression(Json{{"sym", "s0"}});
  CHECK(Evaluate(symbol, {{"s0", 128}}) == Number(128));
  CHECK(Evaluate(symbol, {{"s0", -9223372036854775808.0}}) == Number(kLeast));
  for (const double value :
       {1e300, -1e300, 9223372036854775808.0, 0.5, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    CHECK(Evaluate(symbol, {{"s0", value}}) == Number());
  }
}

TEST_CASE("an integer of the program that does not fit 64 bits with a sign is not known",
          "[replay]") {
  CHECK(JsonInteger(Json::parse("9223372036854775807")) == Number(kMost));
  CHECK(JsonInteger(Json::parse("9223372036854775808")) == Number());
  CHECK(JsonInteger(Json::parse("18446744073709551615")) == Number());
  CHECK(JsonInteger(Json::parse("1.5")) == Number());
}

}  // namespace
}  // namespace shapewise::replay
