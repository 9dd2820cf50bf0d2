#include "ingest/reconcile/reconciler.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ingest/messages/break_text.h"
#include "ingest/messages/message_rows.h"
#include "ingest/messages/traceback_lines.h"
#include "model/break_types.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Real logs have few messages without their first line; a hostile one could have millions.
constexpr size_t kMaxNameless = 4096;

/// Whether `known` contains an exception of `type` whose text begins with `text`.
bool HasException(const std::set<std::pair<std::string, std::string>>& known,
                  const std::string& type, const std::string& text) {
  const auto found = known.lower_bound({type, text});
  return found != known.end() && found->first == type && found->second.starts_with(text);
}

/// `text` without the dots with which pytest's summary truncates long lines.
std::string WithoutDots(std::string_view text) {
  if (text.ends_with("...")) text.remove_suffix(3);
  return std::string(text);
}

void MarkFatal(EventDetail& detail) { detail.As<RecompileFact>()->fatal = true; }

}  // namespace

bool Reconciler::Add(const Record& record, const ParsedMessage& parsed) {
  AddMarks(parsed, record.origin.line);
  if (parsed.is_unknown) {
    session_->CountUnknownLines(input_, record.origin.line, record.line(0));
  }
  if (parsed.is_doubtful) {
    std::optional<DetailId> detail;
    if (!parsed.facts.empty()) detail = session_->InternDetail(parsed.facts.front().detail);
    Doubtful& doubtful = doubtful_[{record.origin.rank, detail}];
    if (doubtful.count++ == 0) {
      doubtful.first = {record.origin, record.compile_id};
      doubtful.line = record.line(0).substr(0, kMaxShownLine);
    }
    return false;
  }
  bool any_event = false;
  for (const ParsedFact& fact : parsed.facts) {
    any_event |= AddFact(record.origin, record.compile_id, fact);
  }
  return any_event;
}

void Reconciler::AddMarks(const ParsedMessage& parsed, uint64_t line) {
  for (const Stat damage : parsed.damage) session_->stats().Bump(damage, input_, line);
  for (const auto& [what, from, until] : parsed.marks) {
    session_->NoteVersionMark({what, from, until, input_, line});
  }
}

bool Reconciler::AddFact(const RecordOrigin& origin, std::string_view compile_id, ParsedFact fact) {
  if (std::vector<ReasonId>* const reasons = fact.detail.mutable_reasons()) {
    for (const Reason& reason : fact.reasons) reasons->push_back(session_->InternReason(reason));
  }
  if (fact.role == FactRole::kAnnounced) {
    announced_.try_emplace(session_->InternDetail(fact.detail),
                           Announced{origin, std::string(compile_id)});
    return true;
  }
  if (fact.role == FactRole::kPart && fact.detail.kind() == EventKind::kCompileError) {
    has_failed_operation_ = true;
    return true;
  }
  if (auto* const error = fact.detail.As<CompileErrorFact>()) NameFailedGuard(*error);
  NoteFailure(fact.detail);
  if (fact.role == FactRole::kUnique) {
    Emit(origin, compile_id, fact.detail, fact.texts);
    return true;
  }
  if (!IsNew(origin, compile_id, fact)) return false;
  Memory& memory = memories_[origin.rank];
  const uint64_t num_events = session_->num_events_added();
  switch (fact.detail.kind()) {
    case EventKind::kGraphBreak:
      AddBreak(origin, compile_id, fact);
      break;
    case EventKind::kRecompileLimit:
      AddLimit(origin, compile_id, fact);
      break;
    case EventKind::kRecompile:
      AddRecompile(origin, compile_id, fact);
      break;
    case EventKind::kCompileError:
      AddError(origin, compile_id, fact);
      break;
    case EventKind::kXlaCompile:
      if (fact.role == FactRole::kPart) {
        CompleteXlaCompile(memory, *fact.detail.As<XlaCompileFact>());
      } else {
        memory.last_xla_compile = Emit(origin, compile_id, fact.detail, fact.texts);
      }
      break;
    default:
      Emit(origin, compile_id, fact.detail, fact.texts);
  }
  return session_->num_events_added() != num_events;
}

