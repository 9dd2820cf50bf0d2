#include "fixture_rules.h"
#include "model/session.h"
#include "support/catch.h"

namespace shapewise {
namespace {

FixtureFiles LogFiles() {
  FixtureFiles files;
  files.Add("rules/logs/cut.md",
            RuleText("cut", "SWL001",
                     R"("severity": "warning", "over": "log", "where": {"stat": ["record_cut"]},
                        "message": "{file}:{line} {count} {times}")"));
  files.Add("rules/logs/long.md", RuleText("long", "SWL002",
                                           R"("severity": "note", "over": "log",
                        "where": {"stat": ["record_too_long", "line_very_long"]},
                        "message": "{type}: {message}")"));
  return files;
}

TEST_CASE("each counter that is not zero and has a rule is a finding", "[rules]") {
  Session session;
  session.AddInput("a.log");
  const uint32_t second = session.AddInput("b.log");
  session.stats().Bump(Stat::record_too_long, 0, 5);
  session.stats().Bump(Stat::record_cut, second, 7);
  session.stats().Bump(Stat::record_cut, 0, 9);
  session.stats().Bump(Stat::guard_unknown, 0, 1);  // no rule speaks of it

  const std::vector<Finding> findings = LogFiles().Set().LogFindings(session);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rule == "SWL001");
  CHECK(findings[0].severity == Severity::kWarning);
  CHECK(findings[0].message == "b.log:7 2 2 times");
  CHECK(findings[0].where == Place{.function = "", .file = "b.log", .line = 7});
  CHECK(findings[0].count == 2);
  CHECK(findings[0].events.empty());
  CHECK(findings[1].message ==
        "record_too_long: Records longer than 256 KiB or 16384 lines, of which only the start was "
        "read.");
  CHECK(findings[0].fingerprint != findings[1].fingerprint);
}

TEST_CASE("a clean log has no findings", "[rules]") {
  const Session session;
  CHECK(LogFiles().Set().LogFindings(session).empty());
}

TEST_CASE("a rule over the log matches no cause", "[rules]") {
  FixtureFiles files;
  files.AddRule("any-stat", "SWL001", "log", "{}");
  const RuleSet set = files.Set();
  for (int kind = 0; kind <= static_cast<int>(CauseKind::kXla); ++kind) {
    Cause cause;
    cause.kind = static_cast<CauseKind>(kind);
    CHECK(set.Match(cause) == nullptr);
  }
}

}  // namespace
}  // namespace shapewise
