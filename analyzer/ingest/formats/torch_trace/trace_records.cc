// Payloads that hold what logs print as messages: the same parsers read them.

#include <utility>

#include "ingest/formats/torch_trace/trace_process.h"
#include "ingest/guard_texts.h"
#include "ingest/guard_tree.h"
#include "ingest/messages/exception_head.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Objects that one frame changes; more say nothing that the first of them do not.
constexpr size_t kMaxMutated = 256;

/// Calls `take` with each line of `text`.
template <typename Take>
void ForEachLine(std::string_view text, const Take& take) {
  while (true) {
    const size_t newline = text.find('\n');
    take(text.substr(0, newline));
    if (newline == kNotFound) return;
    text.remove_prefix(newline + 1);
  }
}

/// "2.13.0+cpu" as 213; 0 if it is no such text.
int32_t ReleaseOf(std::string_view version) {
  const auto major = ConsumeUint(version);
  if (!major || *major == 0 || *major > 9 || !ConsumeFront(version, ".")) return 0;
  const auto minor = ConsumeUint(version);
  if (!minor || *minor > 99) return 0;
  return static_cast<int32_t>(*major * 100 + *minor);
}

}  // namespace

void TraceProcess::OnPayload(const TraceHead& head, std::string_view payload) {
  if (head.event == TraceLineKind::kGuardTree) {
    if (Attempt* const attempt = OpenAttempt(head)) {
      attempt->compilation.guards = CountGuardTree(payload, context_.session.strings());
      if (keeps_guard_texts_) {
        attempt->compilation.guard_texts = ReadGuardTree(payload, context_.session.strings());
      }
    }
  } else if (head.event == TraceLineKind::kGuardList) {
    OnGuardList(head, payload);
  } else if (head.name == "recompile_reasons") {
    OnRecompileReasons(head, payload);
  } else if (head.name == "dynamo_graph_break_reason") {
    OnBreakReason(head, payload);
  } else if (head.name == "dynamo_error") {
    OnError(head, payload);
  } else if (head.name.ends_with("_cache_hit")) {
    OnCacheHit(head, payload);
  } else if (head.name == "dynamo_side_effects") {
    OnSideEffects(head, payload);
  } else if (head.name == "torch_version") {
    simdjson::dom::element root;
    simdjson::dom::object object;
    if (payload_json_.Parse(payload, root) && root.get(object) == simdjson::SUCCESS) {
      records_breaks_ = true;
      NoteVersion(JsonText(object, "pytorch_version"), head.origin);
    }
  }
}

void TraceProcess::NoteVersion(std::string_view version, const RecordOrigin& origin) {
  const int32_t release = ReleaseOf(version);
  if (release == 0 || release == noted_release_) return;
  noted_release_ = release;
  context_.session.NoteVersionMark(
      {"the trace names its release", release, release, origin.input, origin.line});
}

/// `["0/1: tensor 'x' ...", "0/0: ..."]`; up to 2.8 always a list, since then a lone reason is
/// written as it is.
void TraceProcess::OnRecompileReasons(const TraceHead& head, std::string_view payload) {
  ResolveError();
  std::vector<std::string> reasons;
  if (payload.starts_with('[') || payload.starts_with('"')) {
    simdjson::dom::element root;
    simdjson::dom::array list;
    std::string_view text;
    if (!payload_json_.Parse(payload, root)) {
      // Cut or damaged: the entries are one a line, and each is told that can be read.
      context_.session.stats().Bump(Stat::trace_json_damaged, input_, head.origin.line);
      ForEachLine(payload, [&](std::string_view line) {
        line = Trim(line);
        if (!line.starts_with('"')) return;
        if (line.ends_with(',')) line.remove_suffix(1);
        simdjson::dom::element entry;
        const bool is_whole =
            payload_json_.Parse(line, entry) && entry.get(text) == simdjson::SUCCESS;
        reasons.emplace_back(is_whole ? text : line.substr(1));
      });
    } else if (root.get(list) == simdjson::SUCCESS) {
      for (const simdjson::dom::element entry : list) {
        if (entry.get(text) == simdjson::SUCCESS) reasons.emplace_back(text);
      }
    } else if (root.get(text) == simdjson::SUCCESS) {
      reasons.emplace_back(text);
    }
  } else if (!payload.empty()) {
    reasons.emplace_back(payload);
  }
  EventDetail detail;
  detail.kind = EventKind::kRecompile;
  Record record = NewRecord(head, RecordKind::kRecompile);
  std::vector<std::string_view> lines;
  for (const std::string& reason : reasons) {
    ForEachLine(reason, [&](std::string_view line) { lines.push_back(line); });
  }
  AddRecompileReasons(lines, context_, record, detail);
  Attempt* const attempt = OpenAttempt(head, /*has_begun=*/false);
  if (attempt == nullptr) {
    context_.Emit(record, detail);
    return;
  }
  attempt->has_recompile = true;
  attempt->recompiles.emplace_back(std::move(record), std::move(detail));
}

void TraceProcess::AddLines(std::string_view text, Record& record) {
  ForEachLine(text, [&](std::string_view line) {
    record.AddLine(line, /*bare=*/false, context_.session.stats());
  });
}