/// Adds the size of the inputs, which is printed after the compilation.
void Reconciler::CompleteXlaCompile(Memory& memory, const XlaCompileFact& part) {
  const std::optional<size_t> event = std::exchange(memory.last_xla_compile, std::nullopt);
  if (!event || !part.graph_input_gb) return;
  session_->AmendDetail(*event, [&part](EventDetail& detail) {
    detail.As<XlaCompileFact>()->graph_input_gb = part.graph_input_gb;
  });
}

size_t Reconciler::Emit(const RecordOrigin& origin, std::string_view compile_id,
                        const EventDetail& detail, const ChangingTexts& texts) {
  Event event;
  event.line = origin.line;
  event.time = origin.time;
  event.input = input_;
  event.rank = origin.rank;
  event.compile_id = session_->strings().Intern(compile_id);
  return session_->AddEvent(event, detail, texts);
}

/// Whether no other message contained `fact`, for messages that may be printed again.
bool Reconciler::IsNew(const RecordOrigin& origin, std::string_view compile_id,
                       const ParsedFact& fact) {
  Memory& memory = memories_[origin.rank];
  const EventDetail& detail = fact.detail;
  const bool is_raised = fact.role == FactRole::kRaised;
  switch (detail.kind()) {
    case EventKind::kConstraintViolation:
      return IsNewViolation(memory, compile_id, *detail.As<ConstraintFact>(), is_raised);
    case EventKind::kGraphBreak:
      if (fact.role == FactRole::kListing) {
        return !memory.break_places.contains({detail.user_file, detail.user_line});
      }
      return !is_raised || IsNewBreak(memory, detail);
    case EventKind::kCompileError:
      return !is_raised || IsNewError(memory, compile_id, detail);
    case EventKind::kSkippedFrame:
      return IsNewSkip(memory, detail);
    case EventKind::kTorchscript:
      return memory.exceptions
          .emplace(session_->text(detail.type()),
                   std::string(session_->text(detail.message())) + "@" + UserPlaceOf(detail))
          .second;
    default:
      return true;
  }
}

std::string Reconciler::UserPlaceOf(const EventDetail& detail) const {
  return std::string(session_->text(detail.user_file)) + ":" + std::to_string(detail.user_line);
}

/// A fatal break is new if its text and place are; if a summary prints the exception without its
/// place, if its text is.
bool Reconciler::IsNewBreak(Memory& memory, const EventDetail& detail) {
  const std::string type = WithoutDots(session_->text(detail.type()));
  if (detail.user_line == 0 && HasException(memory.exceptions, "break", type)) return false;
  return memory.exceptions.emplace("break", type + "@" + UserPlaceOf(detail)).second;
}

/// TORCH_LOGS=+dynamo reports a limit two more times: "WON'T CONVERT f ...", with the exception
/// that ends the compilation, and "skipping: f (reason: compilation failed ...)". The latter also
/// follows any other exception.
bool Reconciler::IsNewSkip(Memory& memory, const EventDetail& detail) {
  if (detail.why() != Why::kCompileError) return true;
  const std::pair function(detail.function, detail.file);
  const bool is_limit = session_->text(detail.message()).starts_with(kLimitExceeded);
  if (is_limit && memory.limited.contains(function)) return false;
  if (detail.type() != StrId::kNone) {
    memory.failed.insert(function);
    return true;
  }
  return !memory.failed.contains(function) && !memory.limited.contains(function);
}

/// A message with an id is the error of that compilation; without an id it may repeat the traceback
/// of any earlier message.
bool Reconciler::IsNewError(Memory& memory, std::string_view compile_id,
                            const EventDetail& detail) {
  std::string type(session_->text(detail.type()));
  const std::string message = WithoutDots(session_->text(detail.message()));
  if (!compile_id.empty()) {
    memory.exceptions.emplace(type, message);
    type += " " + std::string(WithoutAttempt(compile_id));
  }
  if (HasException(memory.exceptions, type, message)) return false;
  memory.exceptions.emplace(type, message);
  return true;
}

/// torch.export raises a UserError with the text of the ConstraintViolationError before it; the
/// engine of a server raises that of a worker, which has another rank.
bool Reconciler::IsNewViolation(Memory& memory, std::string_view compile_id,
                                const ConstraintFact& violation, bool is_raised) {
  const std::pair key(violation.source, violation.dim);
  const auto is_known = [&key](const auto& of_rank) {
    return of_rank.second.unrepeated_violations.contains(key);
  };
  if (is_raised && std::ranges::any_of(memories_, is_known)) return false;
  uint32_t& unrepeated = memory.unrepeated_violations[key];
  if (!compile_id.empty()) {
    ++unrepeated;
    return true;
  }
  const std::string text = std::string(session_->text(violation.source)) + "@" +
                           std::to_string(violation.dim) + "@" +
                           std::to_string(static_cast<uint32_t>(violation.message));
  if (!memory.exceptions.emplace("constraint", text).second) return false;
  if (unrepeated == 0) return true;
  --unrepeated;
  return false;
}

