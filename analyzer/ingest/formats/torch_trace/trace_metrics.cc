// compilation_metrics: the end of a compilation, and what it took.

#include <algorithm>
#include <set>

#include "ingest/formats/torch_trace/trace_process.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kLimitHead = "Dynamo recompile limit exceeded";

std::string_view FirstLineOf(std::string_view text) {
  return TrimRight(text.substr(0, text.find('\n')));
}

std::optional<double> MicrosAsSeconds(simdjson::dom::object metrics, std::string_view key) {
  const auto micros = JsonDouble(metrics, key);
  if (!micros) return std::nullopt;
  return *micros / 1e6;
}

/// Two stretches of time, either of which may not be told.
std::optional<double> Sum(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  return b ? *a + *b : *a;
}

uint32_t AsLine(std::optional<int64_t> line) {
  return line && *line > 0 && *line <= UINT32_MAX ? static_cast<uint32_t>(*line) : 0;
}

/// What the forward and the backward part have in common.
void TakeTimes(simdjson::dom::object metrics, Compilation& compilation) {
  // Microseconds are exact; the seconds beside them were there first (2.2).
  const auto start = MicrosAsSeconds(metrics, "start_time_us");
  compilation.start = start ? *start : JsonDouble(metrics, "start_time").value_or(0);
  CompileSeconds& seconds = compilation.seconds;
  seconds.total = JsonDouble(metrics, "entire_frame_compile_time_s");
  if (!seconds.total) seconds.total = MicrosAsSeconds(metrics, "duration_us");
  seconds.backend = JsonDouble(metrics, "backend_compile_time_s");
  seconds.inductor = JsonDouble(metrics, "inductor_compile_time_s");
  seconds.code_gen = JsonDouble(metrics, "code_gen_time_s");
  // The nightlies between 2.5 and 2.6 knew only the sums of torch/_dynamo/utils.py, dynamo_timed.
  if (!seconds.total) {
    seconds.total = MicrosAsSeconds(metrics, "dynamo_cumulative_compile_time_us");
    seconds.backend = MicrosAsSeconds(metrics, "aot_autograd_cumulative_compile_time_us");
    seconds.inductor = MicrosAsSeconds(metrics, "inductor_cumulative_compile_time_us");
    seconds.code_gen = MicrosAsSeconds(metrics, "inductor_code_gen_cumulative_compile_time_us");
  }
  seconds.before_restart = JsonDouble(metrics, "dynamo_time_before_restart_s");
  if (!seconds.cache_saved) {
    const auto saved = JsonDouble(metrics, "remote_cache_time_saved_s");
    if (saved && *saved > 0) seconds.cache_saved = saved;
  }
  compilation.is_finished = true;
}

/// The limit was raised as an error instead, as under fullgraph=True.
bool IsHardFailure(std::string_view type) {
  return type == "FailOnRecompileLimitHit" || type == "FailOnCacheLimitHit";
}

/// Whether the frame was given up because it was compiled too often. Sources: convert_frame.py,
/// exc.py; 2.5 and 2.6 say cache size limit.
bool IsLimit(std::string_view type, std::string_view reason) {
  return type == "RecompileLimitExceeded" || type == "CacheLimitExceeded" || IsHardFailure(type) ||
         reason.starts_with(kLimitHead) || reason.ends_with("recompile_limit reached") ||
         reason.ends_with("cache_size_limit reached");
}

}  // namespace

