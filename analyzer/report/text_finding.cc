#include "report/text_finding.h"

#include <algorithm>
#include <array>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "model/code_owner.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Starts the row `label` of a finding, with a hanging indent for its text.
Document& Row(Document& page, std::string_view label) {
  return page.Row(kFindingIndent, kFindingText, label);
}

void AddAdvice(const Finding& finding, bool all_fixes, Document& page) {
  for (const NextStep& step : finding.next_steps) {
    Row(page, "next").Add(step.text);
    page.AddCode(kFindingText + 2, step.code);
  }
  const size_t shown = std::min(finding.advice.size(), all_fixes ? finding.advice.size() : 1);
  for (size_t i = 0; i < shown; ++i) {
    const Action& action = finding.advice[i];
    Row(page, i == 0 ? "fix" : "or").Add(action.text);
    if (!action.torch.empty()) page.Add(TextStyle::kFaint, " (torch " + action.torch + ")");
    if (action.saves_seconds && *action.saves_seconds >= kSecondsWorthSaying) {
      page.Add(TextStyle::kFaint, ", predicted to save " + SecondsText(*action.saves_seconds));
    }
    page.AddCode(kFindingText + 2, action.code);
    if (!action.trap.empty()) Row(page, "caveat").Add(action.trap);
  }
  const size_t others = finding.advice.size() - shown;
  if (others > 0) {
    Row(page, "more")
        .Add(TextStyle::kFaint, Counted(others, "other fix", "other fixes") + ": --all");
  }
}

constexpr size_t kMaxValueColumns = 40;
constexpr size_t kMaxValuesColumns = 120;  // all values of one finding together

// What a guard class compares, as in "SIZE of x"; indexed by GuardClass.
constexpr std::array<std::string_view, kNumGuardClasses> kClassNouns = {
    "size",            // kSize
    "stride",          // kStride
    "number of dims",  // kNdim
    "dtype",           // kDtype
    "device",          // kDevice
    "requires_grad",   // kRequiresGrad
    "dispatch keys",   // kDispatchKeys
    "size relation",   // kSymbolic, without a dim
    "size",            // kZeroOne
    "value",           // kInt
    "value",           // kFloat
    "value",           // kBool
    "value",           // kStr
    "value",           // kNone
    "length",          // kLength
    "keys",            // kKeys
    "type",            // kType
    "identity",        // kIdentity
    "aliasing",        // kAliasing
    "backend",         // kBackend
    "global state",    // kGlobalState
    "no reason",       // kEmpty
    "guard",           // kOther
};

struct PatternPhrase {
  std::string_view pattern;
  std::string_view phrase;
};

// How values change, in words; other patterns are not worth mentioning.
constexpr PatternPhrase kPatternPhrases[] = {
    {"once", "changed once"},
    {"counter", "counts up"},
    {"enumeration", "one for each object"},
    {"toggle", "alternates"},
    {"growing", "only grows"},
    {"new_object", "a new object each time"},
    {"parameter_set", "one for each set of parameters"},
};

std::string_view PhraseOf(std::string_view pattern) {
  for (const PatternPhrase& entry : kPatternPhrases) {
    if (entry.pattern == pattern) return entry.phrase;
  }
  return {};
}

/// The values in order, as many as fit, and the number of further ones.
std::string ValuesText(const std::vector<std::string>& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string value = ClipMiddle(values[i], kMaxValueColumns);
    if (i > 0 && text.size() + value.size() > kMaxValuesColumns) {
      return text + " and " + std::to_string(values.size() - i) + " more";
    }
    if (i > 0) text += ", ";
    text += value.empty() ? "''" : value;
  }
  return text;
}

std::string CulpritText(const Culprit& culprit) {
  // A guard on one dim is a relation of its size to constants.
  const GuardClass guard_class = culprit.guard_class == GuardClass::kSymbolic && culprit.dim >= 0
                                     ? GuardClass::kSize
                                     : culprit.guard_class;
  // A relation of sizes has those of a tensor.
  const bool is_number = guard_class == GuardClass::kSymbolic && !culprit.source.empty() &&
                         culprit.value_type != PythonType::kTensor;
  std::string text(culprit.IsOtherConstant() || is_number
                       ? "value"
                       : kClassNouns[static_cast<size_t>(guard_class)]);
  if (!culprit.source.empty()) text += " of " + culprit.source;
  if (culprit.dim >= 0) text += ", dim " + std::to_string(culprit.dim);
  return text;
}

/// Guard comments clip the front of a path; use the full path if known.
const std::string& WholeFile(const Finding& finding) {
  const std::string& clipped = finding.user.file;
  const std::string& whole = finding.where.file;
  return !clipped.empty() && whole.ends_with(clipped) ? whole : clipped;
}