/// error_on_recompile logs the record and raises it as an exception with the same text.
void Reconciler::AddRecompile(const RecordOrigin& origin, std::string_view compile_id,
                              const ParsedFact& fact) {
  Memory& memory = memories_[origin.rank];
  EventDetail record = fact.detail;
  record.As<RecompileFact>()->fatal = false;
  std::vector<size_t>& unrepeated = memory.unrepeated_recompiles[session_->InternDetail(record)];
  if (fact.role == FactRole::kRaised && !unrepeated.empty()) {
    session_->AmendDetail(unrepeated.back(), MarkFatal);
    unrepeated.pop_back();
    return;
  }
  // The text of an exception that is cut may only name the frame.
  const bool names_frame = fact.detail.cut && fact.detail.reasons().empty();
  if (fact.role == FactRole::kRaised && names_frame && memory.last_recompile) {
    const EventDetail& last = session_->detail(session_->events()[*memory.last_recompile]);
    if (std::tie(last.function, last.file, last.function_line) ==
        std::tie(fact.detail.function, fact.detail.file, fact.detail.function_line)) {
      session_->AmendDetail(*memory.last_recompile, MarkFatal);
      return;
    }
  }
  const size_t event = Emit(origin, compile_id, fact.detail);
  NoteFrame(origin.rank, compile_id, fact.detail, event);
  if (fact.role == FactRole::kRaised) return;
  unrepeated.push_back(event);
  memory.last_recompile = event;
}

/// Adds an error, or names the consequence of the limit that was raised right before it.
void Reconciler::AddError(const RecordOrigin& origin, std::string_view compile_id,
                          const ParsedFact& fact) {
  const auto& error = *fact.detail.As<CompileErrorFact>();
  std::optional<size_t>& limit = memories_[origin.rank].last_limit_error;
  const bool is_of_limit = IsLimitError(session_->text(error.type));
  if (limit && is_of_limit && *limit + 1 == session_->events().size()) {
    session_->AmendDetail(*limit, [&error](EventDetail& whole) {
      auto& known = *whole.As<CompileErrorFact>();
      known.type = error.type;
      if (error.message != StrId::kNone) known.message = error.message;
    });
    limit.reset();
    return;
  }
  const size_t event = Emit(origin, compile_id, fact.detail, fact.texts);
  limit.reset();
  if (!is_of_limit && session_->text(error.message).starts_with(kLimitExceeded)) limit = event;
}

/// Adds a limit, or completes one that was interrupted by other records of the same frame.
void Reconciler::AddLimit(const RecordOrigin& origin, std::string_view compile_id,
                          const ParsedFact& fact) {
  Memory& memory = memories_[origin.rank];
  const EventDetail& detail = fact.detail;
  memory.limited.emplace(detail.function, detail.file);
  const bool has_head = fact.role != FactRole::kPart;
  const auto open =
      compile_id.empty() ? memory.open_limits.end() : memory.open_limits.find(compile_id);
  if (!has_head && open != memory.open_limits.end()) {
    session_->AmendDetail(open->second.event, [&](EventDetail& whole) {
      if (whole.function == StrId::kNone) {
        StoredPlace{detail.function, detail.file, detail.function_line}.SetFunctionOf(whole);
      }
      std::vector<ReasonId>& reasons = whole.As<LimitFact>()->reasons;
      reasons.insert(reasons.end(), detail.reasons().begin(), detail.reasons().end());
      whole.cut = !open->second.has_head || reasons.empty();
    });
    if (!detail.reasons().empty()) memory.open_limits.erase(open);
    return;
  }
  const size_t event = Emit(origin, compile_id, detail);
  NoteFrame(origin.rank, compile_id, detail, event);
  if (detail.cut && detail.reasons().empty() && !compile_id.empty()) {
    memory.open_limits[std::string(compile_id)] = {event, has_head};
  }
}

