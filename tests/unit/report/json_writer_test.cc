#include <nlohmann/json.hpp>
#include <string>

#include "report/result_json.h"
#include "support/catch.h"
#include "unit/report/sample_run.h"

namespace shapewise {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson JsonOf(const LintResult& result, const Session& session, const ReportOptions& options) {
  return OrderedJson::parse(WrittenBy("json", result, session, options));
}

TEST_CASE("the JSON result has the fields of the contract") {
  Session session;
  FillSampleSession(session);
  ReportOptions options;
  options.tool_version = "1.2.3";
  const OrderedJson json = JsonOf(SampleResult(), session, options);
  CHECK(json["schema"] == "shapewise.lint/1");
  CHECK(json["tool"] == OrderedJson({{"name", "shapewise"}, {"version", "1.2.3"}}));
  CHECK(json["inputs"][0]["name"] == "run.log");
  CHECK(json["summary"]["recompiles"] == 3);
  CHECK(json["summary"]["compile_seconds"].is_null());
  CHECK(json["summary"]["torch"]["range"] == "2.5 to 2.6");
  CHECK(json["summary"]["eager_functions"][0]["function"] == "forward");
  CHECK(json["summary"]["eager_functions"][0]["limit"] == 8);

  const OrderedJson& finding = json["findings"][0];
  CHECK(finding["rule"] == "SWG001");
  CHECK(finding["severity"] == "error");
  CHECK(finding["where"] ==
        OrderedJson({{"function", "forward"}, {"file", "/app/train.py"}, {"line", 6}}));
  CHECK(finding["cause"] ==
        OrderedJson(
            {{"class", "int"}, {"value_type", nullptr}, {"source", "step"}, {"dim", nullptr}}));
  CHECK(finding["events"] == OrderedJson({0, 1, 2, 3}));
  CHECK(finding["cost_seconds"].is_null());
  const OrderedJson& action = finding["advice"][0];
  CHECK(action["kind"] == "tensorize");
  CHECK(action["saves"].is_null());
  CHECK(action["validated"].is_null());
  CHECK(json["findings"][1]["cause"].is_null());
  CHECK(json["gaps"][0] == "Something is not known.");
  CHECK_FALSE(json.contains("events"));
}

TEST_CASE("JSON escapes control characters and loses nothing", "[json]") {
  // DEL and CSI, an ordinary character of two bytes, and half a character.
  const std::string text =
      "a\x7f"
      "b\xc2\x9b"
      "31m \xc2\xa0\xc3\xa9 \x1b \xc2";
  const OrderedJson value = {{"k", text}};
  CHECK(JsonText(value) == "{\"k\":\"a\\u007fb\\u009b31m \xc2\xa0\xc3\xa9 \\u001b \xef\xbf\xbd\"}");
  const std::string valid = text.substr(0, text.size() - 1);
  CHECK(OrderedJson::parse(JsonText(OrderedJson(valid))) == OrderedJson(valid));
  CHECK(JsonText(OrderedJson("plain")) == "\"plain\"");
}

TEST_CASE("events are added on request, with the fields of their kind") {
  Session session;
  FillSampleSession(session);
  ReportOptions options;
  options.with_events = true;
  const OrderedJson json = JsonOf(SampleResult(), session, options);
  REQUIRE(json["events"].size() == 4);
  const OrderedJson& recompile = json["events"][0];
  CHECK(recompile["kind"] == "recompile");
  CHECK(recompile["line"] == 10);
  CHECK(recompile["compile_id"] == "0/1");
  CHECK_FALSE(recompile.contains("rank"));
  CHECK_FALSE(recompile.contains("limit"));
  CHECK(recompile["reasons"][0]["class"] == "int");
  CHECK_FALSE(recompile["reasons"][0].contains("dim"));
  const OrderedJson& limit = json["events"][3];
  CHECK(limit["limit"] == 8);
  CHECK(limit["limit_name"] == "recompile_limit");
  CHECK(limit["rank"] == 0);
  CHECK_FALSE(limit.contains("compile_id"));
}

TEST_CASE("fields that the log does not contain are null") {
  Session session;
  Event event;
  event.line = 1;
  for (size_t kind = 0; kind < kNumEventKinds; ++kind) {
    const EventDetail detail{.fact = EmptyFact(static_cast<EventKind>(kind))};
    event.detail = session.InternDetail(detail);
    const OrderedJson json = EventJson(session, event);
    CAPTURE(json);
    CHECK(json["kind"] == EventKindName(detail.kind()));
    const bool has_reasons =
        detail.kind() == EventKind::kRecompile || detail.kind() == EventKind::kRecompileLimit;
    CHECK(json.contains("reasons") == has_reasons);
    CHECK(json.contains("gb") == (detail.kind() == EventKind::kGraphBreak));
  }
  event.detail = session.InternDetail({.fact = LimitFact()});
  CHECK(EventJson(session, event)["limit"].is_null());
}

TEST_CASE("JSON is valid for any bytes in a log") {
  Session session;
  FillSampleSession(session);
  LintResult result = SampleResult();
  result.findings[0].message = "\xff\xfe \x1b[31m \"quoted\" \\ \n";
  result.findings[0].values = {"\xc3", std::string(1, '\0')};
  const OrderedJson json = JsonOf(result, session, {});
  CHECK(json["findings"][0]["message"] == "\xef\xbf\xbd\xef\xbf\xbd \x1b[31m \"quoted\" \\ \n");
  CHECK(json["findings"][0]["values"][1] == std::string(1, '\0'));
}

TEST_CASE("damage is reported with its first place") {
  Session session;
  FillSampleSession(session);
  session.stats().Bump(Stat::record_cut, 0, 17);
  session.stats().Bump(Stat::record_cut, 0, 18);
  const OrderedJson json = JsonOf({}, session, {});
  REQUIRE(json["stats"].size() == 1);
  CHECK(json["stats"][0]["name"] == "record_cut");
  CHECK(json["stats"][0]["grade"] == "data_loss");
  CHECK(json["stats"][0]["count"] == 2);
  CHECK(json["stats"][0]["line"] == 17);
}

TEST_CASE("the first format is the default, and names of formats are unique") {
  REQUIRE(LintFormats().size() >= 2);
  CHECK(LintFormats().front().name == "text");
  for (const LintFormat& format : LintFormats()) {
    CHECK(FindFormat(LintFormats(), format.name) == &format);
  }
  CHECK(FindFormat(LintFormats(), "yaml") == nullptr);
}

}  // namespace
}  // namespace shapewise