constexpr size_t kMaxGuardColumns = 160;

/// The first reason for `finding` in the log; of those, one that names its source. Null: none.
const Reason* ReasonOf(const Finding& finding, const Session& session) {
  const Reason* found = nullptr;
  for (const size_t index : finding.events) {
    if (index >= session.events().size()) continue;
    for (const ReasonId id : session.detail(session.events()[index]).reasons()) {
      const Reason& reason = session.reason(id);
      if (reason.guard_class != finding.cause->guard_class || reason.dim != finding.cause->dim) {
        continue;
      }
      if (HasText(session.text(reason.guard), finding.cause->source)) return &reason;
      if (found == nullptr) found = &reason;
    }
  }
  return found;
}

/// The reason of a recompile as PyTorch printed it: "0/1: 2 <= x.size()[1]  # if x.shape[1] > 100".
/// Empty: none is known, or the message quotes it.
std::string GuardText(const Finding& finding, const Session& session) {
  if (!finding.cause) return {};
  const Reason* const reason = ReasonOf(finding, session);
  if (reason == nullptr) return {};
  const std::string_view guard = session.text(reason->guard);
  if (guard.empty() || HasText(finding.message, guard)) return {};
  std::string text(session.text(reason->entry));
  if (!text.empty()) text += ": ";
  text += guard;
  const std::string_view code = session.text(reason->code);
  if (!code.empty()) text.append("  # ").append(code);
  return ClipMiddle(text, kMaxGuardColumns);
}

/// What the first graph break among the events of `finding` that has it says in `member`; empty:
/// none has.
std::string_view TextOfBreak(const Finding& finding, const Session& session,
                             StrId GraphBreakFact::* member) {
  for (const size_t index : finding.events) {
    if (index >= session.events().size()) continue;
    const auto* const graph_break = session.detail(session.events()[index]).As<GraphBreakFact>();
    if (graph_break != nullptr && graph_break->*member != StrId::kNone) {
      return session.text(graph_break->*member);
    }
  }
  return {};
}

/// The reason of a graph break as PyTorch printed it, by which users find it in the log and in
/// PyTorch's documentation. Empty: none is known, or the message quotes it.
std::string BreakReasonText(const Finding& finding, const Session& session) {
  const std::string_view reason = TextOfBreak(finding, session, &GraphBreakFact::type);
  return HasText(finding.message, reason) ? std::string() : ClipMiddle(reason, kMaxGuardColumns);
}

/// The user's line that leads to a break in a library, where an option may avoid it.
std::string CallerText(const Finding& finding, const Session& session) {
  return ClipMiddle(TextOfBreak(finding, session, &GraphBreakFact::called_from), kMaxGuardColumns);
}

/// The functions that are not compiled, according to the events of a finding; besides the one that
/// it names, unless a break is the cause.
struct SkippedFunctions {
  std::vector<std::string> names;  ///< each once, in order
  bool is_any = false;
  bool are_in_loops = true;  ///< a break in a loop is why
};

SkippedFunctions SkippedBy(const Finding& finding, const Session& session, bool is_break) {
  SkippedFunctions skipped;
  for (const size_t index : finding.events) {
    if (index >= session.events().size()) continue;
    const EventDetail& detail = session.detail(session.events()[index]);
    if (detail.kind() != EventKind::kSkippedFrame) continue;
    skipped.is_any = true;
    skipped.are_in_loops &= detail.why() == Why::kLoopBreak;
    const std::string_view name = session.text(detail.function);
    if (!is_break && name == finding.where.function) continue;
    const auto resumed = ParseResumeName(name);
    std::string function =
        resumed ? "the rest of " + std::string(resumed->function) : std::string(name);
    if (function.empty() || std::ranges::count(skipped.names, function) > 0) continue;
    skipped.names.push_back(std::move(function));
  }
  return skipped;
}

/// Adds what the events say of functions that are not compiled: those that Dynamo leaves because of
/// a graph break, or the others that the same error stopped.
void AddSkipped(const Finding& finding, const Session& session, Document& page) {
  const bool is_break = finding.identity.kind == "graph_break";
  SkippedFunctions skipped = SkippedBy(finding, session, is_break);
  if (!skipped.is_any) return;
  std::vector<std::string>& names = skipped.names;
  if (!is_break) {
    if (!names.empty()) Row(page, "also in").Add(ValuesText(names));
    return;
  }
  if (names.empty()) names.emplace_back("the function");
  Row(page, "effect")
      .Add(ValuesText(names) + (names.size() > 1 ? " run" : " runs") +
           " eagerly as a whole, because " +
           (skipped.are_in_loops ? "the break is in a loop"
                                 : "Dynamo cannot go on after this break"));
}

