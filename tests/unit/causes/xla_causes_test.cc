#include "causes/find_causes.h"

#include <string>
#include <vector>

#include "causes/xla_trouble.h"
#include "run_builder.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// A PyTorch/XLA run, block by block.
class XlaRun {
 public:
  void Profiled(std::string_view metric, int64_t count, int64_t steps) {
    run_.Placeless(XlaMetricFact{.metric = run_.Id(metric), .count = count, .steps = steps});
  }
  void Reported(std::string_view metric, int64_t count, std::optional<double> seconds = {}) {
    run_.Placeless(XlaMetricFact{.metric = run_.Id(metric), .count = count, .seconds = seconds});
  }
  void NotLowered(const std::vector<std::string>& ops) {
    XlaMetricFact metric{.metric = run_.Id("not_lowered")};
    for (const std::string& op : ops) metric.ops.push_back(run_.Id(op));
    run_.Placeless(std::move(metric));
  }
  struct Block {
    std::string_view cause = "user mark_step";
    std::string hash = "a0";
    int64_t inputs = 12;
    uint32_t line = 31;
    std::string_view inner_function = "mark_step";
    std::string_view inner_file = "/venv/torch_xla/core/xla_model.py";
    std::optional<double> gigabytes = {};
  };
  void Compiled(const Block& block) {
    Add(XlaCompileFact{GraphOf(block), block.gigabytes, TriggerOf(block)}, block);
  }
  void Executed(const Block& block) {
    Add(XlaExecutionFact{.graph = GraphOf(block), .trigger = TriggerOf(block)}, block);
  }

  std::vector<Cause> Fold() const { return run_.Fold(); }
  /// "why function:line" of each cause.
  std::vector<std::string> Troubles() const {
    std::vector<std::string> troubles;
    for (const Cause& cause : run_.Fold()) {
      std::string text = cause.why;
      if (!cause.where.function.empty()) {
        text += " " + cause.where.function + ":" + std::to_string(cause.where.line);
      }
      troubles.push_back(text);
    }
    return troubles;
  }

 private:
  XlaGraph GraphOf(const Block& block) {
    return {
        .cause = run_.Id(block.cause), .hash = run_.Id(block.hash), .graph_inputs = block.inputs};
  }
  TriggerPlace TriggerOf(const Block& block) {
    return {run_.Id("/srv/app/eval.py"), block.line, run_.Id("evaluate")};
  }
  void Add(EventFact fact, const Block& block) {
    run_.Placeless(std::move(fact), {block.inner_function, block.inner_file, 1055});
  }
  RunBuilder run_;
};

constexpr std::string_view kAccess =
    "most likely user code trying to access tensor value before mark_step";

std::string Fact(const Cause& cause, std::string_view name) {
  for (const auto& [key, text] : cause.facts) {
    if (key == name) return text;
  }
  return {};
}

using Texts = std::vector<std::string>;

TEST_CASE("compilations that rise with the steps are one cause with their rate", "[causes]") {
  XlaRun run;
  for (int64_t step = 11; step <= 30; ++step) run.Profiled("CompileTime", 2 * step - 1, step);
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "compiles-grow");
  CHECK(causes[0].amount == 59);  // a running total: never added up
  CHECK(causes[0].count == 20);
  CHECK(Fact(causes[0], "rate") == "2.0 a step");
  CHECK(Fact(causes[0], "steps") == "30 steps");
  CHECK_FALSE(causes[0].cost_seconds);
}

TEST_CASE("a warm-up is reported as such, and a short log as inconclusive", "[causes]") {
  XlaRun healthy;
  for (int64_t step = 11; step <= 16; ++step) healthy.Profiled("CompileTime", 8, step);
  CHECK(healthy.Troubles() == Texts{"compiles-stopped"});
  XlaRun one_line;
  one_line.Profiled("CompileTime", 21, 11);
  CHECK(one_line.Troubles() == Texts{"compiles-unclear"});
  one_line.Profiled("CompileTime", 23, 12);
  CHECK(one_line.Troubles() == Texts{"compiles-rise"});
}

TEST_CASE("other lines that continue show that compilations became rare", "[causes]") {
  XlaRun run;
  run.Profiled("CompileTime", 6, 11);
  for (int64_t step = 11; step <= 30; ++step) run.Profiled("TransferFromDeviceTime", step, step);
  CHECK(run.Troubles() == Texts{"compiles-stopped", "host-reads"});
}

TEST_CASE("reports are compared by their own count of steps, and cost what the last one says",
          "[causes]") {
  XlaRun run;
  for (int64_t report = 1; report <= 4; ++report) {
    run.Reported("CompileTime", 90 * report, 40.0 * static_cast<double>(report));
    run.Reported("MarkStep", 100 * report);
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].why == "compiles-grow");
  CHECK(causes[0].cost_seconds == 160.0);
  CHECK(Fact(causes[0], "rate") == "0.90 a step");
  CHECK(causes[1].why == "report");
  CHECK(causes[1].count == 4);
}

TEST_CASE("a run that was started again is another one", "[causes]") {
  XlaRun run;
  for (const int64_t from : {11, 11}) {
    for (int64_t step = from; step <= 40; ++step) run.Profiled("CompileTime", 2 * step, step);
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "compiles-grow");
  CHECK(causes[0].amount == 80);
  CHECK(causes[0].count == 60);
}

TEST_CASE("graphs with more and more input at one line are something that grows", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 6; ++i) run.Compiled({.hash = "a" + std::to_string(i), .inputs = 12 + i});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "growing-graph");
  CHECK(causes[0].where == Place{"evaluate", "/srv/app/eval.py", 31});
  CHECK(causes[0].values == Texts{"12", "13", "14", "15", "16", "17"});
  CHECK(causes[0].count == 6);
}

