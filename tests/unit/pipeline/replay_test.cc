#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dynamo/policy_text.h"
#include "ingest/call_record_reader.h"
#include "pipeline/replay_plan.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

/// The only function in `text`, call records.
std::unique_ptr<RecordedFunction> FunctionOf(const std::string& text) {
  MemoryFiles files;
  files.files["calls.jsonl"] = text;
  RecordedFunctions functions;
  REQUIRE(static_cast<bool>(ReadCallRecords("calls.jsonl", files, functions)));
  REQUIRE(functions.size() == 1);
  return std::move(functions.front());
}

Place Step() { return {.function = "step", .file = "train.py", .line = 2}; }

}  // namespace

TEST_CASE("written calls equal the calls that were read") {
  const std::string text =
      R"({"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[4,8],"stride":[1,4],"dtype":"torch.float32","device":"cpu","requires_grad":true},"n":3}}
{"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[4,8],"stride":[1,4],"dtype":"torch.float32","device":"cpu","requires_grad":true},"n":3},"times":3}
{"function":"step","file":"train.py","line":2,"wrapper":1,"grad":"off","state":"autocast=bfloat16","inputs":{"xs":{"list":[{"size":[2]},7]},"d":{"dict":{"a":{"size":[3]},"b":null}},"f":0.5,"g":{"float":"nan"},"s":"mean","t":{"tuple":[true]},"o":{"opaque":"Config"}}}
)";
  const std::string written = CallRecordText(FunctionOf(text)->history, Step());
  CHECK(CallRecordText(FunctionOf(written)->history, Step()) == written);
  const size_t end = written.find('\n');
  const Json first = Json::parse(written.substr(0, end));
  CHECK(first["times"] == 4);  // alike, in a row
  CHECK(first["inputs"]["x"]["stride"] == Json({1, 4}));
  const Json second = Json::parse(written.substr(end + 1));
  CHECK(second["grad"] == "off");
  CHECK(second["state"] == "autocast=bfloat16");
  CHECK(second["wrapper"] == 1);
  const Json& inputs = second["inputs"];
  CHECK(inputs["xs"]["list"][1] == 7);
  CHECK(inputs["d"]["dict"]["a"]["size"] == Json({3}));
  CHECK(inputs["d"]["dict"]["b"].is_null());
  CHECK(inputs["t"]["tuple"][0] == true);
  CHECK(inputs["g"]["float"] == "nan");
  CHECK(inputs["o"]["opaque"] == "Config");
}

TEST_CASE("a job contains the non-default values of a policy") {
  const auto function = FunctionOf(R"({"function":"step","inputs":{"x":{"size":[4,8]}}})"
                                   "\n");
  Expected<PolicyChange> change = ParsePolicy(
      "buckets(x, 1, 8|16) + mark_dynamic(x, 0, min=2, max=64) + limit 16 + use_duck_shape=False + "
      "dynamic=True + dynamic_sources=x + mode=max-autotune + float32_matmul_precision=high + "
      "inductor.max_autotune=True + inductor.triton.cudagraph_capture_sizes=(8, 16)");
  REQUIRE(static_cast<bool>(change));
  const AppliedPolicy applied = ApplyPolicy(*change, CompilePolicy(), function->history);
  ReplaySettings settings;
  settings.folder = "/tmp/job";
  settings.backend = "eager";
  settings.repetitions = 2;
  ReplaySubject subject;
  subject.callable = "train.py:step";
  const Json job = Json::parse(
      ReplayJobText(settings, subject, {{"as-is", CompilePolicy()}, {"all", applied.policy}}));
  CHECK(job["schema"] == "shapewise.replay-job/1");
  CHECK(job["subject"] == Json({{"kind", "callable"}, {"spec", "train.py:step"}}));
  CHECK(job["calls"] == "/tmp/job/calls.jsonl");
  CHECK(job["repetitions"] == 2);
  CHECK_FALSE(job.contains("threads"));
  CHECK(job["policies"][0]["policy"] == Json({{"dynamic", nullptr}, {"backend", "eager"}}));
  const Json& policy = job["policies"][1]["policy"];
  CHECK(policy["dynamic"] == true);
  CHECK(policy["mode"] == "max-autotune");
  CHECK(policy["float32_matmul_precision"] == "high");
  CHECK(policy["inductor"] ==
        Json({{"max_autotune", true}, {"triton.cudagraph_capture_sizes", {8, 16}}}));
  CHECK(policy["config"] == Json({{"recompile_limit", 16}}));
  CHECK(policy["shape_config"] == Json({{"use_duck_shape", false}}));
  CHECK(policy["dynamic_sources"] == "L['x']");
  CHECK(policy["marks"][0] ==
        Json({{"arg", "x"}, {"dim", 0}, {"kind", "dynamic"}, {"min", 2}, {"max", 64}}));
  CHECK(policy["buckets"][0] == Json({{"arg", "x"}, {"dim", 1}, {"sizes", {8, 16}}}));
  CHECK_FALSE(job.contains("varied"));
}

