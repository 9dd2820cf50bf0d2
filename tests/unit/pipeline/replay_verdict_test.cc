#include "pipeline/replay_job.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shapewise {
namespace {

ReplayedPolicy Measured(const std::string& name, double rate, double noise, uint64_t compiles,
                        double seconds) {
  ReplayedPolicy policy;
  policy.policy = name;
  policy.measured.was_run = true;
  policy.measured.steps = 100;
  policy.measured.steps_per_second = {{.value = rate, .low = rate - noise, .high = rate + noise}};
  policy.measured.compiles = compiles;
  policy.measured.compile_seconds = seconds;
  policy.measured.equal = true;
  return policy;
}

ReplayReport ReportOf(std::vector<ReplayedPolicy> policies) {
  ReplayReport report;
  report.policies = std::move(policies);
  return report;
}

}  // namespace

TEST_CASE("a policy is judged by the time of all calls, compiling included") {
  const auto policies = [] {
    return ReportOf({Measured("as-is", 100, 1, 4, 10), Measured("fast steps", 200, 1, 8, 40),
                     Measured("few compiles", 90, 1, 1, 2)});
  };
  SECTION("few calls are mostly compiling") {
    ReplayReport report = policies();
    JudgePolicies(100, report);
    CHECK(report.policies[0].verdict == ReplayVerdict::kBaseline);
    CHECK(report.policies[1].verdict == ReplayVerdict::kSlower);
    CHECK(report.policies[2].verdict == ReplayVerdict::kFaster);
    CHECK(report.best == std::optional<size_t>(2));
  }
  SECTION("many calls are mostly steps") {
    ReplayReport report = policies();
    JudgePolicies(1000000, report);
    CHECK(report.policies[1].verdict == ReplayVerdict::kFaster);
    CHECK(report.policies[2].verdict == ReplayVerdict::kSlower);
    CHECK(report.best == std::optional<size_t>(1));
    // 10 + n / 100 = 40 + n / 200
    CHECK(report.policies[1].break_even_calls == std::optional<uint64_t>(6000));
    // 10 + n / 100 = 2 + n / 90
    CHECK(report.policies[2].break_even_calls == std::optional<uint64_t>(7200));
  }
}

TEST_CASE("a difference within noise is no difference") {
  ReplayReport report =
      ReportOf({Measured("as-is", 100, 5, 4, 1), Measured("same", 103, 5, 4, 1),
                Measured("same, fewer compiles", 99, 5, 1, 1), Measured("more", 99, 5, 6, 1)});
  JudgePolicies(10000, report);
  CHECK(report.policies[1].verdict == ReplayVerdict::kNoChange);
  CHECK(report.policies[2].verdict == ReplayVerdict::kFewer);
  CHECK(report.policies[3].verdict == ReplayVerdict::kNoChange);
  CHECK_FALSE(IsKept(report.policies[1].verdict));
  CHECK(IsKept(report.policies[2].verdict));
  CHECK(report.best == std::optional<size_t>(1));
  CHECK(report.as_good == std::vector<size_t>{0, 2, 3});
}

TEST_CASE("a policy that changes results or raises is never the best") {
  ReplayedPolicy other = Measured("other results", 500, 1, 1, 1);
  other.measured.equal = false;
  ReplayedPolicy failed = Measured("failed", 500, 1, 1, 1);
  failed.measured.error = "ConstraintViolationError";
  ReplayReport report = ReportOf({Measured("as-is", 100, 1, 2, 2), other, failed});
  JudgePolicies(1000, report);
  CHECK(report.policies[1].verdict == ReplayVerdict::kDifferent);
  CHECK(report.policies[2].verdict == ReplayVerdict::kFailed);
  CHECK(report.best == std::optional<size_t>(0));
  CHECK(report.as_good.empty());
}

TEST_CASE("without a measured baseline, nothing is judged") {
  ReplayReport report = ReportOf({ReplayedPolicy(), Measured("other", 100, 1, 2, 2)});
  JudgePolicies(100, report);
  CHECK(report.policies[0].verdict == ReplayVerdict::kNotRun);
  CHECK(report.policies[1].verdict == ReplayVerdict::kNotRun);
}

TEST_CASE("an answer is read policy by policy; odd values are dropped") {
  ReplayReport report;
  report.policies.resize(2);
  report.policies[0].policy = "as-is";
  report.policies[1].policy = "dynamic=True";
  Error error = ReadReplayAnswer(
      R"({"schema": "shapewise.replay/1", "device": "cpu", "torch": "2.13.0", "policies": [
          {"name": "dynamic=True", "steps": 7, "steps_per_second": 10,
           "steps_per_second_interval": [9, 11.5], "compiles": -1, "compile_seconds": "long",
           "equal": null, "error_calls": 2},
          {"name": "nobody asked"}, 5], "notes": ["random inputs"]})",
      report);
  REQUIRE_FALSE(static_cast<bool>(error));
  CHECK(report.device == "cpu");
  CHECK_FALSE(report.policies[0].measured.was_run);
  const PolicyMeasurement& measured = report.policies[1].measured;
  CHECK(measured.was_run);
  CHECK(measured.steps == std::optional<uint64_t>(7));
  REQUIRE(measured.steps_per_second.has_value());
  CHECK(measured.steps_per_second->low == 9);
  CHECK(measured.steps_per_second->high == 11.5);
  CHECK_FALSE(measured.compiles.has_value());
  CHECK_FALSE(measured.compile_seconds.has_value());
  CHECK_FALSE(measured.equal.has_value());
  CHECK(measured.error == "2 calls raise");
  CHECK(report.gaps == std::vector<std::string>{"random inputs"});
}

TEST_CASE("an invalid answer is an error") {
  for (const char* text : {"", "[", "{}", R"({"schema": "shapewise.replay/1"})",
                           R"({"schema": "other/1", "policies": []})"}) {
    ReplayReport report;
    CAPTURE(text);
    CHECK(llvm::toString(ReadReplayAnswer(text, report)).find("shapewise.replay/1") !=
          std::string::npos);
  }
}

}  // namespace shapewise