/// "args[3] is argument 4 ..." for an argument of a wrapper, which users know by another name;
/// empty for other sources.
std::string WrappedArgumentText(const SourceRef& source) {
  const bool is_item = source.name == "args" && !source.path.empty() &&
                       source.path[0].kind == SourceStep::Kind::kIndex;
  std::string_view number = is_item ? source.path[0].name : std::string_view();
  const std::optional<uint32_t> index = ConsumeUint<uint32_t>(number);
  if (!index) return {};
  return "args[" + std::to_string(*index) + "] is argument " + std::to_string(*index + 1) +
         " of the function that is called";
}

/// Explains `inner` (torch/_dynamo/external_utils.py, wrap_inline): Dynamo compiles it in place of
/// any callable whose own code it skips, such as an nn.Sequential or a functools.partial.
std::string WrapperText(const Finding& finding) {
  const Place& where = finding.where;
  const bool is_wrapper =
      where.function == "inner" && where.file.ends_with("_dynamo/external_utils.py");
  if (!is_wrapper) return {};
  if (!finding.user.file.empty() && !IsLibraryFile(finding.user.file)) {
    return finding.cause ? WrappedArgumentText(ParseSource(finding.cause->source)) : "";
  }
  return "inner is PyTorch's function around the callable that was compiled, which is fn in "
         "guards; TORCH_LOGS=guards prints its type";
}

/// "8 times"; for a single record of a function with several entries, "once, when there were 8
/// cache entries".
std::string TimesText(const Finding& finding, const Session& session) {
  if (finding.count != 1) return Counted(finding.count, "time");
  uint64_t num_entries = 0;
  for (const size_t index : finding.events) {
    if (index >= session.events().size()) continue;
    num_entries = std::max(num_entries, NumEntriesShown(session, session.events()[index]));
  }
  return num_entries < 2
             ? "once"
             : "once, when there were " + std::to_string(num_entries) + " cache entries";
}

}  // namespace

std::string PlaceToLookAt(const Finding& finding) {
  const Place& where = finding.where;
  const Place& user = finding.user;
  std::string where_text = PlaceText(where);
  if (user.line == 0) return where_text;
  const std::string& user_file = WholeFile(finding);
  const bool is_same_file = user_file == where.file;
  // Methods of two classes often have one name.
  const bool is_same_function = is_same_file && user.line >= where.line &&
                                (user.function.empty() || user.function == where.function);
  const std::string& function = is_same_function ? where.function : user.function;
  std::string text = PlaceText({{}, user_file, user.line});
  if (!function.empty()) text += " in " + function;
  if (is_same_file && user.line == where.line) {
    // The log gives the same place for both.
  } else if (!is_same_function && !where_text.empty()) {
    text += ", compiled for " + where_text;
  } else if (!where.function.empty() && where.line != 0) {
    text += ", which begins at line " + std::to_string(where.line);
  }
  return text;
}

std::string VariedText(const Finding& finding) {
  if (finding.values.empty()) return {};
  // A single value shows no change; the guard has it.
  const bool is_range = finding.cause && (finding.cause->guard_class == GuardClass::kZeroOne ||
                                          finding.cause->guard_class == GuardClass::kSymbolic);
  if (finding.values.size() == 1 && !is_range) return {};
  std::string text;
  if (finding.cause) text = CulpritText(*finding.cause) + ": ";
  text += ValuesText(finding.values);
  // A failed range prints no size.
  const GuardClass guard_class = finding.cause ? finding.cause->guard_class : GuardClass::kOther;
  const bool has_zero_one = std::ranges::any_of(
      finding.values, [](const std::string& value) { return value == "0" || value == "1"; });
  if (guard_class == GuardClass::kZeroOne && !has_zero_one) text += ", 0 or 1";
  if (guard_class == GuardClass::kSymbolic) text += " and others that are not printed";
  // A single value does not show a pattern, whatever the engines conclude from elsewhere.
  const std::string_view phrase = PhraseOf(finding.pattern);
  if (!phrase.empty() && finding.values.size() > 1) text += " (" + std::string(phrase) + ")";
  return text;
}

std::string EvidenceText(const Finding& finding, const Session& session) {
  if (finding.events.empty()) return {};
  const size_t first = finding.events.front();
  if (first >= session.events().size()) return {};
  const size_t last = finding.events.back();
  const Event& begin = session.events()[first];
  const bool is_one =
      first == last || last >= session.events().size() ||
      (session.events()[last].input == begin.input && session.events()[last].line == begin.line);
  std::string text = LinesPrefix(begin.input, !is_one, session) + std::to_string(begin.line);
  if (is_one) return text;
  const Event& end = session.events()[last];
  text += " to ";
  if (end.input != begin.input) text += LinesPrefix(end.input, false, session);
  return text + std::to_string(end.line);
}

