// Equal events other than recompiles are reported once.

#include <algorithm>
#include <string>
#include <utility>

#include "support/catch.h"
#include "unit/causes/run_builder.h"

namespace shapewise {
namespace {

UserFrame At(uint32_t line) { return {"embed", "/app/model.py", line}; }

GraphBreakFact Break(RunBuilder& run, std::string_view type, bool repeat = false) {
  return {.gb = run.Id("GB0059"), .type = run.Id(type), .repeat = repeat};
}

TEST_CASE("a graph break, its duplicates and those of other ranks are one cause", "[causes]") {
  RunBuilder run;
  run.Other(Break(run, "print"), {.id = "0/0", .rank = 1}, At(12));
  run.Other(Break(run, "print"), {.id = "0/0", .rank = 0}, At(12));
  run.Other(Break(run, "print", true), {.id = "0/1", .rank = 0}, At(12));
  const Cause cause = run.FoldToOne();
  CHECK(cause.kind == CauseKind::kGraphBreak);
  CHECK(cause.count == 3);
  CHECK(cause.ranks == std::vector<int32_t>{0, 1});
  CHECK(cause.events == std::vector<size_t>{0, 1, 2});
  CHECK(cause.gb == "GB0059");
  CHECK(cause.type == "print");
  CHECK(cause.where == Place{"forward", "/app/model.py", 10});
  CHECK(cause.user == Place{"embed", "/app/model.py", 12});
}

TEST_CASE("breaks at other lines or of other types are causes of their own", "[causes]") {
  RunBuilder run;
  run.Other(Break(run, "print"), {}, At(12));
  run.Other(Break(run, "open"), {}, At(12));
  run.Other(Break(run, "print"), {}, At(13));
  CHECK(run.Fold().size() == 3);
}

TEST_CASE("a break without compiled frame is where the user's code is", "[causes]") {
  RunBuilder run;
  run.Placeless(Break(run, "print"), At(12));
  CHECK(run.FoldToOne().where == Place{"embed", "/app/model.py", 12});
  CHECK(run.FoldToOne().display_function == "embed");
}

TEST_CASE("one fatal break makes the cause fatal", "[causes]") {
  RunBuilder run;
  run.Other(Break(run, "print"), {}, At(12));
  GraphBreakFact fatal = Break(run, "print");
  fatal.fatal = true;
  fatal.context = run.Id("builtin print");
  run.Other(fatal, {}, At(12));
  CHECK(run.FoldToOne().fatal);
  CHECK(run.FoldToOne().context == "builtin print");
}

TEST_CASE("a skipped frame is one cause for each function and why", "[causes]") {
  RunBuilder run;
  const SkippedFrameFact skipped{.why = Why::kLoopBreak};
  run.Other(skipped, {}).Other(skipped, {});
  CHECK(run.FoldToOne().count == 2);
  CHECK(run.FoldToOne().why == "loop-break");
  run.Other(skipped, {.function = "loss"});
  CHECK(run.Fold().size() == 2);
}

TEST_CASE("a constraint violation is one cause for each source and dim", "[causes]") {
  RunBuilder run;
  const auto violated = [&run](std::string_view source, int32_t dim) {
    return ConstraintFact{.source = run.Id(source), .dim = dim};
  };
  run.Other(violated("L['x']", 0), {});
  run.Other(violated("x", 0), {});
  CHECK(run.FoldToOne().culprit == Culprit{GuardClass::kSize, "L['x']", 0, PythonType::kTensor});
  run.Other(violated("x", 1), {});
  CHECK(run.Fold().size() == 2);
}

TEST_CASE("a compile error is one cause for each exception and message", "[causes]") {
  RunBuilder run;
  for (const std::string_view message : {"no kernel", "no kernel", "no memory"}) {
    run.Placeless(
        CompileErrorFact{.type = run.Id("BackendCompilerFailed"), .message = run.Id(message)});
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].type == "BackendCompilerFailed");
  CHECK(causes[0].message == "no kernel");
  CHECK(causes[0].count == 2);
}

TEST_CASE("a performance hint is one cause for each slug, and each message that has none",
          "[causes]") {
  RunBuilder run;
  const auto hinted = [&run](PerfHint hint, std::string_view message) {
    return PerfHintFact{.hint = hint, .message = run.Id(message)};
  };
  run.Placeless(hinted(PerfHint::kTf32, "TensorFloat32 is off"));
  run.Placeless(hinted(PerfHint::kTf32, "TensorFloat32 is not on"));
  CHECK(run.FoldToOne().hint == "tf32");
  run.Placeless(hinted(PerfHint::kOther, "padding skipped"));
  run.Placeless(hinted(PerfHint::kOther, "something else"));
  CHECK(run.Fold().size() == 3);
}

TEST_CASE("CUDA graphs are one cause for each action and why, with the largest count", "[causes]") {
  RunBuilder run;
  for (const int64_t count : {3, 9, 5}) {
    run.Placeless(CudagraphFact{
        .action = CudagraphAction::kSkip, .why = Why::kMutatedInputs, .count = count});
  }
  const Cause cause = run.FoldToOne();
  CHECK(cause.action == "skip");
  CHECK(cause.why == "mutated-inputs");
  CHECK(cause.amount == 9);
  CHECK(cause.count == 3);
}

TEST_CASE("ignored modes are one cause for each why, TorchScript one for each place", "[causes]") {
  RunBuilder run;
  const IgnoredModeFact ignored{.why = Why::kProfiler};
  run.Placeless(ignored).Placeless(ignored);
  CHECK(run.FoldToOne().why == "profiler");
  for (const uint32_t line : {4, 4, 5}) {
    run.Placeless(TorchscriptFact{.action = TorchscriptAction::kTracerWarning}, At(line));
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 3);
  CHECK(causes[1].action == "tracer-warning");
  CHECK(causes[1].count == 2);
}

TEST_CASE("an implied break is one cause for each function and line", "[causes]") {
  RunBuilder run;
  for (const int32_t rank : {0, 1}) {
    run.Other(ImpliedBreakFact(), {.function = "guarded", .file = "", .line = 0, .rank = rank},
              {.line = 11});
  }
  const Cause cause = run.FoldToOne();
  CHECK(cause.where.function == "guarded");
  CHECK(cause.user.line == 11);
  CHECK(cause.ranks == std::vector<int32_t>{0, 1});
}

TEST_CASE("an implied break is no cause where breaks were logged", "[causes]") {
  RunBuilder run;
  run.Placeless(ImpliedBreakFact(), {.line = 11});
  GraphBreakFact raised = Break(run, "print");
  raised.fatal = true;
  run.Other(raised, {}, At(12)).Other(Break(run, "Tensor.item()"), {}, At(13));
  CHECK(run.Fold().size() == 3);
  run.Other(Break(run, "open"), {}, At(14));
  CHECK(std::ranges::none_of(
      run.Fold(), [](const Cause& cause) { return cause.kind == CauseKind::kImpliedBreak; }));
}

TEST_CASE("tensors on the CPU are facts of a skipped CUDA graph, each once", "[causes]") {
  RunBuilder run;
  for (const std::string_view name : {"arg3_1", "arg7_1", "arg3_1"}) {
    const std::string message = "skipping cudagraphs due to cpu device (" + std::string(name) + ")";
    run.Placeless(CudagraphFact{
        .action = CudagraphAction::kSkip, .why = Why::kCpuDevice, .message = run.Id(message)});
  }
  const Cause cause = run.FoldToOne();
  REQUIRE(cause.facts.size() == 1);
  CHECK(cause.facts[0] == std::pair<std::string, std::string>("cpu_tensors", "arg3_1, arg7_1"));
  CHECK(cause.values.empty());
}

TEST_CASE("implied recompiles are one cause for each frame, named by its number", "[causes]") {
  RunBuilder run;
  for (const std::string_view id : {"0/1", "0/2", "3/1"}) {
    run.Other(ImpliedRecompileFact(), {.id = id, .function = "", .file = "", .line = 0});
  }
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 2);
  CHECK(causes[0].display_function == "frame 0");
  CHECK(causes[0].count == 2);
  CHECK(causes[1].display_function == "frame 3");
}

TEST_CASE("a compile alone is no cause", "[causes]") {
  RunBuilder run;
  run.Other(CompileFact{.seconds = 1}, {.id = "0/0"});
  CHECK(run.Fold().empty());
}

TEST_CASE("causes are ordered by kind, then place, then culprit, not by when they came",
          "[causes]") {
  RunBuilder run;
  run.Other(Break(run, "print"), {}, At(12));
  run.Recompile({.id = "1/1", .line = 40}, {FailedSize("1/0", "x", 0, "1", "2")});
  run.Recompile({.id = "0/1", .line = 10}, {FailedSize("0/0", "y", 0, "1", "2")});
  run.Recompile({.id = "0/2", .line = 10}, {FailedSize("0/1", "x", 1, "1", "2")});
  const std::vector<Cause> causes = run.Fold();
  REQUIRE(causes.size() == 4);
  CHECK(causes[0].culprit->source == "x");
  CHECK(causes[1].culprit->source == "y");
  CHECK(causes[2].where.line == 40);
  CHECK(causes[3].kind == CauseKind::kGraphBreak);
}

}  // namespace
}  // namespace shapewise