void TraceProcess::OnMetrics(const TraceHead& head, simdjson::dom::object metrics) {
  Attempt* const found = OpenAttempt(head);
  if (found == nullptr) return;
  Attempt& attempt = *found;
  Compilation& compilation = attempt.compilation;
  compilation.line = head.origin.line;
  compilation.time = head.origin.time;
  compilation.compile_id = context_.Intern(head.FullId());
  TakeTimes(metrics, compilation);

  // A frame that was given up before it was looked at has no name here, but had one before.
  if (const std::string_view function = JsonText(metrics, "co_name"); !function.empty()) {
    frames_[head.frame] = {context_.Intern(function),
                           context_.Intern(JsonText(metrics, "co_filename")),
                           AsLine(JsonInt(metrics, "co_firstlineno"))};
  }
  NameCompilation(attempt);
  compilation.num_ops = JsonInt(metrics, "graph_op_count");
  compilation.num_inputs = JsonInt(metrics, "graph_input_count");
  compilation.num_guards = JsonInt(metrics, "guard_count");
  if (!compilation.guards.latency_us) {
    compilation.guards.latency_us = JsonDouble(metrics, "guard_latency_us");
  }
  const std::string_view fail_type = JsonText(metrics, "fail_type");
  const std::string_view fail_reason = JsonText(metrics, "fail_reason");
  compilation.fail_type = context_.Intern(fail_type);
  compilation.fail_reason = context_.Intern(FirstLineOf(fail_reason));
  compilation.outcome = !fail_type.empty()                     ? CompileOutcome::kFailed
                        : compilation.num_ops.value_or(1) == 0 ? CompileOutcome::kEmptyGraph
                                                               : CompileOutcome::kGraph;
  attempt.is_over = true;
  attempt.tensors.clear();

  const std::string_view version = JsonText(metrics, "pytorch_version");
  NoteVersion(version, head.origin);
  if (!version.empty() || metrics["num_graph_breaks"].error() == simdjson::SUCCESS) {
    records_breaks_ = true;
  }
  // Without such records, what is left of a function tells that it broke.
  if (!records_breaks_) {
    sightings_.NoteResumeNames(JsonText(metrics, "co_name"), head.origin);
  }

  if (!attempt.has_recompile) TellUnrecordedRecompile(head, metrics, attempt);
  TellRecompiles(attempt);
  if (IsLimit(fail_type, fail_reason)) {
    TellLimit(head, metrics, attempt);
  } else if (!fail_type.empty() && attempt.error == nullptr) {
    TellUnrecordedError(head, metrics, attempt);
  }
  if (const auto reasons = JsonArray(metrics, "restart_reasons")) {
    compilation.restarts = static_cast<uint32_t>(reasons->size());
    TellRestarts(head, *reasons, attempt);
  }
  if (fail_type.empty() && compilation.num_ops.value_or(0) > 0) TellCompile(head, attempt);
}

void TraceProcess::OnBackwardMetrics(const TraceHead& head, simdjson::dom::object metrics) {
  Attempt* attempt = AttemptOf(head);
  if (attempt == nullptr || attempt->compilation.outcome != CompileOutcome::kBackward ||
      attempt->is_over) {
    attempt = Begin(head);
    if (attempt == nullptr) return;
    attempt->compilation.outcome = CompileOutcome::kBackward;
  }
  Compilation& compilation = attempt->compilation;
  compilation.line = head.origin.line;
  compilation.time = head.origin.time;
  TakeTimes(metrics, compilation);
  compilation.fail_type = context_.Intern(JsonText(metrics, "fail_type"));
  compilation.fail_reason = context_.Intern(FirstLineOf(JsonText(metrics, "fail_reason")));
  attempt->has_begun = true;
  attempt->is_over = true;
  NoteVersion(JsonText(metrics, "pytorch_version"), head.origin);
}

void TraceProcess::OnRuntimeMetrics(const TraceHead& head, simdjson::dom::object metrics) {
  Attempt* const attempt = AttemptOf(head);
  if (attempt == nullptr) return;
  std::optional<double>& seconds = attempt->compilation.seconds.at_run_time;
  seconds = Sum(seconds, Sum(MicrosAsSeconds(metrics, "runtime_triton_autotune_time_us"),
                             MicrosAsSeconds(metrics, "runtime_cudagraphify_time_us")));
}

/// A recompile whose record is not there, as where the front of the file was cut away; the metrics
/// repeat the first of its reasons (2.7 and later).
void TraceProcess::TellUnrecordedRecompile(const TraceHead& head, simdjson::dom::object metrics,
                                           Attempt& attempt) {
  const std::string_view reason = FirstLineOf(JsonText(metrics, "recompile_reason"));
  if (reason.empty()) return;
  Record record = NewRecord(head, RecordKind::kRecompile);
  EventDetail detail;
  detail.kind = EventKind::kRecompile;
  AddRecompileReasons({reason}, context_, record, detail);
  attempt.recompiles.emplace_back(std::move(record), std::move(detail));
}

