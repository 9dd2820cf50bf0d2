// Payloads with the text of log messages, read by the same parsers; compilation_metrics: the end of
// a compilation, and its cost.

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/guard_tree.h"
#include "ingest/messages/traceback_lines.h"
#include "model/break_types.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

// Objects that one frame changes; further ones add no information.
constexpr size_t kMaxMutated = 256;
constexpr size_t kMaxPassed = 256;

/// "2.13.0+cpu" as 213; 0 for any other text.
int32_t ReleaseOf(std::string_view version) {
  const auto major = ConsumeUint(version);
  if (!major || *major == 0 || *major > 9 || !ConsumeFront(version, ".")) return 0;
  const auto minor = ConsumeUint(version);
  if (!minor || *minor > 99) return 0;
  return static_cast<int32_t>(*major * 100 + *minor);
}

}  // namespace

TraceProcess::PayloadReader TraceProcess::PayloadReaderOf(const TraceHead& head) {
  struct Reader {
    std::string_view name;
    PayloadReader read;
  };
  static constexpr Reader kReaders[] = {
      {"chromium_event", &TraceProcess::OnPhasePayload},
      {"dynamo_cpp_guards_str", &TraceProcess::OnGuardTree},
      {"dynamo_guards", &TraceProcess::OnGuardList},
      {"recompile_reasons", &TraceProcess::OnRecompileReasons},
      {"dynamo_graph_break_reason", &TraceProcess::OnBreakReason},
      {"dynamo_error", &TraceProcess::OnError},
      {"dynamo_side_effects", &TraceProcess::OnSideEffects},
      {"shapewise_passed_tensors", &TraceProcess::OnPassedTensors},
      {"torch_version", &TraceProcess::OnVersion},
  };
  if (head.name.ends_with("_cache_hit")) return &TraceProcess::OnCacheHit;
  const auto reader = std::ranges::find(kReaders, head.name, &Reader::name);
  return reader == std::end(kReaders) ? nullptr : reader->read;
}

void TraceProcess::OnPhasePayload(const TraceHead& head, std::string_view payload) {
  simdjson::dom::object event;
  if (payload_json_.Parse(payload, event)) return OnPhase(head, event);
  session_.stats().Bump(Stat::trace_json_damaged, input_, head.origin.line);
}

void TraceProcess::OnVersion(const TraceHead& head, std::string_view payload) {
  simdjson::dom::object version;
  if (!payload_json_.Parse(payload, version)) return;
  records_breaks_ = true;
  NoteVersion(JsonText(version, "pytorch_version"), head.origin);
}

void TraceProcess::NoteVersion(std::string_view version, const RecordOrigin& origin) {
  const int32_t release = ReleaseOf(version);
  if (release == 0 || release == noted_release_) return;
  noted_release_ = release;
  session_.NoteVersionMark({"the trace names its release", release, release, input_, origin.line});
}

void TraceProcess::Emit(const TraceHead& head, EventDetail detail) {
  ParsedFact fact;
  fact.detail = std::move(detail);
  fact.role = FactRole::kUnique;
  reconciler_.AddFact(head.origin, head.FullId(), std::move(fact));
}

/// `fact` with the reasons in `lines`.
ParsedFact TraceProcess::ParseReasons(const TraceHead& head, EventFact fact,
                                      const std::vector<std::string_view>& lines) {
  ParsedMessage parsed(session_.strings());
  ParsedFact& added = parsed.Add(std::move(fact), FactRole::kUnique);
  AddRecompileReasons(lines, parsed, added);
  reconciler_.AddMarks(parsed, head.origin.line);
  return std::move(added);
}

/// The payload `text` as the corresponding log message.
Record TraceProcess::ToRecord(const TraceHead& head, RecordKind kind, std::string_view text) {
  Record record;
  record.kind = kind;
  record.origin = head.origin;
  record.compile_id = head.FullId();
  record.prefixed = true;
  ForEachLine(
      text, [&](std::string_view line) { record.AddLine(line, /*bare=*/false, session_.stats()); });
  return record;
}

