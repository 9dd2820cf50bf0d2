// Lines that a long run prints again and again: every count is that of the lines.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/reader.h"
#include "model/repeats.h"
#include "pipeline/lint.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// A message that repeats, with a number in it that changes.
struct Message {
  std::string_view name;
  std::string (*line)(uint64_t number);
  std::string_view rule;
};

const std::vector<Message>& Messages() {
  static const std::vector<Message> messages = {
      {"a counter of PyTorch/XLA",
       [](uint64_t number) {
         const std::string count = std::to_string(number + 10);
         return "pt-xla-profiler: CompileTime too frequent: " + count + " counts during " + count +
                " steps\n";
       },
       "SWD031"},
      {"an operator that is not lowered",
       [](uint64_t) {
         return std::string(
             "pt-xla-profiler: Op(s) not lowered: aten::foo,  Please open a GitHub issue.\n");
       },
       "SWD033"},
      {"a performance hint",
       [](uint64_t number) {
         return "Using FallbackKernel: aten.op" + std::to_string(number) + "\n";
       },
       "SWD024"},
      {"a reason to skip CUDA graphs",
       [](uint64_t number) {
         return "skipping cudagraphs due to mutated inputs (" + std::to_string(number % 91) +
                " instances)\n";
       },
       "SWD001"},
      {"a mode that is ignored",
       [](uint64_t number) {
         return "Profiler function <class 'p" + std::to_string(number) + "'> will be ignored\n";
       },
       ""},
      {"a warning of the tracer",
       [](uint64_t number) {
         return "/w/model.py:8: TracerWarning: Converting a tensor to a Python boolean, " +
                std::to_string(number) + "\n";
       },
       ""},
  };
  return messages;
}

LintResult LintText(const std::string& log, Session& session) {
  ReadInputFromChunks("run.log", {log}, session);
  Expected<LintResult> result = LintSession({}, session);
  REQUIRE(static_cast<bool>(result));
  return std::move(*result);
}

bool SaysThatItFolds(const LintResult& result) {
  return std::any_of(result.gaps.begin(), result.gaps.end(), [](const std::string& gap) {
    return gap.find("counted, but not listed one by one") != std::string::npos;
  });
}

TEST_CASE("the count of a finding is the number of its lines", "[repeats]") {
  const uint64_t n = kRepeatsKeptWhole;
  for (const Message& message : Messages()) {
    for (const uint64_t num_lines : {n - 1, n, n + 1, 10 * n}) {
      INFO(message.name << ", " << num_lines);
      std::string log;
      for (uint64_t i = 0; i < num_lines; ++i) log += message.line(i);
      Session session;
      const LintResult result = LintText(log, session);
      REQUIRE(result.findings.size() == 1);
      const Finding& finding = result.findings[0];
      if (!message.rule.empty()) CHECK(finding.rule == message.rule);
      CHECK(finding.count == num_lines);
      CHECK(session.inputs()[0].torch_lines == num_lines);
      CHECK(session.events()[finding.events.front()].line == 1);
      CHECK(session.events()[finding.events.back()].line == num_lines);
      CHECK(SaysThatItFolds(result) == (session.events().size() < num_lines));
      CHECK((session.events().size() == num_lines) == (num_lines <= n + 1));
    }
  }
}

/// The blocks of one step of a run: a new graph or none.
std::string Step(uint64_t graph, bool compiles) {
  std::string text;
  for (const std::string_view kind : {"Compilation", "Execution"}) {
    if (kind == "Compilation" && !compiles) continue;
    const std::string head = std::string(kind) + " Analysis: ";
    for (const std::string& line :
         {std::string(80, '='), std::string(kind) + " Cause", std::string("  user mark_step"),
          std::string("Graph Info: "), "  Graph Hash: g" + std::to_string(graph),
          std::string("  Number of Graph Inputs: 7"),
          std::string("Python Frame Triggered Execution: "), std::string("  step (/w/train.py:12)"),
          std::string(80, '-'), std::string(80, '=')}) {
      text += head + line + "\n";
    }
  }
  return text;
}

TEST_CASE("a line of user code that compiles at each step is reported with its counts",
          "[repeats]") {
  for (const uint64_t num_steps : {kRepeatsKeptWhole / 2, 10 * kRepeatsKeptWhole}) {
    INFO(num_steps);
    std::string log;
    for (uint64_t step = 0; step < num_steps; ++step) log += Step(step, /*compiles=*/true);
    Session session;
    const LintResult result = LintText(log, session);
    REQUIRE(result.findings.size() == 1);
    CHECK(result.findings[0].name == "xla-graph-each-step");
    CHECK(result.findings[0].count == num_steps);
    CHECK(result.findings[0].message.find("1.0") != std::string::npos);
    // How many different graphs there were is known of those only that were kept.
    CHECK((result.findings[0].message.find("at least") != std::string::npos) ==
          (num_steps > kRepeatsKeptWhole));
  }
}

TEST_CASE("a line that stopped compiling is not reported", "[repeats]") {
  const uint64_t num_steps = 12 * kRepeatsKeptWhole;
  std::string log;
  for (uint64_t step = 0; step < num_steps; ++step) {
    log += Step(std::min(step, num_steps * 2 / 5), /*compiles=*/step < num_steps * 2 / 5);
  }
  Session session;
  const LintResult result = LintText(log, session);
  for (const Finding& finding : result.findings) CHECK(finding.severity == Severity::kNote);
}

TEST_CASE("a counter that stopped rising is not reported", "[repeats]") {
  const uint64_t num_reports = 12 * kRepeatsKeptWhole;
  std::string log;
  for (uint64_t step = 1; step <= num_reports; ++step) {
    const uint64_t compiles = std::min(step, num_reports * 2 / 5);
    log +=
        "Metric: CompileTime\n  TotalSamples: " + std::to_string(compiles) +
        "\n  Accumulator: 01s000ms000.000us\nCounter: MarkStep\n  Value: " + std::to_string(step) +
        "\n";
  }
  Session session;
  const LintResult result = LintText(log, session);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].severity == Severity::kNote);
  CHECK(result.findings[0].count == 2 * num_reports);
}

}  // namespace
}  // namespace shapewise