TEST_CASE("a job contains padding values and jointly padded dims") {
  const auto function =
      FunctionOf(R"({"function":"step","inputs":{"ids":{"size":[4,8]},"labels":{"size":[4,8]}}})"
                 "\n");
  const auto policy_of = [&](const char* words) {
    Expected<PolicyChange> change = ParsePolicy(words);
    REQUIRE(static_cast<bool>(change));
    const AppliedPolicy applied = ApplyPolicy(*change, CompilePolicy(), function->history);
    return Json::parse(ReplayJobText({}, {}, {{"it", applied.policy}}))["policies"][0]["policy"];
  };
  const Json ids = {{"arg", "ids"}, {"dim", 1}};
  const Json labels = {{"arg", "labels"}, {"dim", 1}, {"fill", -100}};
  CHECK(policy_of("buckets(labels, 1, 8|16, fill=-100)")["buckets"][0] ==
        Json({{"arg", "labels"}, {"dim", 1}, {"sizes", {8, 16}}, {"fill", -100}}));
  CHECK(policy_of("buckets(ids:1, labels:1=-100, 8x8)")["shapes"] ==
        Json({{"dims", {ids, labels}}, {"sizes", {{8, 8}}}}));
  CHECK(policy_of("serve(ids:1, labels:1=-100, 1..8:8)")["serve"] ==
        Json({{"arg", "ids"},
              {"dim", 1},
              {"also", Json::array({labels})},
              {"spans", {{{"first", 1}, {"last", 8}, {"way", "static"}, {"size", 8}}}}}));
  CHECK(policy_of("serve(labels:1=0.5, 1..8:8)")["serve"]["fill"] == 0.5);
  CHECK_FALSE(policy_of("serve(labels:1, 1..8:8)")["serve"].contains("also"));
}

TEST_CASE("a job that times sizes contains jointly varied dims") {
  ReplaySettings settings;
  settings.folder = "/tmp/job";
  settings.mode = "max-autotune";
  settings.timeout_seconds = 60;
  ReplaySubject subject;
  subject.callable = "train.py:step";
  const Json job =
      Json::parse(ReplayJobText(settings, subject, {{"as-is", CompilePolicy()}},
                                {*ParseInputDim("batch['x']:1"), *ParseInputDim("y:0")}));
  CHECK(job["timeout_seconds"] == 60);
  CHECK(job["policies"][0]["policy"]["mode"] == "max-autotune");
  CHECK(job["varied"] == Json({{{"arg", "batch['x']"}, {"dim", 1}}, {{"arg", "y"}, {"dim", 0}}}));
}

TEST_CASE("a dim of an input is written as name, colon and number") {
  CHECK(ParseInputDim("x:10")->dim == 10);
  CHECK(ParseInputDim("d['a:b']:2")->name == "d['a:b']");
  for (const char* text : {"", "x", ":1", "x:", "x:-1", "x:1.5", "x:99999999999999999999"}) {
    INFO(text);
    CHECK_FALSE(ParseInputDim(text));
  }
}

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
