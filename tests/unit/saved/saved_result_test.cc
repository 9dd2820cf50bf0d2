#include "saved/saved_result.h"

#include <string>

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

}  // namespace
}  // namespace shapewise
