#include "saved/saved_result.h"

#include <limits>
#include <string>

#include "saved/json_fields.h"
#include "support/catch.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

std::string MessageOf(const std::string& text) {
  Expected<SavedResult> saved = ReadSavedResult(text, "old.json");
  if (saved) return {};
  return llvm::toString(saved.takeError());
}

TEST_CASE("a result that is read back is written as it was", "[saved]") {
  LintResult result = SampleResult();
  result.summary.compile_seconds = 1.5;
  result.summary.ranks = {0, 1};
  result.coverage = {.recompiles = Printed::kYes, .graph_breaks = Printed::kNo};
  result.findings[0].cost_seconds = 0.25;
  result.findings[0].runs_eager = true;
  result.findings[0].events.clear();
  result.findings[0].identity = {.kind = "recompile",
                                 .function = "forward",
                                 .file = "train.py",
                                 .type = "",
                                 .guard_class = "int",
                                 .source = "step",
                                 .dim = 2};
  result.findings[0].advice[0].saves_compiles = 3;
  const Session session;
  const std::string written = WrittenBy("json", result, session, {});
  Expected<SavedResult> saved = ReadSavedResult(written, "old.json");
  REQUIRE(static_cast<bool>(saved));
  CHECK(!saved->is_baseline);
  CHECK(WrittenBy("json", saved->result, session, {}) == written);
}

TEST_CASE("the events of a saved result are passed over", "[saved]") {
  Session session;
  FillSampleSession(session);
  const std::string written =
      WrittenBy("json", SampleResult(), session, {.tool_version = "", .with_events = true});
  REQUIRE(written.find("\"events\": [\n") != std::string::npos);
  Expected<SavedResult> saved = ReadSavedResult(written, "old.json");
  REQUIRE(static_cast<bool>(saved));
  CHECK(saved->result.findings.size() == 2);
  CHECK(saved->result.findings[0].events.empty());
}

TEST_CASE("what this version does not know is ignored", "[saved]") {
  CHECK(MessageOf(R"({"schema": "shapewise.lint/1", "novelty": [1], "findings": []})").empty());
}

TEST_CASE("what is no saved result is an error with its place", "[saved]") {
  CHECK(MessageOf("{\n \"schema\": \"shapewise.lint/1\",\n oops}") ==
        "old.json:3:2: no whole JSON document");
  CHECK(MessageOf("") == "old.json:1:1: no whole JSON document");
  CHECK(MessageOf("[]") == "old.json: expected an object");
  CHECK(MessageOf(R"({"schema": "shapewise.check/1"})") ==
        "old.json: expected a result of lint (\"schema\": \"shapewise.lint/1\") or a baseline "
        "(\"shapewise.baseline/1\"), but its schema is \"shapewise.check/1\"");
  CHECK(MessageOf(R"({"schema": "shapewise.lint/1"})") == "old.json: findings: missing");
  CHECK(MessageOf(R"({"schema": "shapewise.lint/1", "findings": [{"rule": "SWG001"}]})") ==
        "old.json: findings[0].severity: missing");
  const std::string finding =
      R"("rule": "SWG001", "severity": "note", "identity": {}, "fingerprint": "1")";
  const std::string head = R"({"schema": "shapewise.lint/1", "findings": [{)" + finding;
  CHECK(MessageOf(head + "}]}").empty());
  CHECK(MessageOf(head + R"(, "count": "many"}]})") ==
        "old.json: findings[0].count: expected a whole number");
  CHECK(MessageOf(head + R"(, "cause": {"class": "colour"}}]})") ==
        "old.json: findings[0].cause.class: no class of guards is called so");
}

TEST_CASE("a saved result is known by its first member", "[saved]") {
  CHECK(LooksSaved("{\n \"schema\": \"shapewise.lint/1\",\n"));
  CHECK(LooksSaved("{\"schema\":\"shapewise.baseline/1\"}"));
  CHECK(!LooksSaved("{\"schema\": \"other\"}"));
  CHECK(!LooksSaved("{\"traceEvents\": []}"));
  CHECK(!LooksSaved("V1121 03:50:55.230000 11963 torch/_dynamo/guards.py:5396] [0/1]"));
  CHECK(!LooksSaved(""));
}

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
