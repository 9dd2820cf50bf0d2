#include "causes/find_causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "causes/constant_size.h"
#include "causes/culprit_key.h"
#include "causes/display_name.h"
#include "causes/tally.h"
#include "causes/value_use.h"
#include "model/break_types.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxShownGuards = 3;
constexpr size_t kMaxMessageBytes = 180;
constexpr size_t kMaxShownTensors = 4;

constexpr uint32_t kNoFrame = static_cast<uint32_t>(-1);

// What the events of one cause have in common; parts that do not apply to the kind stay 0.
using SiteParts = std::array<uint32_t, 5>;
using SiteKey = std::pair<EventKind, SiteParts>;
using PlaceIds = std::tuple<StrId, StrId, uint32_t>;  // function, file, line

struct Site {
  Cause cause;
  Tally<PlaceIds> wheres;
  Tally<PlaceIds> users;
  std::set<int32_t> ranks;
  std::set<StrId> values;
  uint32_t frame = kNoFrame;
  std::optional<Micros> cost;
};

std::optional<CauseKind> KindOf(EventKind kind) {
  switch (kind) {
    case EventKind::kGraphBreak:
      return CauseKind::kGraphBreak;
    case EventKind::kSkippedFrame:
      return CauseKind::kSkippedFrame;
    case EventKind::kCompileError:
      return CauseKind::kCompileError;
    case EventKind::kConstraintViolation:
      return CauseKind::kConstraintViolation;
    case EventKind::kPerfHint:
      return CauseKind::kPerfHint;
    case EventKind::kCudagraph:
      return CauseKind::kCudagraph;
    case EventKind::kImpliedBreak:
      return CauseKind::kImpliedBreak;
    case EventKind::kImpliedRecompile:
      return CauseKind::kImpliedRecompile;
    case EventKind::kTorchscript:
      return CauseKind::kTorchscript;
    case EventKind::kIgnoredMode:
      return CauseKind::kIgnoredMode;
    default:
      return std::nullopt;
  }
}

uint32_t Part(StrId id) { return static_cast<uint32_t>(id); }

template <typename Enum>
  requires std::is_enum_v<Enum>
uint32_t Word(Enum word) {
  return static_cast<uint32_t>(word);
}

/// "Recording cudagraph tree for symint key 10" -> "10"; empty: it contains no size.
std::string_view RecordedSize(std::string_view message) {
  constexpr std::string_view kKey = "symint key ";
  const size_t key = FindText(message, kKey);
  if (key == kNotFound) return {};
  const std::string_view size = Trim(message.substr(key + kKey.size()));
  return size == "None" ? std::string_view() : size;
}

/// "skipping cudagraphs due to cpu device (arg3_1)" -> "arg3_1", the tensor on the CPU; empty: it
/// names none.
std::string_view NamedCpuTensor(std::string_view message) {
  return TextBetween(message, "cpu device (", ")");
}

void SetIfEmpty(std::string& field, std::string_view text) {
  if (field.empty()) field = text;
}

/// Whether the guard compares a Python value that it prints.
bool ComparesValue(GuardClass guard_class) {
  return guard_class == GuardClass::kInt || guard_class == GuardClass::kFloat ||
         guard_class == GuardClass::kBool || guard_class == GuardClass::kStr;
}

/// Describes how the printed guards of an entry differ from those of the entry before.
void DescribeChangedGuards(const Session& session, const EventDetail& detail, Cause& cause) {
  if (detail.reasons().empty() || !cause.message.empty()) return;
  const Reason& first = session.reason(detail.reasons().front());
  cause.message = "its printed guards differ from those of [";
  cause.message += session.text(first.entry);
  cause.message += "] in ";
  size_t num_shown = 0;
  while (num_shown < std::min(detail.reasons().size(), kMaxShownGuards)) {
    const std::string_view guard = session.text(session.reason(detail.reasons()[num_shown]).guard);
    if (num_shown > 0 && cause.message.size() + guard.size() > kMaxMessageBytes) break;
    cause.message.append(num_shown > 0 ? "; " : "").append(guard);
    ++num_shown;
  }
  if (detail.reasons().size() > num_shown) {
    cause.message += "; and " + std::to_string(detail.reasons().size() - num_shown) + " more";
  }
  if (detail.reasons().size() == 1 || first.dim >= 0 || ComparesValue(first.guard_class)) {
    cause.culprit = Culprit{first.guard_class, std::string(session.text(first.source)), first.dim,
                            first.value_type};
  }
}