/// Adds the break, or completes the event of the preceding warning.
void Reconciler::AddBreak(const RecordOrigin& origin, std::string_view compile_id,
                          const ParsedFact& fact) {
  Memory& memory = memories_[origin.rank];
  const EventDetail& detail = fact.detail;
  if (detail.user_line != 0) {
    KeepBreakFrames(memory, fact);
    memory.break_places.emplace(detail.user_file, detail.user_line);
  }
  const StrId id = session_->strings().Intern(WithoutAttempt(compile_id));
  if (CompleteWarning(memory, id, fact)) return;
  memory.last_break = {Emit(origin, compile_id, detail), id, detail.user_file, detail.user_line,
                       fact.role == FactRole::kWarning};
}

/// The `Tensor.item()` warning and its graph_breaks record are one break. Returns whether `fact` is
/// the other of the two.
bool Reconciler::CompleteWarning(Memory& memory, StrId compile_id, const ParsedFact& fact) {
  const EventDetail& detail = fact.detail;
  const GraphBreakFact& graph_break = *detail.As<GraphBreakFact>();
  const bool is_warning = fact.role == FactRole::kWarning;
  std::optional<LastBreak>& last = memory.last_break;
  // People paste the place, "Graph break: from user code at:", apart from the warning.
  const bool is_place = graph_break.type == StrId::kNone && graph_break.gb == StrId::kNone &&
                        !graph_break.fatal && detail.user_line != 0;
  if (last && last->is_warning && last->line == 0 && is_place) {
    session_->AmendDetail(last->event, [&](EventDetail& merged) {
      merged.user_file = detail.user_file;
      merged.user_line = detail.user_line;
      merged.user_function = detail.user_function;
    });
    last.reset();
    return true;
  }
  if (!last || graph_break.repeat || graph_break.fatal || detail.user_line == 0 ||
      last->compile_id != compile_id || last->line != detail.user_line ||
      last->file != detail.user_file || last->is_warning == is_warning) {
    return false;
  }
  session_->AmendDetail(last->event, [&](EventDetail& merged) {
    auto& known = *merged.As<GraphBreakFact>();
    const bool is_fuller = graph_break.gb != StrId::kNone || known.gb == StrId::kNone;
    if (!is_fuller || is_warning) return;
    known.type = graph_break.type;
    known.gb = graph_break.gb;
    known.context = graph_break.context;
    if (detail.user_function != StrId::kNone) merged.user_function = detail.user_function;
  });
  last->is_warning = false;
  return true;
}

void Reconciler::KeepBreakFrames(Memory& memory, const ParsedFact& fact) {
  StringPool& strings = session_->strings();
  const EventDetail& detail = fact.detail;
  for (const CodePlace& frame : fact.frames) {
    std::string_view function = frame.function;
    PrintedResumeName name;
    if (ResumeNameScanner(frame.function).Next(name)) function = name.function;
    memory.break_frames.try_emplace(
        {strings.Intern(function), frame.line, strings.Intern(frame.file)},
        StoredPlace{detail.user_function, detail.user_file, detail.user_line});
  }
}

/// Records which function the frame of `compile_id` is, or that `event` has no name.
void Reconciler::NoteFrame(int32_t rank, std::string_view compile_id, const EventDetail& detail,
                           size_t event) {
  const size_t slash = compile_id.find('/');
  if (slash == kNotFound || compile_id[0] == '!') return;
  std::string frame(compile_id.substr(0, slash));
  if (detail.function == StrId::kNone) {
    if (nameless_.size() < kMaxNameless) nameless_.push_back({event, {rank, std::move(frame)}});
    return;
  }
  const StoredPlace place{detail.function, detail.file, detail.function_line};
  const auto [known, is_new] =
      memories_[rank].named_frames.try_emplace(std::move(frame), NamedFrame{place});
  NamedFrame& named = known->second;
  if (named.place.function != place.function || named.place.file != place.file) {
    named.is_ambiguous = true;
  }
}

/// Sets the function of events without one to the function that other records give for their frame.
void Reconciler::NameFrames() {
  for (const auto& [event, key] : nameless_) {
    const auto& [rank, frame] = key;
    const auto& frames = memories_[rank].named_frames;
    const auto found = frames.find(frame);
    if (found == frames.end() || found->second.is_ambiguous) continue;
    session_->AmendDetail(event, [&](EventDetail& detail) {
      if (detail.function == StrId::kNone) found->second.place.SetFunctionOf(detail);
    });
  }
  nameless_.clear();
}