/// `["0/1: tensor 'x' ...", "0/0: ..."]`; up to 2.8 always a list, later a single reason is written
/// directly.
void TraceProcess::OnRecompileReasons(const TraceHead& head, std::string_view payload) {
  ResolveError();
  std::vector<std::string> reasons;
  const auto add = [&reasons](simdjson::dom::element item) {
    const auto text = JsonAs<std::string_view>(item);
    if (text) reasons.emplace_back(*text);
    return text.has_value();
  };
  if (!payload.starts_with('[') && !payload.starts_with('"')) {
    if (!payload.empty()) reasons.emplace_back(payload);
  } else if (simdjson::dom::element root; payload_json_.Parse(payload, root)) {
    if (const auto list = JsonAs<simdjson::dom::array>(root)) {
      for (const simdjson::dom::element item : *list) add(item);
    } else {
      add(root);
    }
  } else {
    // Truncated or damaged: entries are one per line, and each readable one is reported.
    session_.stats().Bump(Stat::trace_json_damaged, input_, head.origin.line);
    ForEachLine(payload, [&](std::string_view line) {
      line = Trim(line);
      if (!line.starts_with('"')) return;
      if (line.ends_with(',')) line.remove_suffix(1);
      simdjson::dom::element item;
      if (!payload_json_.Parse(line, item) || !add(item)) reasons.emplace_back(line.substr(1));
    });
  }
  std::vector<std::string_view> lines;
  for (const std::string& reason : reasons) {
    ForEachLine(reason, [&](std::string_view line) { lines.push_back(line); });
  }
  ParsedFact fact = ParseReasons(head, RecompileFact(), lines);
  Attempt* const attempt = OpenAttempt(head, /*has_begun=*/false);
  if (attempt == nullptr) {
    reconciler_.AddFact(head.origin, head.FullId(), std::move(fact));
    return;
  }
  attempt->has_recompile = true;
  attempt->recompiles.emplace_back(head, std::move(fact));
}

/// The text of the graph_breaks record, followed by the traceback of Dynamo.
void TraceProcess::OnBreakReason(const TraceHead& head, std::string_view payload) {
  records_breaks_ = true;
  const Record record = ToRecord(head, RecordKind::kGraphBreak, payload);
  ParsedMessage parsed = ParseMessage(record, session_.strings());
  // It may follow the metrics.
  Attempt* attempt = AttemptOf(head);
  if (attempt == nullptr) attempt = OpenAttempt(head);
  for (ParsedFact& fact : parsed.facts) {
    if (attempt == nullptr) break;
    EventDetail& detail = fact.detail;
    if (detail.kind() == EventKind::kGraphBreak) attempt->break_types.push_back(detail.type());
    if (detail.kind() != EventKind::kSkippedFrame) continue;
    attempt->is_skipped = true;
    // The text may not say which frame is skipped.
    if (detail.function == StrId::kNone) NameFrame(*attempt, detail);
  }
  reconciler_.Add(record, parsed);
}

/// A traceback. It may be known only later whether a record of a break reports it: 2.7 and older
/// write that record after the metrics.
void TraceProcess::OnError(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr) return;
  // The exception that was raised comes after the last traceback; it may contain the text of
  // another.
  std::string_view raised = payload;
  bool is_inner = false;
  ForEachLine(payload, [&](std::string_view line) {
    if (!is_inner && Indent(line) == 0 &&
        FindExceptionHead(line, /*anywhere=*/false).kind != RecordKind::kNone) {
      raised = payload.substr(static_cast<size_t>(line.data() - payload.data()));
    }
    is_inner = Trim(line).ends_with("raised:");
  });
  if (open_error_ && &attempts_[*open_error_] != attempt) ResolveError();
  attempt->error = ToRecord(head, RecordKind::kException, raised);
  open_error_ = latest_[head.id];
}

/// Reports the pending error, unless a record of a break or a limit has reported it. A trace is the
/// same whether config.suppress_errors made the frame fall back to eager mode or fullgraph=True
/// raised the error, so only the failure of the compilation is reported.
void TraceProcess::ResolveError() {
  if (!open_error_) return;
  Attempt& attempt = attempts_[*open_error_];
  open_error_.reset();
  if (!attempt.error) return;
  const Record record = *std::exchange(attempt.error, std::nullopt);
  const auto head = record.num_lines() > 0 ? ParseAnyException(record.line(0)) : std::nullopt;
  // The limit and the break have records of their own.
  const bool is_break = !attempt.break_types.empty() || attempt.is_skipped;
  if ((attempt.hit_limit || is_break) && head && head->name == "Unsupported") return;
  ParsedMessage parsed = ParseMessage(record, session_.strings());
  for (ParsedFact& fact : parsed.facts) {
    // If a release does not record breaks from which it recovers, it is unknown which of the two
    // this is.
    auto* const graph_break = fact.detail.As<GraphBreakFact>();
    if (graph_break != nullptr && !records_breaks_) graph_break->fatal = false;
    if (fact.detail.kind() == EventKind::kCompileError) NameFrame(attempt, fact.detail);
  }
  reconciler_.Add(record, parsed);
  if (head || attempt.compilation.fail_type == StrId::kNone) return;
  // An exception of other code: the metrics name it.
  ParsedFact fact;
  fact.role = FactRole::kUnique;
  fact.detail.fact = CompileErrorFact{.type = attempt.compilation.fail_type,
                                      .message = attempt.compilation.fail_reason};
  NameFrame(attempt, fact.detail);
  reconciler_.AddFact(record.origin, record.compile_id, std::move(fact));
}

