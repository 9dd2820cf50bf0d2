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

TEST_CASE("the answer to a question about a remainder repeats", "[causes]") {
  CHECK(PeriodOfAnswer("((-2)*(x.size()[2] // 4) + (x.size()[2] // 2)) == 0") == 4);
  CHECK(PeriodOfAnswer("8*(x.size()[0] // 8) == x.size()[0]") == 8);
  CHECK(PeriodOfAnswer("8*(x.size()[0] // 8) != x.size()[0]") == 8);
  CHECK(PeriodOfAnswer("(x.size()[0] % 6) == 0") == 6);
  CHECK(PeriodOfAnswer("2*((x.size()[0] // 2) // 3) == (x.size()[0] // 3)") == 6);
}

TEST_CASE("other questions about sizes have no period", "[causes]") {
  CHECK(PeriodOfAnswer("(1 + (x.size()[1] // 640)) == 3") == 0);
  CHECK(PeriodOfAnswer("x.size()[0] == 8") == 0);
  CHECK(PeriodOfAnswer("(x.size()[0] // 4) == (y.size()[0] // 4)") == 0);
  CHECK(PeriodOfAnswer("(x.size()[0] // 0) == (x.size()[0] // 0)") == 0);
  CHECK(PeriodOfAnswer("(x.size()[0] % 2097152) == 0") == 0);
  CHECK(PeriodOfAnswer("(x.size()[0] // 4) <= 7") == 0);
  CHECK(PeriodOfAnswer("x.size()[") == 0);
  CHECK(PeriodOfAnswer("") == 0);
}

}  // namespace
}  // namespace shapewise