/// Names the guard that failed where a failed guard is an error (torch/_dynamo/aot_compile.py, and
/// vLLM, which checks guards of code it keeps): "Guard check failed: 14/0: tensor 'x' size ...".
void DescribeFailedGuard(std::string_view message, Cause& cause) {
  constexpr std::string_view kFailsAtOnce = "Guard fail reason:";
  if (cause.culprit) return;
  for (const std::string_view words : std::array<std::string_view, 3>{
           "Guard check failed: ", "GuardManager check failed, reason: ", kFailsAtOnce}) {
    const size_t at = FindText(message, words);
    if (at == kNotFound) continue;
    const GuardFailure failure = ParseGuardFailure(Trim(message.substr(at + words.size())));
    if (failure.guard_class == GuardClass::kOther || failure.guard_class == GuardClass::kEmpty)
      return;
    // Of a guard that fails at once, only a number can be changed.
    const bool fails_at_once = words == kFailsAtOnce;
    if (fails_at_once && failure.guard_class != GuardClass::kSymbolic) return;
    cause.culprit =
        Culprit{failure.guard_class, std::string(failure.source), failure.dim, failure.value_type};
    return;
  }
}

/// Whether this break is only printed if breaks are logged: not raised, and no warning.
bool IsLoggedBreak(const Session& session, const EventDetail& detail) {
  const auto* const graph_break = detail.As<GraphBreakFact>();
  if (graph_break == nullptr || graph_break->fatal) return false;
  const std::string_view type = session.text(graph_break->type);
  // The warning about a function that is not traced names no place; a record does.
  if (type == kMarkedAsSkipped && detail.user_line == 0) return false;
  return type != kTensorItem && !type.starts_with("Graph break due to unsupported builtin");
}

/// Whether the entries of the recompile or limit record `detail` all differ in the value of one
/// thing: then that is why each of them was compiled, whether or not a record of it is left.
bool DifferInOneValue(const Session& session, const EventDetail& detail, CulpritKeys& sources) {
  if (detail.reasons().size() < 2) return false;
  std::set<StrId> values;
  const CulpritKey first = sources.KeyOf(session.reason(detail.reasons().front()));
  return std::ranges::all_of(detail.reasons(), [&](ReasonId id) {
    const Reason& reason = session.reason(id);
    return sources.KeyOf(reason) == first && reason.expected != StrId::kNone &&
           values.insert(reason.expected).second;
  });
}

class SiteFolder {
 public:
  SiteFolder(const Session& session, const CompileLedger& ledger)
      : session_(session), ledger_(ledger), sources_(session) {
    for (const Event& event : session.events()) {
      const EventDetail& detail = session.detail(event);
      if (IsLoggedBreak(session, detail)) logs_breaks_.insert(event.input);
      // A repeated break is printed without its callers.
      const auto* const graph_break = detail.As<GraphBreakFact>();
      const bool has_caller = graph_break != nullptr && graph_break->called_from != StrId::kNone;
      if (has_caller && OwnerOf(session.text(detail.user_file)).library == "python") {
        callers_.try_emplace({detail.user_file, detail.user_line}, graph_break->called_from);
      }
    }
    const bool has_implied = std::ranges::any_of(session.events(), [&](const Event& event) {
      const EventKind kind = session.detail(event).kind();
      return kind == EventKind::kImpliedBreak || kind == EventKind::kImpliedRecompile;
    });
    if (!has_implied) return;
    for (const Event& event : session.events()) NoteExplained(event, session.detail(event));
    for (const PrintedGuards& printed : session.printed_guards()) {
      if (printed.function == StrId::kNone) continue;
      compiled_.try_emplace({printed.input, printed.rank, printed.compile_id},
                            PlaceIds{printed.function, printed.file, printed.function_line});
    }
  }

  void Add(size_t index);
  std::vector<Cause> Finish();

