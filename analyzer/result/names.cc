// Names of enumerators in the results.

#include "result/back_test.h"
#include "result/bucket_report.h"
#include "result/diff.h"
#include "result/finding.h"
#include "result/graph_report.h"
#include "result/guard_report.h"
#include "result/rank_divergence.h"
#include "result/step_report.h"
#include "support/enum_name.h"

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
  return EnumName<RunVerdict::kMixed>(verdict, {"same", "better", "worse", "mixed"});
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

}  // namespace shapewise
