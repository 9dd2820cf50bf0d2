// compilation_metrics: the end of a compilation, and its cost.

#include <algorithm>
#include <set>

#include "ingest/formats/torch_trace/trace_process.h"
#include "model/break_types.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kLimitHead = "Dynamo recompile limit exceeded";

std::string_view FirstLineOf(std::string_view text) {
  return TrimRight(text.substr(0, text.find('\n')));
}

/// The sum of two durations, either of which may be unknown.
std::optional<double> Sum(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  return b ? *a + *b : *a;
}

std::optional<double> MicrosAsSeconds(simdjson::dom::object metrics, std::string_view key) {
  const auto micros = JsonDouble(metrics, key);
  return micros ? std::optional(*micros / 1e6) : std::nullopt;
}

/// Fields of the metrics in seconds or microseconds; the first one present is used.
struct TimeField {
  std::string_view key;
  std::optional<double> CompileSeconds::* seconds;
  double per_second;
};
constexpr TimeField kTimeFields[] = {
    {"entire_frame_compile_time_s", &CompileSeconds::total, 1},
    {"duration_us", &CompileSeconds::total, 1e6},
    {"backend_compile_time_s", &CompileSeconds::backend, 1},
    {"inductor_compile_time_s", &CompileSeconds::inductor, 1},
    {"code_gen_time_s", &CompileSeconds::code_gen, 1},
    {"dynamo_time_before_restart_s", &CompileSeconds::before_restart, 1},
    // The nightlies between 2.5 and 2.6 had only the sums of torch/_dynamo/utils.py, dynamo_timed.
    {"dynamo_cumulative_compile_time_us", &CompileSeconds::total, 1e6},
    {"aot_autograd_cumulative_compile_time_us", &CompileSeconds::backend, 1e6},
    {"inductor_cumulative_compile_time_us", &CompileSeconds::inductor, 1e6},
    {"inductor_code_gen_cumulative_compile_time_us", &CompileSeconds::code_gen, 1e6},
};

void TakeTimes(simdjson::dom::object metrics, Compilation& compilation) {
  // Microseconds are exact; the seconds existed first (2.2).
  const auto start = MicrosAsSeconds(metrics, "start_time_us");
  compilation.start = start ? *start : JsonDouble(metrics, "start_time").value_or(0);
  for (const TimeField& field : kTimeFields) {
    std::optional<double>& seconds = compilation.seconds.*field.seconds;
    const auto time = seconds ? std::nullopt : JsonDouble(metrics, field.key);
    if (time) seconds = *time / field.per_second;
  }
  const auto saved = JsonDouble(metrics, "remote_cache_time_saved_s");
  std::optional<double>& cache_saved = compilation.seconds.cache_saved;
  if (!cache_saved && saved && *saved > 0) cache_saved = saved;
}

/// The limit was raised as an error instead, as under fullgraph=True.
bool IsHardFailure(std::string_view type) {
  return IsLimitError(type) && type.starts_with("FailOn");
}

/// Whether the frame was abandoned because it was compiled too often.
bool IsLimit(std::string_view type, std::string_view reason) {
  return IsLimitError(type) || reason.starts_with(kLimitHead) || SaysLimitReached(reason);
}

}  // namespace

/// Reads the common metrics of the forward and the backward part.
void TraceProcess::TakeEnd(const TraceHead& head, JsonObjectValue metrics, Attempt& attempt) {
  Compilation& compilation = attempt.compilation;
  compilation.line = head.origin.line;
  compilation.time = head.origin.time;
  compilation.is_finished = true;
  compilation.fail_type = InternField(metrics, "fail_type");
  compilation.fail_reason = Intern(FirstLineOf(JsonText(metrics, "fail_reason")));
  TakeTimes(metrics, compilation);
  attempt.has_begun = true;
  attempt.is_over = true;
  attempt.tensors.clear();
  NoteVersion(JsonText(metrics, "pytorch_version"), head.origin);
}

void TraceProcess::OnMetrics(const TraceHead& head, JsonObjectValue metrics) {
  Attempt* const found = OpenAttempt(head);
  if (found == nullptr) return;
  Attempt& attempt = *found;
  Compilation& compilation = attempt.compilation;
  TakeEnd(head, metrics, attempt);
  compilation.compile_id = Intern(head.FullId());
  // A frame that was abandoned before it was examined has no name here, but had one before.
  const std::string_view function = JsonText(metrics, "co_name");
  if (!function.empty()) {
    frames_[head.frame] = {Intern(function), InternField(metrics, "co_filename"),
                           JsonLine(metrics, "co_firstlineno")};
  }
  NameCompilation(attempt);
  compilation.num_ops = JsonInt(metrics, "graph_op_count");
  compilation.num_inputs = JsonInt(metrics, "graph_input_count");
  compilation.num_guards = JsonInt(metrics, "guard_count");
  if (!compilation.guards.latency_us) {
    compilation.guards.latency_us = JsonDouble(metrics, "guard_latency_us");
  }
  const std::string_view fail_type = JsonText(metrics, "fail_type");
  const bool has_ops = compilation.num_ops.value_or(0) > 0;
  compilation.outcome = !fail_type.empty()                ? CompileOutcome::kFailed
                        : compilation.num_ops && !has_ops ? CompileOutcome::kEmptyGraph
                                                          : CompileOutcome::kGraph;
  records_breaks_ = records_breaks_ || !JsonText(metrics, "pytorch_version").empty() ||
                    metrics["num_graph_breaks"].error() == simdjson::SUCCESS;
  // Without such records, the name of a resume function shows that its function broke.
  if (!records_breaks_) reconciler_.NoteResumeNames(function, head.origin);

  // If the record of a recompile is missing, for example because the front of the file is, the
  // metrics repeat the first of its reasons (2.7 and later).
  const std::string_view reason = FirstLineOf(JsonText(metrics, "recompile_reason"));
  if (!attempt.has_recompile && !reason.empty()) {
    attempt.recompiles.emplace_back(head, ParseReasons(head, RecompileFact(), {reason}));
  }
  ReportRecompiles(attempt);
  if (IsLimit(fail_type, JsonText(metrics, "fail_reason"))) {
    ReportLimit(head, metrics, attempt);
  } else if (!fail_type.empty() && !attempt.error) {
    ReportUnrecordedError(head, metrics, attempt);
  }
  if (const auto reasons = JsonArray(metrics, "restart_reasons")) {
    compilation.restarts = static_cast<uint32_t>(reasons->size());
    ReportRestarts(head, *reasons, attempt);
  }
  if (!fail_type.empty() || !has_ops) return;
  EventDetail detail;
  NameFrame(attempt, detail);
  detail.fact = CompileFact{.seconds = compilation.seconds.total,
                            .num_ops = compilation.num_ops,
                            .graph_inputs = compilation.num_inputs,
                            .cache = kCacheOutcomes[attempt.cache]};
  Emit(head, std::move(detail));
}