 private:
  void JoinExportedInputs();
  void JoinCutBreaks();
  static void Join(Site& from, Site& to);
  SiteParts PartsOf(const Event& event, const EventDetail& detail);
  void NoteExplained(const Event& event, const EventDetail& detail);
  StrId CallerOf(const EventDetail& detail) const;
  bool IsExplained(const Event& event, const EventDetail& detail) const;
  void Describe(Site& site, const EventDetail& detail, uint64_t times) const;
  void DescribePin(const Event& event, Site& site);
  static void AddValue(Site& site, StrId value, std::string_view shown);
  static void AddCpuTensor(Site& site, StrId message, std::string_view name);
  Place PlaceOf(const PlaceIds& ids) const {
    const auto& [function, file, line] = ids;
    return {std::string(session_.text(function)), std::string(session_.text(file)), line};
  }

  using ResumedLines = std::map<std::pair<std::string_view, uint32_t>, std::set<StrId>>;
  ResumedLines FindResumedLines() const;
  void DescribeItem(const ResumedLines& lines, Cause& cause) const;

  const Session& session_;
  const CompileLedger& ledger_;
  CulpritKeys sources_;
  std::optional<PinnedDims> pinned_dims_;  // once there is a constraint violation
  std::set<uint32_t> logs_breaks_;         // inputs whose breaks were logged
  // By input: compiles with a record, of any rank; by input and frame: all before this compile.
  std::set<std::pair<uint32_t, CompileNumber>> recorded_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> explained_;
  // Functions that printed guards name, by input, rank and compile id, for implied recompiles.
  std::map<std::tuple<uint32_t, int32_t, StrId>, PlaceIds> compiled_;
  std::map<std::pair<StrId, uint32_t>, StrId> callers_;  // by the line in Python's library
  std::set<StrId> warned_frames_;                        // functions with a warning about a break
  std::map<SiteKey, size_t> site_of_key_;
  std::vector<Site> sites_;  // in the order of their first events
};

uint32_t FrameOf(const Session& session, const Event& event) {
  const auto number = ParseCompileNumber(session.text(event.compile_id));
  return number ? number->frame : kNoFrame;
}

SiteParts SiteFolder::PartsOf(const Event& event, const EventDetail& detail) {
  const auto of_culprit = [&](uint32_t a, uint32_t b, uint32_t c, const CulpritKey& culprit) {
    return SiteParts{a, b, c, culprit.source, static_cast<uint32_t>(culprit.dim)};
  };
  switch (detail.kind()) {
    case EventKind::kGraphBreak: {
      const auto* const graph_break = detail.As<GraphBreakFact>();
      const uint32_t type =
          Part(graph_break->type != StrId::kNone ? graph_break->type : graph_break->gb);
      // All that one call of the user's runs into in Python's own library is one problem.
      const StrId caller = CallerOf(detail);
      if (caller != StrId::kNone) return {Part(caller), 0, 0, 0, 3};
      const bool has_user = detail.user_file != StrId::kNone || detail.user_line != 0;
      if (has_user) return {Part(detail.user_file), detail.user_line, type};
      return {Part(detail.function), Part(detail.file), type, detail.function_line, 1};
    }
    case EventKind::kSkippedFrame:
      // An error that stopped several functions, such as a missing compiler, is one cause.
      if (detail.why() == Why::kCompileError && detail.message() != StrId::kNone) {
        return {Part(detail.type()), Part(detail.message()), 0, 0, 2};
      }
      if (detail.function != StrId::kNone) {
        return {Part(detail.function), Part(detail.file), detail.function_line, Word(detail.why())};
      }
      return {Part(detail.user_file), Part(detail.message()), detail.user_line, Word(detail.why()),
              1};
    case EventKind::kConstraintViolation: {
      Reason reason;
      reason.guard_class = GuardClass::kSize;
      reason.source = detail.As<ConstraintFact>()->source;
      reason.dim = detail.As<ConstraintFact>()->dim;
      return of_culprit(Part(detail.function), Part(detail.file), detail.function_line,
                        sources_.KeyOf(reason));
    }
    case EventKind::kCompileError:
      return {Part(detail.type()), Part(detail.message())};
    case EventKind::kPerfHint:
      return {Word(detail.As<PerfHintFact>()->hint),
              IsKnownByMessage(detail) ? Part(detail.message()) : 0};
    case EventKind::kCudagraph:
      return {Word(detail.As<CudagraphFact>()->action), Word(detail.why())};
    case EventKind::kImpliedBreak:
      return {Part(detail.function), Part(detail.file), Part(detail.user_file), detail.user_line};
    case EventKind::kImpliedRecompile: {
      // The guard that differs in print is the culprit.
      const std::vector<ReasonId>& reasons = detail.reasons();
      return of_culprit(
          FrameOf(session_, event), Part(detail.function), Part(detail.file),
          reasons.empty() ? CulpritKey() : sources_.KeyOf(session_.reason(reasons.front())));
    }
    case EventKind::kIgnoredMode:
      return {Word(detail.why())};
    case EventKind::kTorchscript:
      return {Word(detail.As<TorchscriptFact>()->action), Part(detail.user_file), detail.user_line,
              IsKnownByMessage(detail) ? Part(detail.message()) : 0};
    default:
      return {};
  }
}