TEST_CASE("so are graphs whose input gets larger", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 5; ++i) {
    run.Compiled({.hash = "a" + std::to_string(i), .gigabytes = 0.125 * static_cast<double>(i)});
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "growing-graph");
  CHECK(causes[0].values == Texts{"0 GB", "0.125 GB", "0.25 GB", "0.375 GB", "0.5 GB"});
}

TEST_CASE("the three graphs of a start are nothing to speak of", "[causes]") {
  XlaRun run;
  run.Compiled({.hash = "a0", .inputs = 412});
  run.Compiled({.hash = "a1", .inputs = 823});
  run.Compiled({.hash = "a2", .inputs = 824});
  CHECK(run.Troubles() == Texts{"report"});
}

TEST_CASE("growth that ended is a start, too", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 6; ++i) {
    run.Compiled({.hash = "a" + std::to_string(i), .inputs = 12 + i});
    run.Executed({.hash = "a" + std::to_string(i), .inputs = 12 + i});
  }
  CHECK(run.Troubles() == Texts{"growing-graph evaluate:31"});
  for (int64_t i = 0; i < 12; ++i) run.Executed({.hash = "a5", .inputs = 17});
  CHECK(run.Troubles() == Texts{"report"});
}

TEST_CASE("a new graph at most runs of a line is a cause of its own", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 8; ++i) {
    run.Compiled({.hash = "a" + std::to_string(i)});
    run.Executed({.hash = "a" + std::to_string(i)});
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "graph-each-step");
  CHECK(Fact(causes[0], "rate") == "1.0 a run");
}

TEST_CASE("the line behind rising totals takes them, with their cost", "[causes]") {
  XlaRun run;
  for (int64_t step = 1; step <= 20; ++step) {
    run.Compiled({.hash = "a" + std::to_string(step)});
    if (step > 10) run.Profiled("CompileTime", step, step);
  }
  run.Reported("CompileTime", 20, 30.0);
  run.Reported("MarkStep", 20);
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].why == "report");  // no place comes first
  CHECK(causes[1].why == "graph-each-step");
  CHECK(causes[1].cost_seconds == 30.0);
  CHECK(causes[1].count == 20);
  CHECK(causes[1].events.size() == 31);
}

TEST_CASE("a line with a few of many compilations does not bear the cost of all", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 6; ++i) run.Compiled({.hash = "a" + std::to_string(i), .inputs = 12 + i});
  for (int64_t report = 1; report <= 3; ++report) {
    run.Reported("CompileTime", 100 * report, 50.0 * static_cast<double>(report));
    run.Reported("MarkStep", 100 * report);
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[1].why == "growing-graph");
  CHECK_FALSE(causes[1].cost_seconds);
}

TEST_CASE("several graphs without a count of steps point at a line only", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 5; ++i) run.Compiled({.hash = "a" + std::to_string(i)});
  CHECK(run.Troubles() == Texts{"several-graphs evaluate:31"});
  run.Profiled("CompileTime", 21, 11);
  run.Profiled("CompileTime", 23, 12);
  CHECK(run.Troubles() == Texts{"compiles-rise evaluate:31"});
}

TEST_CASE("a value looked at in the middle of a step takes the reads of its process", "[causes]") {
  XlaRun run;
  run.Executed({.cause = kAccess,
                .line = 44,
                .inner_function = "__repr__",
                .inner_file = "/venv/torch/_tensor.py"});
  run.Profiled("TransferFromDeviceTime", 11, 11);
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 1);
  CHECK(causes[0].why == "early-access");
  CHECK(causes[0].events.size() == 2);
  CHECK(Fact(causes[0], "access") == "a tensor was printed");
}

TEST_CASE("one look in many steps is rare", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 10; ++i) run.Executed({});
  run.Executed({.cause = kAccess, .line = 44});
  CHECK(run.Troubles() == Texts{"report", "rare-access evaluate:44"});
}

TEST_CASE("operators without code come from profiler and counters, reads of scalars are none",
          "[causes]") {
  XlaRun run;
  run.NotLowered({"aten::_ctc_loss", "aten::nonzero"});
  run.Reported("aten::nonzero", 7);
  run.Reported("aten::_local_scalar_dense", 3);
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].why == "not-lowered");
  CHECK(causes[0].values == Texts{"aten::_ctc_loss", "aten::nonzero"});
  CHECK(causes[0].amount == 7);
  CHECK(causes[1].why == "report");
}

TEST_CASE("every event is reported once", "[causes]") {
  XlaRun run;
  for (int64_t i = 0; i < 6; ++i) run.Compiled({.hash = "a" + std::to_string(i), .inputs = 12 + i});
  run.Executed({.cause = kAccess, .line = 44});
  for (int64_t step = 11; step < 20; ++step) run.Profiled("CompileTime", step, step);
  run.Profiled("XrtTryFreeMemory", 12, 20);
  run.Reported("DynamoSyncInputExecuteTime", 4);
  std::vector<size_t> reported(18, 0);
  for (const Cause& cause : run.Fold()) {
    for (const size_t event : cause.events) ++reported.at(event);
  }
  CHECK(reported == std::vector<size_t>(18, 1));
}

TEST_CASE("inconclusive findings of a short log belong to the family of those of a longer log",
          "[causes]") {
  CHECK(XlaTroubleFamily("compiles-rise") == "compiles-grow");
  CHECK(XlaTroubleFamily("several-graphs") == XlaTroubleFamily("growing-graph"));
  CHECK(XlaTroubleFamily("host-reads") == "host-reads");
  CHECK(XlaTroubleFamily("loop-break") == "loop-break");
}

}  // namespace
}  // namespace shapewise