void TraceProcess::OnBackwardMetrics(const TraceHead& head, JsonObjectValue metrics) {
  Attempt* attempt = AttemptOf(head);
  if (attempt == nullptr || attempt->compilation.outcome != CompileOutcome::kBackward ||
      attempt->is_over) {
    attempt = Begin(head);
    if (attempt == nullptr) return;
    attempt->compilation.outcome = CompileOutcome::kBackward;
  }
  TakeEnd(head, metrics, *attempt);
}

void TraceProcess::OnRuntimeMetrics(const TraceHead& head, JsonObjectValue metrics) {
  Attempt* const attempt = AttemptOf(head);
  if (attempt == nullptr) return;
  std::optional<double>& seconds = attempt->compilation.seconds.at_run_time;
  seconds = Sum(seconds, Sum(MicrosAsSeconds(metrics, "runtime_triton_autotune_time_us"),
                             MicrosAsSeconds(metrics, "runtime_cudagraphify_time_us")));
}

void TraceProcess::ReportLimit(const TraceHead& head, JsonObjectValue metrics, Attempt& attempt) {
  const std::string_view reason = JsonText(metrics, "fail_reason");
  const std::string_view last = FirstLineOf(JsonText(metrics, "recompile_reason"));
  std::vector<std::string_view> reasons;
  if (!last.empty()) reasons.push_back(last);
  const bool is_accumulated =
      HasText(reason, "Limit type: accumulated") || reason.starts_with("accumulated_");
  std::string_view value = TextBetween(reason, "(currently set to ", ")");
  LimitFact limit;
  limit.limit = ConsumeUint<int64_t>(value);
  limit.limit_name =
      is_accumulated ? LimitName::kAccumulatedRecompileLimit : LimitName::kRecompileLimit;
  ParsedFact fact = ParseReasons(head, std::move(limit), reasons);
  NameFrame(attempt, fact.detail);
  attempt.hit_limit = true;
  reconciler_.AddFact(head.origin, head.FullId(), std::move(fact));
  const std::string_view type = JsonText(metrics, "fail_type");
  if (!IsHardFailure(type)) return;
  EventDetail failure;
  failure.fact = CompileErrorFact{.type = Intern(type), .message = attempt.compilation.fail_reason};
  Emit(head, std::move(failure));
}

/// Restarts that no record of a break explains are breaks themselves. The list is a Python set:
/// unordered, without duplicate reasons.
void TraceProcess::ReportRestarts(const TraceHead& head, simdjson::dom::array reasons,
                                  Attempt& attempt) {
  const std::set<StrId> recorded(attempt.break_types.begin(), attempt.break_types.end());
  size_t remaining = reasons.size();
  remaining -= std::min(remaining, attempt.break_types.size());
  for (const simdjson::dom::element reason : reasons) {
    std::string_view text;
    if (remaining == 0 || reason.get(text) != simdjson::SUCCESS) continue;
    text = FirstLineOf(text);
    ConsumeFront(text, "Unsupported: ");
    // "<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>": Dynamo tries another approach.
    if (text.empty() || text.starts_with("<class ") || text.starts_with("Unknown ")) continue;
    const StrId type = Intern(text);
    if (recorded.contains(type)) continue;
    --remaining;
    EventDetail detail;
    detail.fact = GraphBreakFact{.type = type};
    NameFrame(attempt, detail);
    Emit(head, std::move(detail));
  }
}

/// A failure without its traceback: releases before 2.6, or a damaged trace.
void TraceProcess::ReportUnrecordedError(const TraceHead& head, JsonObjectValue metrics,
                                         Attempt& attempt) {
  const bool is_break = attempt.compilation.fail_type == Intern("Unsupported");
  if (is_break && (!attempt.break_types.empty() || attempt.is_skipped)) return;
  EventDetail detail;
  if (is_break) {
    detail.fact = GraphBreakFact{.type = attempt.compilation.fail_reason};
  } else {
    detail.fact = CompileErrorFact{.type = attempt.compilation.fail_type,
                                   .message = attempt.compilation.fail_reason};
    NameFrame(attempt, detail);
  }
  detail.user_file = InternField(metrics, "fail_user_frame_filename");
  detail.user_line = JsonLine(metrics, "fail_user_frame_lineno");
  Emit(head, std::move(detail));
}

}  // namespace shapewise