/// The user's line that leads to a break in Python's own library; kNone: none, or it is elsewhere.
StrId SiteFolder::CallerOf(const EventDetail& detail) const {
  const auto found = callers_.find({detail.user_file, detail.user_line});
  return found == callers_.end() ? StrId::kNone : found->second;
}

/// Notes what `detail` explains of events without a record of their own.
void SiteFolder::NoteExplained(const Event& event, const EventDetail& detail) {
  const auto* const graph_break = detail.As<GraphBreakFact>();
  if (graph_break != nullptr && session_.text(graph_break->type) == kTensorItem) {
    warned_frames_.insert(detail.user_function);
  }
  if (detail.kind() != EventKind::kRecompile && detail.kind() != EventKind::kRecompileLimit) return;
  const auto number = CompileOf(session_, event);
  if (!number) return;
  recorded_.insert({event.input, *number});
  if (!DifferInOneValue(session_, detail, sources_)) return;
  uint32_t& before = explained_[{event.input, number->frame}];
  before = std::max(before, number->compile);
}

/// Whether other events explain the implied event `detail`: records of another rank, a
/// later record of all entries, or a warning in the frame that a break made, which names it.
bool SiteFolder::IsExplained(const Event& event, const EventDetail& detail) const {
  if (detail.kind() == EventKind::kImpliedBreak) {
    return std::ranges::any_of(warned_frames_, [&](StrId frame) {
      const auto resume = ParseResumeName(session_.text(frame));
      return resume && resume->function == session_.text(detail.function) &&
             resume->line == detail.user_line;
    });
  }
  if (detail.kind() != EventKind::kImpliedRecompile || !detail.reasons().empty()) return false;
  const auto number = ParseCompileNumber(session_.text(event.compile_id));
  if (!number) return false;
  const auto later = explained_.find({event.input, number->frame});
  return recorded_.contains({event.input, *number}) ||
         (later != explained_.end() && number->compile < later->second);
}

void SiteFolder::AddValue(Site& site, StrId value, std::string_view shown) {
  if (shown.empty() || !site.values.insert(value).second) return;
  ++site.cause.distinct_values;
  if (site.cause.values.size() < kMaxCauseValues) site.cause.values.emplace_back(shown);
}

/// Adds `name` to the first tensors that the cause names.
void SiteFolder::AddCpuTensor(Site& site, StrId message, std::string_view name) {
  const bool is_new = !name.empty() && site.values.insert(message).second;
  if (!is_new || site.values.size() > kMaxShownTensors) return;
  auto& facts = site.cause.facts;
  if (facts.empty()) {
    facts.emplace_back("cpu_tensors", name);
  } else {
    facts.front().second.append(", ").append(name);
  }
}