std::string LinesPrefix(uint32_t input, bool is_plural, const Session& session) {
  const std::vector<Input>& inputs = session.inputs();
  if (inputs.size() == 1) return is_plural ? "lines " : "line ";
  const llvm::StringRef base = llvm::sys::path::filename(inputs[input].name);
  const auto alike = std::ranges::count_if(
      inputs, [&](const Input& other) { return llvm::sys::path::filename(other.name) == base; });
  return (alike == 1 ? base.str() : inputs[input].name) + ":";
}

std::string SeenText(const Finding& finding, const Session& session) {
  std::string text = TimesText(finding, session);
  if (!finding.ranks.empty()) text += " on " + RanksText(finding.ranks);
  if (finding.cost_seconds) {
    // For steps, the lost time is stated whatever the cause.
    const bool is_about_time =
        finding.identity.kind == "slow_steps" || finding.identity.kind == "stall";
    text += ", " + SecondsText(*finding.cost_seconds) + (is_about_time ? " lost" : " of compiling");
  }
  return text;
}

TextStyle SeverityStyle(Severity severity) {
  constexpr TextStyle kStyles[] = {TextStyle::kNote, TextStyle::kWarning, TextStyle::kError};
  return kStyles[static_cast<size_t>(severity)];
}

std::string PlaceText(const Place& place) {
  std::string line(PathFromPackage(place.file));
  if (place.line != 0) line += (line.empty() ? "line " : ":") + std::to_string(place.line);
  if (place.function.empty()) return line;
  return line.empty() ? place.function : place.function + " (" + line + ")";
}

std::string IdentityText(const Identity& identity) {
  std::string text = identity.kind;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (!identity.type.empty()) text += " " + identity.type;
  if (!identity.function.empty()) text += " in " + identity.function;
  if (!identity.file.empty()) text += " (" + identity.file + ")";
  if (!identity.guard_class.empty()) text += ": " + identity.guard_class;
  if (!identity.source.empty()) text += " of " + identity.source;
  if (identity.dim >= 0) text += ", dim " + std::to_string(identity.dim);
  return text;
}

void AddFindingHead(Severity severity, const std::string& rule, const std::string& message,
                    Document& page) {
  page.Begin(0, 4)
      .Add(SeverityStyle(severity), std::string(SeverityName(severity)) + "[" + rule + "]")
      .Add(TextStyle::kStrong, ": " + message);
}

void AddFinding(const Finding& finding, const Session& session, bool all_fixes, Document& page) {
  AddFindingHead(finding.severity, finding.rule, finding.message, page);
  const std::string place = PlaceToLookAt(finding);
  if (!place.empty()) page.Begin(2, kFindingIndent).Add(TextStyle::kArrow, "--> ").Add(place);
  const std::string wrapper = WrapperText(finding);
  if (!wrapper.empty()) Row(page, "wrapper").Add(wrapper);
  const std::string varied = VariedText(finding);
  if (!varied.empty()) Row(page, "changed").Add(varied);
  const std::string guard = GuardText(finding, session);
  if (!guard.empty()) Row(page, "guard").Add(TextStyle::kCode, guard);
  const std::string reason = BreakReasonText(finding, session);
  if (!reason.empty()) Row(page, "reason").Add(TextStyle::kCode, reason);
  const std::string caller = CallerText(finding, session);
  if (!caller.empty()) Row(page, "caller").Add(TextStyle::kCode, caller);
  AddSkipped(finding, session, page);
  if (finding.count > 0) {
    Row(page, "count").Add(SeenText(finding, session));
    const std::string evidence = EvidenceText(finding, session);
    if (!evidence.empty()) page.Add(TextStyle::kFaint, ", " + evidence);
  }
  AddAdvice(finding, all_fixes, page);
}

void AddNote(const Finding& finding, const Session& session, Document& page) {
  const TextStyle style = SeverityStyle(finding.severity);
  page.Begin(0, 4).Add(style, SeverityName(finding.severity));
  page.Add(style, "[" + finding.rule + "]").Add(": " + finding.message);
  const std::string evidence = EvidenceText(finding, session);
  const std::string seen = SeenText(finding, session) + (evidence.empty() ? "" : ", " + evidence);
  page.Add(TextStyle::kFaint, " (" + seen + ")");
}

void AddGaps(const std::vector<std::string>& gaps, Document& page) {
  if (gaps.size() != 1) return page.AddList("Not visible in this log", gaps);
  page.BlankLine();
  page.Begin(0, 2).Add(gaps.front());
}

}  // namespace shapewise