void Reconciler::NoteChangedGuards(int32_t rank, std::string_view compile_id,
                                   std::string_view entry, const std::vector<std::string>& guards) {
  std::vector<ReasonId>& reasons = memories_[rank].changed_guards[std::string(compile_id)];
  for (const std::string& guard : guards) {
    GuardFailure failure = ParseGuardFailure(guard);
    failure.entry = entry;
    reasons.push_back(session_->InternReason(InternFailure(failure, session_->strings())));
  }
}

void Reconciler::NoteFailure(const EventDetail& detail) {
  switch (detail.kind()) {
    case EventKind::kGraphBreak:
      failure_texts_.insert(detail.type());
      failure_texts_.insert(detail.As<GraphBreakFact>()->context);
      has_failure_ = true;
      break;
    case EventKind::kCompileError:
      failure_texts_.insert(detail.message());
      failure_texts_.insert(detail.As<CompileErrorFact>()->context);
      [[fallthrough]];
    case EventKind::kConstraintViolation:
    case EventKind::kSkippedFrame:
      has_failure_ = true;
      break;
    default:
      break;
  }
}

/// The exception of a guard that could not be made is raised again without the guard's name.
void Reconciler::NameFailedGuard(CompileErrorFact& error) const {
  if (session_->text(error.type) != "InternalTorchDynamoError") return;
  const std::string raised(session_->text(error.message));
  for (const auto& [id, announced] : announced_) {
    const auto* const guard = session_->detail(id).As<CompileErrorFact>();
    if (guard == nullptr || !raised.starts_with(session_->text(guard->type))) continue;
    const std::string_view message = session_->text(guard->message);
    if (!message.starts_with(kFailedGuard)) continue;
    error.message = session_->strings().Intern(std::string(kFailedGuard) + " " + raised);
    error.context = guard->context;
    return;
  }
}

/// Adds the failures that were announced, if the log ends before what they were announced for.
void Reconciler::EmitAnnounced(bool ends_in_traceback) {
  for (const auto& [id, announced] : announced_) {
    const EventDetail& detail = session_->detail(id);
    // Breaks, such as calls of functions that are not traced, come apart from other failures.
    const std::string_view type = session_->text(detail.type());
    const bool is_break = detail.kind() == EventKind::kGraphBreak && !detail.cut;
    bool is_known = is_break ? failure_texts_.contains(detail.type()) : has_failure_;
    if (IsMetByDynamo(type)) {
      const std::string_view words =
          type == kUnsupportedOperator ? session_->text(detail.message()) : kObservedException;
      is_known = std::ranges::any_of(
          failure_texts_, [&](StrId text) { return HasText(session_->text(text), words); });
    }
    // The compiler can do without the answer to a question, but not if an operation failed for it,
    // or a traceback follows whose exception was cut off.
    const bool is_harmless =
        type == "GuardOnDataDependentSymNode" && !has_failed_operation_ && !ends_in_traceback;
    // Of a traceback that is cut only the class is known.
    const bool is_cut = detail.cut && announced_.size() > 1;
    if (is_known || is_harmless || is_cut) continue;
    // The record of the break may follow, cut before its type.
    bool is_recorded = false;
    if (const auto& last = memories_[announced.origin.rank].last_break; last && is_break) {
      session_->AmendDetail(last->event, [&](EventDetail& record) {
        const std::string_view known = session_->text(record.type());
        is_recorded = record.cut && (known.empty() || IsOnlyWhatWasTraced(known));
        if (is_recorded) record.As<GraphBreakFact>()->type = detail.type();
      });
    }
    if (!is_recorded) Emit(announced.origin, announced.compile_id, detail);
  }
}

void Reconciler::Finish(bool is_of_torch, bool ends_in_traceback) {
  for (const auto& [key, doubtful] : doubtful_) {
    if (!is_of_torch) break;
    const auto& [origin, compile_id] = doubtful.first;
    if (!key.second) {
      session_->CountUnknownLines(input_, origin.line, doubtful.line, doubtful.count);
      continue;
    }
    ParsedFact fact;
    fact.detail = session_->detail(*key.second);
    fact.role = FactRole::kRaised;
    AddFact(origin, compile_id, std::move(fact));
  }
  EmitAnnounced(ends_in_traceback);
  NameFrames();
  AddImpliedEvents();
}

}  // namespace shapewise