// Adds the facts in the detail of `count` events.
void SiteFolder::Describe(Site& site, const EventDetail& detail, uint64_t times) const {
  Cause& cause = site.cause;
  const bool is_library = IsLibraryFile(session_.text(detail.file));
  // A mode makes Dynamo skip every frame below it: report the user's own frames.
  if (detail.kind() == EventKind::kIgnoredMode && !is_library)
    AddValue(site, detail.function, session_.text(detail.function));
  const bool is_noise = detail.kind() == EventKind::kIgnoredMode && is_library;
  if (!is_noise && (detail.function != StrId::kNone || detail.file != StrId::kNone)) {
    site.wheres.Add({detail.function, detail.file, detail.function_line}, times);
  }
  if (detail.user_file != StrId::kNone || detail.user_line != 0) {
    site.users.Add({detail.user_function, detail.user_file, detail.user_line}, times);
  }
  SetIfEmpty(cause.type, session_.text(detail.type()));
  SetIfEmpty(cause.message, session_.text(detail.message()));
  if (detail.why() != Why::kNone) SetIfEmpty(cause.why, WhyName(detail.why()));
  cause.is_cut |= detail.cut;
  if (const auto* const graph_break = detail.As<GraphBreakFact>()) {
    SetIfEmpty(cause.gb, session_.text(graph_break->gb));
    SetIfEmpty(cause.context, session_.text(graph_break->context));
    SetIfEmpty(cause.code, session_.text(graph_break->code));
    cause.fatal |= graph_break->fatal;
    // A line in the compiled function says more than the one that calls it.
    const bool is_inside = cause.calls_compiled && !graph_break->calls_compiled;
    if (graph_break->called_from != StrId::kNone && (cause.caller.empty() || is_inside)) {
      cause.caller = session_.text(graph_break->called_from);
      cause.calls_compiled = graph_break->calls_compiled;
    }
  } else if (const auto* const error = detail.As<CompileErrorFact>()) {
    SetIfEmpty(cause.context, session_.text(error->context));
    SetIfEmpty(cause.caller, session_.text(error->called_from));
    DescribeFailedGuard(session_.text(error->message), cause);
    // Its context is the line that made the tensor.
    if (HasText(cause.message, "has been overwritten by ")) cause.code = cause.context;
  } else if (const auto* const hint = detail.As<PerfHintFact>()) {
    SetIfEmpty(cause.hint, PerfHintName(hint->hint));
  } else if (const auto* const cudagraph = detail.As<CudagraphFact>()) {
    SetIfEmpty(cause.action, CudagraphActionName(cudagraph->action));
    const std::string_view message = session_.text(cudagraph->message);
    AddValue(site, cudagraph->message, RecordedSize(message));
    AddCpuTensor(site, cudagraph->message, NamedCpuTensor(message));
    if (cudagraph->count) {
      cause.amount = std::max(cause.amount.value_or(*cudagraph->count), *cudagraph->count);
    }
  } else if (const auto* const torchscript = detail.As<TorchscriptFact>()) {
    SetIfEmpty(cause.action, TorchscriptActionName(torchscript->action));
  } else if (const auto* const violation = detail.As<ConstraintFact>()) {
    SetIfEmpty(cause.hint, session_.text(violation->suggestion));
    if (cause.culprit) return;
    cause.culprit = Culprit{GuardClass::kSize, std::string(session_.text(violation->source)),
                            violation->dim, PythonType::kTensor};
  } else if (detail.kind() == EventKind::kImpliedRecompile) {
    DescribeChangedGuards(session_, detail, cause);
    const Reason* const first =
        detail.reasons().empty() ? nullptr : &session_.reason(detail.reasons().front());
    if (first != nullptr && ComparesValue(first->guard_class)) {
      AddValue(site, first->expected, session_.text(first->expected));
    }
  }
}

/// Adds what the symbols of the compilation show of a dim that was to vary: what made it a
/// constant, and in a log without the message which dim it is.
void SiteFolder::DescribePin(const Event& event, Site& site) {
  Cause& cause = site.cause;
  if (!pinned_dims_) pinned_dims_.emplace(session_);
  Culprit& culprit = *cause.culprit;
  const auto pinned = pinned_dims_->Find(event, culprit.source, culprit.dim);
  if (!pinned) return;
  cause.constant_by = ConstantBy::kCode;
  if (const SymbolFact* const question = pinned->question; question && site.users.empty()) {
    site.users.Add({question->user_function, question->user_file, question->user_line});
  }
  if (!culprit.source.empty()) return;
  culprit.source = pinned->source;
  culprit.dim = pinned->dim;
  SetIfEmpty(cause.message, "specialized to be a constant (" + pinned->value + ")");
}

