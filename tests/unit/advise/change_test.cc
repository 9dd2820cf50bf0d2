#include "advise/change.h"

#include <catch2/catch.hpp>

namespace shapewise {
namespace {

TEST_CASE("Arguments are known to the caller, other sources are not", "[advise]") {
  CHECK(ArgumentExpr("L['x']") == "x");
  CHECK(ArgumentExpr("L['batch']['ids']") == "batch['ids']");
  CHECK(ArgumentExpr("L['self'].width").empty());
  CHECK(ArgumentExpr("L['___stack0']").empty());
  CHECK(ArgumentExpr("L['m']._modules['fc'].weight").empty());
  CHECK(ArgumentExpr("G['x']").empty());
}

TEST_CASE("What means something to a shell is no argument", "[advise]") {
  CHECK(ArgumentExpr("L['x']$(id)").empty());
  CHECK(ArgumentExpr("L['x`id`']").empty());
  CHECK(ArgumentExpr("L['x']; rm").empty());
}

TEST_CASE("Changes of one function leave the policy of another alone", "[advise]") {
  const Place f{"f", "a.py", 3};
  const Place g{"g", "a.py", 9};
  const std::vector<CodeChange> changes = {
      ChangeOf(CodeChange::Kind::kMaybeMark, f, {"L['x']", 1}),
      ChangeOf(CodeChange::Kind::kDynamicSource, {}, {"L['y']", 0})};
  CompilePolicy of_f;
  ApplyChanges(changes, f, of_f);
  REQUIRE(of_f.marks.size() == 1);
  CHECK(of_f.marks[0].source == "L['x']");
  CHECK(of_f.marks[0].mark.dim == 1);
  CHECK(of_f.dynamic_sources == "L['y']:0");
  CompilePolicy of_g;
  ApplyChanges(changes, g, of_g);
  CHECK(of_g.marks.empty());
  CHECK(of_g.dynamic_sources == "L['y']:0");
}

}  // namespace
}  // namespace shapewise
