// Contents of a page in addition to lint's: which inputs are call records, which sizes are planned.

#include "pipeline/run_page.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/memory_files.h"

namespace shapewise {
namespace {

TEST_CASE("call records are recognized by their first line") {
  CHECK(IsCallRecordLine(R"({"schema": "shapewise.calls/1"})"));
  CHECK(IsCallRecordLine(R"({"function": "f", "inputs": {"x": {"size": [8, 4]}}})"));
  CHECK_FALSE(IsCallRecordLine(R"({"schema": "shapewise.lint/1", "inputs": {}})"));
  CHECK_FALSE(IsCallRecordLine(R"({"inputs": ["a.log"]})"));
  CHECK_FALSE(IsCallRecordLine(R"({"traceEvents": [)"));
  CHECK_FALSE(IsCallRecordLine("V1121 09:14:00.001000 4711 torch/x.py:1] {\"inputs\": {}}"));
  CHECK_FALSE(IsCallRecordLine(""));
}

TEST_CASE("a calls file is recognized by name and content") {
  MemoryFiles memory;
  const std::string record = R"({"function": "f", "inputs": {"n": 3}})";
  memory.files["calls.jsonl"] = "\n  \n" + record + "\n";
  memory.files["result.json"] = R"({"schema": "shapewise.lint/1"})";
  memory.files["log.txt"] = record;
  memory.files["empty.jsonl"] = "";
  const SplitInputs split =
      SplitRecords({"log.txt", "calls.jsonl", "result.json", "empty.jsonl", "gone", "-"}, memory);
  CHECK(split.records == std::vector<std::string>{"calls.jsonl"});
  CHECK(split.others == std::vector<std::string>{"log.txt", "result.json", "empty.jsonl", "-"});
  CHECK(split.unread.size() == 1);
}

/// A record of one call of f with two tensors.
std::string Call(int64_t x, int64_t y, int64_t batch) {
  const auto tensor = [](int64_t first, int64_t second) {
    return "{\"size\": [" + std::to_string(first) + ", " + std::to_string(second) + "]}";
  };
  return R"({"function": "f", "file": "a.py", "line": 3, "inputs": {"x": )" + tensor(batch, x) +
         R"(, "y": )" + tensor(y, 7) + "}}\n";
}

TEST_CASE("varying dims are planned, and dims that always change together once") {
  MemoryFiles memory;
  std::string calls;
  for (int64_t i = 0; i < 30; ++i) calls += Call(16 + i, 16 + i, 1 + i % 2);
  memory.files["calls.jsonl"] = calls;
  RunReport report;
  LintOptions options;
  options.paths = {"calls.jsonl"};
  const bool has_failed = static_cast<bool>(ReportOnRun(options, memory, report));
  REQUIRE_FALSE(has_failed);
  const RunPage& page = report.page;
  CHECK(page.varying_dims == 2);
  REQUIRE(page.plans.size() == 2);
  // Most sizes first: the length, which x and y share, then the batch.
  CHECK(page.plans[0].dim == "x:1");
  CHECK(page.plans[0].same == std::vector<std::string>{"y:0"});
  CHECK(page.plans[0].distinct == 30);
  CHECK(page.plans[0].report.histogram.calls == 30);
  CHECK_FALSE(page.plans[0].report.is_censored);
  CHECK(page.plans[1].dim == "x:0");
  CHECK(page.plans[1].distinct == 2);
  // Played again: as it is, and under each of the usual what-ifs.
  REQUIRE(page.prediction.functions.size() == 1);
  CHECK(page.prediction.functions[0].outcomes.size() == 4);
}

TEST_CASE("batches of a loader have sizes but no prediction") {
  MemoryFiles memory;
  std::string calls;
  for (int64_t i = 0; i < 5; ++i) {
    calls += R"({"function": "loader", "compiled": false, "inputs": {"x": {"size": [8, )" +
             std::to_string(10 + i) + "]}}}\n";
  }
  memory.files["batches.jsonl"] = calls;
  RunReport report;
  LintOptions options;
  options.paths = {"batches.jsonl"};
  const bool has_failed = static_cast<bool>(ReportOnRun(options, memory, report));
  REQUIRE_FALSE(has_failed);
  REQUIRE(report.page.plans.size() == 1);
  CHECK(report.page.plans[0].where.function == "loader");
  CHECK(report.page.plans[0].is_recorded);
  CHECK(report.page.prediction.functions.empty());
}

}  // namespace
}  // namespace shapewise