void SiteFolder::Add(size_t index) {
  const Event& event = session_.events()[index];
  const EventDetail& detail = session_.detail(event);
  const std::optional<CauseKind> kind = KindOf(detail.kind());
  if (!kind) return;
  // A function that Dynamo inlined broke: the break that was logged there is the cause.
  const auto* const implied = detail.As<ImpliedBreakFact>();
  if (implied != nullptr && implied->trigger.file != StrId::kNone) return;
  // Where breaks were logged, the log is an excerpt without the record of this one.
  if (implied != nullptr && logs_breaks_.contains(event.input)) return;
  if (IsExplained(event, detail)) return;
  const SiteKey key{detail.kind(), PartsOf(event, detail)};
  const auto [found, is_new] = site_of_key_.try_emplace(key, sites_.size());
  if (is_new) {
    Site& site = sites_.emplace_back();
    site.cause.kind = *kind;
    site.frame = FrameOf(session_, event);
  }
  Site& site = sites_[found->second];
  Describe(site, detail, event.times());
  if (kind == CauseKind::kConstraintViolation) DescribePin(event, site);
  const auto printed = compiled_.find({event.input, event.rank, event.compile_id});
  const bool is_named = printed != compiled_.end() && kind == CauseKind::kImpliedRecompile;
  if (is_named) site.wheres.Add(printed->second, event.times());
  site.cause.count += event.times();
  site.cause.events.push_back(index);
  AddMicros(site.cost, ledger_.MicrosOf(index));
  if (event.rank != kNoRank) site.ranks.insert(event.rank);
}

/// The lines that guards print of the rest of a function, by its name and the line of its break.
SiteFolder::ResumedLines SiteFolder::FindResumedLines() const {
  ResumedLines lines;
  for (const Event& event : session_.events()) {
    for (const ReasonId id : session_.detail(event).reasons()) {
      const Reason& reason = session_.reason(id);
      if (reason.code == StrId::kNone) continue;
      const auto resume = ParseResumeName(session_.text(reason.user_function));
      if (resume) lines[{resume->function, resume->line}].insert(reason.code);
    }
  }
  return lines;
}

/// Sets how the code uses the number that a tensor was turned into: in its own line, or in those
/// that follow the break.
void SiteFolder::DescribeItem(const ResumedLines& lines, Cause& cause) const {
  cause.use = FindUseOfItem(cause.context);
  cause.is_in_subscripts =
      IsInSubscripts(cause.context, ".item()") || IsInSubscripts(cause.context, "int(");
  const auto found = lines.find({cause.user.function, cause.user.line});
  const std::string_view name = AssignedName(cause.context);
  if (found == lines.end() || name.empty()) return;
  for (const StrId code : found->second) {
    cause.use = std::max(cause.use, FindUse(session_.text(code), name));
    cause.is_in_subscripts |= IsInSubscripts(session_.text(code), name);
  }
}

/// torch.export logs a violation with the inputs of its wrapper, L['flat_args'][0], and raises it
/// with those of the program (torch/_dynamo/functional_export.py): one cause, in the user's names.
void SiteFolder::JoinExportedInputs() {
  const auto is_logged = [](const Site& site) {
    return site.cause.culprit->source.starts_with("L['flat_args'][");
  };
  // The message without its source and without the guard, of which there may be several, and the
  // dim.
  const auto key_of = [](const Site& site) {
    const std::string& source = site.cause.culprit->source;
    std::string message = site.cause.message;
    message.resize(std::min(message.size(), message.find(" satisfy the generated guard")));
    for (size_t at = 0; !source.empty() && (at = message.find(source, at)) != std::string::npos;) {
      message.erase(at, source.size());
    }
    return std::pair(message, site.cause.culprit->dim);
  };
  std::map<std::pair<std::string, int32_t>, Site*> raised;
  for (Site& site : sites_) {
    const bool is_violation = site.cause.kind == CauseKind::kConstraintViolation;
    if (is_violation && !is_logged(site)) raised.emplace(key_of(site), &site);
  }
  if (raised.empty()) return;
  for (Site& site : sites_) {
    if (site.cause.kind != CauseKind::kConstraintViolation || !is_logged(site)) continue;
    const auto same = raised.find(key_of(site));
    if (same == raised.end()) continue;
    std::vector<size_t>& events = same->second->cause.events;
    events.insert(events.end(), site.cause.events.begin(), site.cause.events.end());
    site.cause.events.clear();
  }
}

