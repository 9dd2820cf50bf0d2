// Names of enumerators in the results, and short texts on them.

#include "result/advice.h"
#include "result/bucket_report.h"
#include "result/diff.h"
#include "result/finding.h"
#include "result/graph_report.h"
#include "result/guard_report.h"
#include "result/prediction.h"
#include "result/rank_divergence.h"
#include "result/replay_report.h"
#include "result/step_report.h"
#include "result/tune_report.h"
#include "support/enum_name.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {

std::string_view BackTestVerdictName(BackTestVerdict verdict) {
  return EnumName<BackTestVerdict::kUnmodelled>(
      verdict, {"equal", "lower_bound", "differs", "not_logged", "unmodelled"});
}

std::string_view HistoryOriginName(HistoryOrigin origin) {
  return EnumName<HistoryOrigin::kNone>(origin, {"calls", "compiles", "misses", "none"});
}

std::string_view ServingKindName(ServingKind kind) {
  return EnumName<ServingKind::kEager>(
      kind, {"bucket", "dynamic", "aligned-dynamic", "dynamic-range", "captured", "eager"});
}

std::string_view BucketModeName(BucketMode mode) {
  return EnumName<BucketMode::kMixed>(mode, {"buckets", "dynamic", "static", "mixed"});
}

std::string_view RunVerdictName(RunVerdict verdict) {
  return EnumName<RunVerdict::kUnknown>(verdict, {"same", "better", "worse", "mixed", "unknown"});
}

std::string_view MatchedByName(MatchedBy matched_by) {
  return EnumName<MatchedBy::kFunction>(
      matched_by,
      {"fingerprint", "source", "moved-file", "renamed-function", "wording", "place", "function"});
}

std::string_view SeverityName(Severity severity) {
  return EnumName<Severity::kError>(severity, {"note", "warning", "error"});
}

std::string_view PaddingVerdictName(PaddingVerdict verdict) {
  return EnumName<PaddingVerdict::kUnknown>(verdict, {"safe", "masked", "unsafe", "unknown"});
}

std::string_view SizeVerdictName(SizeVerdict verdict) {
  return EnumName<SizeVerdict::kPinned>(
      verdict, {"free", "divisible", "bounded", "restricted", "unknown", "pinned"});
}

std::string_view GuardedKindName(GuardedKind kind) {
  return EnumName<GuardedKind::kOther>(kind, {"size", "stride", "int", "length", "other"});
}

std::string_view PinnedByName(PinnedBy by) {
  return EnumName<PinnedBy::kRelations>(by, {"", "static", "specialization", "relations"});
}

std::string_view DivergenceKindName(DivergenceKind kind) {
  return EnumName<DivergenceKind::kLogBegins>(
      kind, {"recompile", "break", "order", "programs", "cache", "values", "reasons", "late",
             "log_ends", "log_begins"});
}

std::string_view SlowCauseName(SlowCause cause) {
  return EnumName<SlowCause::kUnexplained>(
      cause,
      {"first-step", "compile", "recompile", "cudagraph", "garbage-collection", "unexplained"});
}

std::string_view StepComparisonName(StepComparison comparison) {
  return EnumName<StepComparison::kNothing>(comparison,
                                            {"clock", "lines", "no-common-clock", "nothing"});
}

std::string_view ReplayVerdictName(ReplayVerdict verdict) {
  return EnumName<ReplayVerdict::kFailed>(
      verdict, {"not_run", "baseline", "faster", "fewer_compiles", "no_difference", "slower",
                "results_differ", "failed"});
}

bool IsKept(ReplayVerdict verdict) {
  return verdict == ReplayVerdict::kFaster || verdict == ReplayVerdict::kFewer;
}

std::string_view TuneEndName(TuneEnd end) {
  return EnumName<TuneEnd::kInterrupted>(end,
                                         {"ended", "steps", "seconds", "timeout", "interrupted"});
}

std::string_view TuneVerdictName(TuneVerdict verdict) {
  return EnumName<TuneVerdict::kNotApplied>(
      verdict, {"not_run", "better", "no_difference", "mixed", "worse", "results_differ", "failed",
                "not_applied"});
}

std::string TuneCountsText(const TuneRun& run) {
  std::string text = Counted(run.compiles, "compile");
  const auto add = [&](uint64_t count, const std::string& noun) {
    if (count == 0) return;
    text += ", " + Counted(count, noun);
  };
  add(run.graph_breaks, "graph break");
  add(run.limit_hits, "limit hit");
  add(run.eager_calls, "eager call");
  add(run.errors, "error");
  return text;
}

std::string_view PasteAtName(PasteAt at) {
  return EnumName<PasteAt::kDecorator>(
      at, {"", "environment", "config", "compile_call", "before_call", "decorator"});
}

std::string DynamicSourcesCode(const std::string& sources) {
  return "TORCH_COMPILE_DYNAMIC_SOURCES=\"" + sources + "\"";
}

std::string ConfigOfVariable(std::string_view assignment) {
  ConsumeFront(assignment, "export ");
  const std::string_view name = assignment.substr(0, assignment.find('='));
  std::string_view setting;
  if (name == "TORCH_COMPILE_DYNAMIC_SOURCES") setting = "dynamic_sources";
  if (name == "TORCH_COMPILE_UNBACKED_SOURCES") setting = "unbacked_sources";
  if (setting.empty()) return {};
  return "torch.compiler.config." + std::string(setting) + " = " +
         std::string(assignment.substr(name.size() + 1));
}

}  // namespace shapewise