void TraceProcess::TellLimit(const TraceHead& head, simdjson::dom::object metrics,
                             Attempt& attempt) {
  const std::string_view reason = JsonText(metrics, "fail_reason");
  const Record record = NewRecord(head, RecordKind::kLimit);
  EventDetail detail;
  detail.kind = EventKind::kRecompileLimit;
  const bool is_accumulated =
      HasText(reason, "Limit type: accumulated") || reason.starts_with("accumulated_");
  detail.limit_name =
      is_accumulated ? LimitName::kAccumulatedRecompileLimit : LimitName::kRecompileLimit;
  std::string_view value = TextBetween(reason, "(currently set to ", ")");
  detail.limit = context_.ConsumeNumber<int64_t>(record, value);
  NameFrame(attempt, detail);
  const std::string_view last = FirstLineOf(JsonText(metrics, "recompile_reason"));
  if (!last.empty()) AddRecompileReasons({last}, context_, record, detail);
  attempt.hit_limit = true;
  context_.Emit(record, detail);
  const std::string_view type = JsonText(metrics, "fail_type");
  if (!IsHardFailure(type)) return;
  EventDetail failure;
  failure.kind = EventKind::kCompileError;
  failure.type = context_.Intern(type);
  failure.message = attempt.compilation.fail_reason;
  context_.Emit(record, failure);
}

void TraceProcess::TellCompile(const TraceHead& head, Attempt& attempt) {
  EventDetail detail;
  detail.kind = EventKind::kCompile;
  NameFrame(attempt, detail);
  detail.seconds = attempt.compilation.seconds.total;
  detail.num_ops = attempt.compilation.num_ops;
  detail.graph_inputs = attempt.compilation.num_inputs;
  detail.cache = attempt.Cache();
  context_.Emit(NewRecord(head, RecordKind::kNone), detail);
}

/// Restarts that no record of a break explains are breaks themselves. The list is a set in Python:
/// it has no order, and no reason twice.
void TraceProcess::TellRestarts(const TraceHead& head, simdjson::dom::array reasons,
                                Attempt& attempt) {
  const std::set<StrId> recorded(attempt.break_types.begin(), attempt.break_types.end());
  size_t untold = reasons.size();
  untold -= std::min(untold, attempt.break_types.size());
  for (const simdjson::dom::element reason : reasons) {
    std::string_view text;
    if (untold == 0 || reason.get(text) != simdjson::SUCCESS) continue;
    text = FirstLineOf(text);
    ConsumeFront(text, "Unsupported: ");
    // "<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>": Dynamo tries another way.
    if (text.empty() || text.starts_with("<class ") || text.starts_with("Unknown ")) continue;
    const StrId type = context_.Intern(text);
    if (recorded.contains(type)) continue;
    --untold;
    EventDetail detail;
    detail.kind = EventKind::kGraphBreak;
    detail.type = type;
    NameFrame(attempt, detail);
    context_.Emit(NewRecord(head, RecordKind::kGraphBreak), detail);
  }
}

/// A failure without its traceback: releases before 2.6, or a damaged trace.
void TraceProcess::TellUnrecordedError(const TraceHead& head, simdjson::dom::object metrics,
                                       Attempt& attempt) {
  const bool is_break = attempt.compilation.fail_type == context_.Intern("Unsupported");
  if (is_break && (!attempt.break_types.empty() || attempt.is_skipped)) return;
  EventDetail detail;
  detail.kind = is_break ? EventKind::kGraphBreak : EventKind::kCompileError;
  detail.type = is_break ? attempt.compilation.fail_reason : attempt.compilation.fail_type;
  if (!is_break) detail.message = attempt.compilation.fail_reason;
  if (!is_break) NameFrame(attempt, detail);
  detail.user_file = context_.Intern(JsonText(metrics, "fail_user_frame_filename"));
  detail.user_line = AsLine(JsonInt(metrics, "fail_user_frame_lineno"));
  context_.Emit(NewRecord(head, RecordKind::kException), detail);
}

}  // namespace shapewise