/// Breaks at one line, of which some records have lost their reason, are one cause, if the others
/// have one reason.
void SiteFolder::JoinCutBreaks() {
  std::map<std::pair<StrId, uint32_t>, std::vector<Site*>> breaks;  // by the user's line
  for (Site& site : sites_) {
    if (site.cause.kind != CauseKind::kGraphBreak || site.users.empty()) continue;
    const auto& [function, file, line] = site.users.Best();
    if (line != 0) breaks[{file, line}].push_back(&site);
  }
  for (const auto& [line, sites] : breaks) {
    const auto is_known = [](const Site* site) {
      return !site->cause.type.empty() || !site->cause.gb.empty();
    };
    if (std::ranges::count_if(sites, is_known) != 1) continue;
    Site& known = **std::ranges::find_if(sites, is_known);
    for (Site* const site : sites) {
      if (site != &known) Join(*site, known);
    }
  }
}

void SiteFolder::Join(Site& from, Site& to) {
  Cause& cause = to.cause;
  to.wheres.Add(from.wheres.Best(), from.wheres.empty() ? 0 : from.cause.count);
  to.users.Add(from.users.Best(), from.cause.count);
  to.ranks.insert(from.ranks.begin(), from.ranks.end());
  if (from.cost) to.cost = to.cost.value_or(Micros{}) + *from.cost;
  SetIfEmpty(cause.code, from.cause.code);
  if (cause.caller.empty()) {
    cause.caller = from.cause.caller;
    cause.calls_compiled = from.cause.calls_compiled;
  }
  cause.fatal |= from.cause.fatal;
  cause.count += from.cause.count;
  cause.events.insert(cause.events.end(), from.cause.events.begin(), from.cause.events.end());
  from.cause.events.clear();
}

std::vector<Cause> SiteFolder::Finish() {
  JoinExportedInputs();
  JoinCutBreaks();
  std::optional<ResumedLines> resumed_lines;
  std::vector<Cause> causes;
  causes.reserve(sites_.size());
  for (Site& site : sites_) {
    if (site.cause.events.empty()) continue;  // joined to another
    Cause cause = std::move(site.cause);
    cause.where = PlaceOf(site.wheres.Best());
    cause.user = PlaceOf(site.users.Best());
    if (cause.kind == CauseKind::kGraphBreak) {
      const Event& first = session_.events()[cause.events.front()];
      const StrId caller = CallerOf(session_.detail(first));
      if (caller != StrId::kNone) cause.user = ParsePlace(session_.text(caller));
    }
    const bool is_in_user_code =
        cause.kind == CauseKind::kGraphBreak || cause.kind == CauseKind::kCompileError;
    if (is_in_user_code && site.wheres.empty()) cause.where = cause.user;
    cause.display_function = DisplayFunction(cause.where, cause.user);
    if (cause.kind == CauseKind::kGraphBreak && HasText(cause.type, "Tensor.item")) {
      if (!resumed_lines) resumed_lines = FindResumedLines();
      DescribeItem(*resumed_lines, cause);
    }
    if (HasText(cause.context, "_local_scalar_dense") && MakesTensorOfSize(cause.code)) {
      cause.use = ValueUse::kSize;
    }
    if (cause.kind == CauseKind::kImpliedRecompile && cause.display_function.empty() &&
        site.frame != kNoFrame) {
      cause.display_function = "frame " + std::to_string(site.frame);
    }
    const bool is_recorded = cause.kind == CauseKind::kCudagraph && cause.distinct_values > 1;
    if (is_recorded) cause.pattern = ValuePattern::kVarying;
    if (site.cost) cause.cost_seconds = ToSeconds(*site.cost);
    cause.ranks.assign(site.ranks.begin(), site.ranks.end());
    std::sort(cause.events.begin(), cause.events.end());
    causes.push_back(std::move(cause));
  }
  return causes;
}

}  // namespace

std::vector<Cause> FoldSites(const Session& session, const std::vector<size_t>& order,
                             const CompileLedger& ledger) {
  SiteFolder folder(session, ledger);
  for (const size_t index : order) folder.Add(index);
  return folder.Finish();
}

}  // namespace shapewise
