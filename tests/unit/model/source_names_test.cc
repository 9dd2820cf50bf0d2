#include "shapewise/model/call_history_builder.h"

#include <string_view>

#include "support/catch.h"

namespace shapewise {
namespace {

TEST_CASE("a source is called by the names that people give it", "[model]") {
  CHECK(NameOfSource("L['x']") == "x");
  CHECK(NameOfSource("x") == "x");
  CHECK(NameOfSource("L['self']._modules['l']._parameters['weight']") == "self.l.weight");
  CHECK(NameOfSource("L['batch']['ids'].data[0]") == "batch['ids'].data[0]");
  CHECK(NameOfSource(R"(L["x"]["y"])") == "x['y']");
}

TEST_CASE("a key may be empty", "[model]") {
  CHECK(NameOfSource("L['batch']['']") == "batch['']");
  CHECK(NameOfSource("['']") == "['']");
  CHECK(NameOfSource("L['']").empty());
  CHECK(NameOfSource("L['self']._modules['']") == "self.");
}

TEST_CASE("what is no whole name in quotes stays as it is", "[model]") {
  for (const std::string_view source : {"", "L[", "L['", "L['x", "L['x'", "L[x]", "x[", "x['"}) {
    CHECK(NameOfSource(source) == source);
  }
}

TEST_CASE("a name becomes the source that guards print", "[model]") {
  CHECK(SourceOfName("x") == "L['x']");
  CHECK(SourceOfName("L['x']") == "L['x']");
  CHECK(SourceOfName("self.cache[0]") == "L['self'].cache[0]");
  CHECK(SourceOfName("[0]") == "[0]");
}

}  // namespace
}  // namespace shapewise
