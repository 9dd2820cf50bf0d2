#include "saved/json_fields.h"

#include <limits>

#include "support/catch.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

TEST_CASE("members are read with their type; what is missing or null stays as it is", "[saved]") {
  const Json json = Json::parse(R"({"text": "a", "flag": true, "whole": 7, "negative": -7,
                                    "half": 0.5, "null": null, "list": ["a", "b"]})");
  std::string error;
  const JsonFields fields(json, "", error);
  std::string text = "old";
  fields.Read("absent", text);
  fields.Read("null", text);
  CHECK(text == "old");
  fields.Read("text", text);
  CHECK(text == "a");
  bool flag = false;
  fields.Read("flag", flag);
  CHECK(flag);
  uint64_t whole = 0;
  fields.Read("whole", whole);
  CHECK(whole == 7);
  int32_t negative = 0;
  fields.Read("negative", negative);
  CHECK(negative == -7);
  std::optional<double> half;
  fields.Read("absent", half);
  CHECK(!half);
  fields.Read("half", half);
  CHECK(half == 0.5);
  std::vector<std::string> list;
  fields.ReadList("list", list);
  CHECK(list == std::vector<std::string>{"a", "b"});
  CHECK(error.empty());
}

TEST_CASE("a member of a wrong type is told with its path, the first one only", "[saved]") {
  const Json json = Json::parse(
      R"({"text": 1, "big": 4294967296, "negative": -1, "list": {}, "objects": [{}, {"n": "x"}]})");
  std::string error;
  const JsonFields fields(json, "", error);
  std::string text;
  uint32_t number = 5;
  std::vector<int32_t> list;
  SECTION("a number for a text") {
    fields.Read("text", text);
    CHECK(error == "text: expected a text");
  }
  SECTION("too large") {
    fields.Read("big", number);
    CHECK(error == "big: expected a whole number");
    CHECK(number == 5);
  }
  SECTION("negative where none can be") {
    fields.Read("negative", number);
    CHECK(error == "negative: expected a whole number");
  }
  SECTION("no list") {
    fields.ReadList("list", list);
    CHECK(error == "list: expected a list");
  }
  SECTION("within a list of objects") {
    fields.ReadObjects("objects", [&](const JsonFields& object) { object.Read("n", number); });
    fields.Read("text", text);
    CHECK(error == "objects[1].n: expected a whole number");
  }
  SECTION("missing") {
    fields.Require("findings");
    CHECK(error == "findings: missing");
  }
  SECTION("no object") {
    const JsonFields inner(json["text"], "text", error);
    CHECK(error == "text: expected an object");
  }
}

}  // namespace
}  // namespace shapewise
