#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "pipeline/replay.h"

namespace shapewise {
namespace {

ReplayedPolicy Judged(const std::string& words, std::vector<size_t> actions, bool is_plan,
                      ReplayVerdict verdict) {
  ReplayedPolicy policy;
  policy.policy = words;
  policy.actions = std::move(actions);
  policy.is_plan = is_plan;
  policy.verdict = verdict;
  policy.measured.was_run = true;
  policy.measured.compiles = 1;
  return policy;
}

/// Three actions, all of them planned; the run as it is compiled 8 times.
ReplayReport ReportOf(ReplayVerdict first, ReplayVerdict second, ReplayVerdict together) {
  ReplayReport report;
  report.policies = {Judged("as-is", {}, false, ReplayVerdict::kBaseline),
                     Judged("a + b", {}, true, together), Judged("a", {0}, false, first),
                     Judged("b", {1}, false, second)};
  report.policies.front().measured.compiles = 8;
  return report;
}

Advice ThreeActions() {
  Advice advice;
  advice.actions.resize(3);
  advice.plan = {0, 1, 2};
  return advice;
}

}  // namespace

TEST_CASE("an action that helps is validated against the unchanged run") {
  Advice advice = ThreeActions();
  ValidateAdvice(ReportOf(ReplayVerdict::kFaster, ReplayVerdict::kSlower, ReplayVerdict::kFaster),
                 advice);
  REQUIRE(advice.actions[0].measured.has_value());
  CHECK(advice.actions[0].measured->is_kept);
  CHECK(advice.actions[0].measured->verdict == "faster");
  CHECK(advice.actions[0].measured->compiles == std::optional<uint64_t>(1));
  CHECK(advice.actions[0].measured->compiles_before == std::optional<uint64_t>(8));
  REQUIRE(advice.actions[1].measured.has_value());
  CHECK_FALSE(advice.actions[1].measured->is_kept);
  CHECK_FALSE(advice.actions[2].measured.has_value());  // it was not run
}

TEST_CASE("a plan that helps is kept whole, even if one action alone does nothing") {
  Advice advice = ThreeActions();
  ValidateAdvice(
      ReportOf(ReplayVerdict::kNoChange, ReplayVerdict::kNoChange, ReplayVerdict::kFewer), advice);
  CHECK(advice.plan == std::vector<size_t>{0, 1, 2});
  REQUIRE(advice.measured_together.has_value());
  CHECK(advice.measured_together->is_kept);
}

TEST_CASE("of a plan that does not help, the first helpful action and those not run are kept") {
  Advice advice = ThreeActions();
  ValidateAdvice(
      ReportOf(ReplayVerdict::kNoChange, ReplayVerdict::kFaster, ReplayVerdict::kDifferent),
      advice);
  CHECK(advice.plan == std::vector<size_t>{1, 2});
}

TEST_CASE("without an answer, nothing is reported") {
  Advice advice = ThreeActions();
  ValidateAdvice(ReportOf(ReplayVerdict::kNotRun, ReplayVerdict::kNotRun, ReplayVerdict::kNotRun),
                 advice);
  CHECK(advice.plan.size() == 3);
  CHECK_FALSE(advice.measured_together.has_value());
  CHECK_FALSE(advice.actions[0].measured.has_value());
}

}  // namespace shapewise
