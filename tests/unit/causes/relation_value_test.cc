// A guard that computes with a number shows which value it had.

#include "causes/relation_value.h"

#include <string>

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("linear equations are solved", "[causes]") {
  CHECK(ValueInRelation("(0.5 + sigma) == 6.75", "sigma") == "6.25");
  CHECK(ValueInRelation("(0.1 + ((-0.1)*G['crit'].progress)) == 0.09", "G['crit'].progress") ==
        "0.1");
  CHECK(ValueInRelation("(2*n - 1) == 7", "n") == "4");
  CHECK(ValueInRelation("n == 7", "n") == "7");
}

TEST_CASE("other guards show no value", "[causes]") {
  CHECK(ValueInRelation("(n**2) == 4", "n").empty());
  CHECK(ValueInRelation("(n*n) == 4", "n").empty());
  CHECK(ValueInRelation("(n // 2) == 4", "n").empty());
  CHECK(ValueInRelation("n <= 7", "n").empty());
  CHECK(ValueInRelation("(n - n) == 0", "n").empty());
  CHECK(ValueInRelation("nn == 7", "n").empty());
  CHECK(ValueInRelation(std::string(100, '(') + "n == 7", "n").empty());
  CHECK(ValueInRelation("", "").empty());
}

}  // namespace
}  // namespace shapewise