/// `{"time_saved_ms": 8288.0, ...}` of AOT's cache, `{"time_saved_ns": ...}` of Inductor's.
void TraceProcess::OnCacheHit(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = AttemptOf(head);
  simdjson::dom::object object;
  if (attempt == nullptr || !payload_json_.Parse(payload, object)) return;
  std::optional<double>& saved = attempt->compilation.seconds.cache_saved;
  if (const auto millis = JsonDouble(object, "time_saved_ms")) {
    saved = *millis / 1e3;
  } else if (const auto nanos = JsonDouble(object, "time_saved_ns"); nanos && !saved) {
    saved = *nanos / 1e9;
  }
}

void TraceProcess::OnGuardTree(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr) return;
  attempt->compilation.guards = CountGuardTree(payload, session_.strings());
  if (!keeps_guard_texts_ && !IsNeeded(payload)) return;
  attempt->compilation.guard_texts =
      ReadGuardTree(payload, session_.strings(), /*only_needed=*/!keeps_guard_texts_);
}

/// `[{"code": "check_tensor(...)", "stack": ..., "user_stack": ...}]`: no kinds, no tree.
void TraceProcess::OnGuardList(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr || attempt->compilation.guards.leaves > 0) return;
  simdjson::dom::array list;
  if (!payload_json_.Parse(payload, list)) return;
  attempt->compilation.guards.leaves = static_cast<uint32_t>(list.size());
  if (!keeps_guard_texts_) return;
  GuardTextReader reader(session_.strings());
  for (const simdjson::dom::element guard : list) {
    if (const auto object = JsonAs<JsonObjectValue>(guard)) {
      reader.AddGuard(JsonText(*object, "code"));
    }
  }
  attempt->compilation.guard_texts = reader.Take();
}

/// "Mutating object of type Counter (source name: L['self'])", each with the stacks of the
/// mutations.
void TraceProcess::OnSideEffects(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  if (!keeps_guard_texts_ || attempt == nullptr) return;
  std::vector<StrId>& mutated = attempt->compilation.mutated;
  ForEachLine(payload, [&](std::string_view line) {
    if (!line.starts_with("Mutating object of type ")) return;
    constexpr std::string_view kSource = "(source name: ";
    const size_t at = FindText(line, kSource);
    if (at == kNotFound || mutated.size() >= kMaxMutated) return;
    std::string_view source = line.substr(at + kSource.size());
    if (const size_t end = source.rfind(')'); end != kNotFound) source = source.substr(0, end);
    mutated.push_back(Intern(source));
  });
}

/// {"L['y']": "L['x']", "L['z']": null}, written by python/shapewise/record/passed.py.
void TraceProcess::OnPassedTensors(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  simdjson::dom::object tensors;
  if (!keeps_guard_texts_ || attempt == nullptr || !payload_json_.Parse(payload, tensors)) return;
  std::vector<PassedTensor>& passed = attempt->compilation.passed;
  passed.clear();
  for (const auto& [source, argument] : tensors) {
    std::string_view name;
    if (passed.size() >= kMaxPassed) return;
    if (!argument.is_null() && argument.get(name) != simdjson::SUCCESS) continue;
    passed.push_back({Intern(source), name.empty() ? StrId::kNone : Intern(name)});
  }
}

void TraceProcess::ReportRecompiles(Attempt& attempt) {
  for (auto& [head, fact] : attempt.recompiles) {
    NameFrame(attempt, fact.detail);
    reconciler_.AddFact(head.origin, head.FullId(), std::move(fact));
  }
  attempt.recompiles.clear();
}

namespace {

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
  return IsLimitError(type) || SaysLimitReached(reason);
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
