#include "dynamo/dim_policy.h"
#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("lists of sources match whole names, or the beginning of names as regular expressions") {
  const SourceList list("L['x'], L['y']:1, L..w.., \\w\\['q\\d");
  CHECK(list.Names("L['x']"));
  CHECK(list.NamesDim("L['x']", 7));
  CHECK(list.Names("L['y']"));
  CHECK(list.NamesDim("L['y']", 1));
  CHECK(!list.NamesDim("L['y']", 0));
  CHECK(list.Names("L['w'][0]"));
  CHECK(list.Names("L['q3']"));
  CHECK(!list.Names("L['q']"));

  // "L['x']" as a regular expression is a letter and a set of letters.
  CHECK(list.Names("Lx"));
  CHECK(!list.Names("L['xs'][0]"));
  CHECK(!SourceList("x").Names("L['x']"));
  CHECK(!SourceList("").Names("L['x']"));
  CHECK(!SourceList("L[, (, *").Names("L['x']"));
}

}  // namespace
}  // namespace shapewise