/// The text of the graph_breaks record, and below it the traceback of Dynamo.
void TraceProcess::OnBreakReason(const TraceHead& head, std::string_view payload) {
  records_breaks_ = true;
  Record record = NewRecord(head, RecordKind::kGraphBreak);
  AddLines(payload, record);
  const size_t before = context_.session.events().size();
  ParseRecord(record, context_);
  // It may stand behind the metrics.
  Attempt* attempt = AttemptOf(head);
  if (attempt == nullptr) attempt = OpenAttempt(head);
  if (attempt == nullptr) return;
  for (size_t i = before; i < context_.session.events().size(); ++i) {
    context_.session.AmendDetail(i, [&](EventDetail& detail) {
      if (detail.kind == EventKind::kGraphBreak) attempt->break_types.push_back(detail.type);
      if (detail.kind != EventKind::kSkippedFrame) return;
      attempt->is_skipped = true;
      // The text may leave open which frame is skipped.
      if (detail.function == StrId::kNone) NameFrame(*attempt, detail);
    });
  }
}

/// A traceback. Whether a record of a break tells it already may show only later: 2.7 and older
/// write that record behind the metrics.
void TraceProcess::OnError(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  if (attempt == nullptr) return;
  auto record = std::make_unique<Record>(NewRecord(head, RecordKind::kException));
  // What was raised stands below the last traceback; it may hold the text of another exception.
  std::string_view raised = payload;
  bool is_inner = false;
  ForEachLine(payload, [&](std::string_view line) {
    if (!is_inner && Indent(line) == 0 &&
        FindExceptionHead(line, /*anywhere=*/false).kind != RecordKind::kNone) {
      raised = payload.substr(static_cast<size_t>(line.data() - payload.data()));
    }
    is_inner = Trim(line).ends_with("raised:");
  });
  AddLines(raised, *record);
  if (open_error_ && &attempts_[*open_error_] != attempt) ResolveError();
  attempt->error = std::move(record);
  open_error_ = latest_[head.id];
}

/// Reports the error that waits, unless a record of a break or a limit has reported it. A trace is
/// the same whether config.suppress_errors made the frame fall back to eager mode or fullgraph=True
/// raised the error all the same, so only the failure of the compilation is reported.
void TraceProcess::ResolveError() {
  if (!open_error_) return;
  Attempt& attempt = attempts_[*open_error_];
  open_error_.reset();
  if (attempt.error == nullptr) return;
  const std::unique_ptr<Record> record = std::move(attempt.error);
  std::string_view name;
  std::string_view message;
  const bool has_head =
      record->num_lines() > 0 && ParseAnyException(record->line(0), name, message);
  // The limit and the break are told by records of their own.
  const bool is_break = !attempt.break_types.empty() || attempt.is_skipped;
  if ((attempt.hit_limit || is_break) && name == "Unsupported") return;
  const size_t before = context_.session.events().size();
  ParseRecord(*record, context_);
  for (size_t i = before; i < context_.session.events().size(); ++i) {
    context_.session.AmendDetail(i, [&](EventDetail& detail) {
      // A release that keeps no record of breaks that it recovers from leaves open which this is.
      if (detail.kind == EventKind::kGraphBreak && !records_breaks_) detail.fatal = false;
      if (detail.kind == EventKind::kCompileError) NameFrame(attempt, detail);
    });
  }
  if (has_head || attempt.compilation.fail_type == StrId::kNone) return;
  // An exception of somebody else's: the metrics name it.
  EventDetail detail;
  detail.kind = EventKind::kCompileError;
  detail.type = attempt.compilation.fail_type;
  detail.message = attempt.compilation.fail_reason;
  NameFrame(attempt, detail);
  context_.Emit(*record, detail);
}

/// `{"time_saved_ms": 8288.0, ...}` of AOT's cache, `{"time_saved_ns": ...}` of Inductor's.
void TraceProcess::OnCacheHit(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = AttemptOf(head);
  simdjson::dom::element root;
  simdjson::dom::object object;
  if (attempt == nullptr || !payload_json_.Parse(payload, root) ||
      root.get(object) != simdjson::SUCCESS) {
    return;
  }
  std::optional<double>& saved = attempt->compilation.seconds.cache_saved;
  if (const auto millis = JsonDouble(object, "time_saved_ms")) {
    saved = *millis / 1e3;
  } else if (const auto nanos = JsonDouble(object, "time_saved_ns"); nanos && !saved) {
    saved = *nanos / 1e9;
  }
}

/// `[{"code": "check_tensor(...)", "stack": ..., "user_stack": ...}]`: no kinds, no tree.
void TraceProcess::OnGuardList(const TraceHead& head, std::string_view payload) {
  Attempt* const attempt = OpenAttempt(head);
  simdjson::dom::element root;
  simdjson::dom::array list;
  if (attempt == nullptr || attempt->compilation.guards.leaves > 0 ||
      !payload_json_.Parse(payload, root) || root.get(list) != simdjson::SUCCESS) {
    return;
  }
  attempt->compilation.guards.leaves = static_cast<uint32_t>(list.size());
  if (!keeps_guard_texts_) return;
  GuardTextReader reader(context_.session.strings());
  for (const simdjson::dom::element guard : list) {
    simdjson::dom::object object;
    if (guard.get(object) == simdjson::SUCCESS) reader.AddGuard(JsonText(object, "code"));
  }
  attempt->compilation.guard_texts = reader.Take();
}

/// "Mutating object of type Counter (source name: L['self'])", each with the stacks that do.
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
    mutated.push_back(context_.Intern(source));
  });
}

void TraceProcess::TellRecompiles(Attempt& attempt) {
  for (auto& [record, detail] : attempt.recompiles) {
    NameFrame(attempt, detail);
    context_.Emit(record, detail);
  }
  attempt.recompiles.clear();
}

}  // namespace shapewise
