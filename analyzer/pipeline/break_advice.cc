#include "pipeline/break_advice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "model/code_owner.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "rules/placeholders.h"
#include "rules/rule_set.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A list of more lines of code is not read.
constexpr size_t kMaxShownCallers = 3;

/// Settings with which Dynamo takes operators into the graph that otherwise break it.
constexpr std::string_view kCaptures[] = {
    "torch._dynamo.config.capture_scalar_outputs = True",
    "torch._dynamo.config.capture_dynamic_output_shape_ops = True"};

bool IsCapture(const Action& action) {
  return std::ranges::any_of(kCaptures, [&](std::string_view code) { return action.code == code; });
}

const Action* FindCapture(const Finding& finding) {
  const auto found = std::ranges::find_if(finding.advice, IsCapture);
  return found == finding.advice.end() ? nullptr : &*found;
}

/// Texts in the order in which they were added, each once.
class DistinctTexts {
 public:
  void Add(const std::string& text) {
    if (known_.insert(text).second) in_order_.push_back(text);
  }
  const std::vector<std::string>& in_order() const { return in_order_; }

 private:
  std::vector<std::string> in_order_;
  std::set<std::string> known_;
};

/// The breaks of one library, or of several that one line of the user's leads to.
struct LibraryBreaks {
  DistinctTexts libraries;
  DistinctTexts callers;        ///< lines of the compiled function
  std::vector<size_t> members;  ///< indices of causes
  uint64_t count = 0;
};

/// The package that has the break, if it is one that users do not edit and is not PyTorch.
std::string_view PackageOf(const Cause& cause) {
  if (cause.kind != CauseKind::kGraphBreak) return {};
  const std::string_view library = OwnerOf(cause).library;
  return library == "torch" || library == "python" ? std::string_view() : library;
}

/// Kinds of actions that edit the code.
bool IsEdit(const Action& action) {
  return IsOneOf(action.kind, {"fix_break", "hoist", "tensorize", "disable_region"});
}

bool IsOpen(const ReportedCause& reported) {
  if (PackageOf(reported.cause).empty() || reported.finding.advice.empty()) return false;
  const Action& first = reported.finding.advice.front();
  const bool names_no_setting = first.kind == "config" && first.code.empty();
  return (IsEdit(first) || IsCapture(first) || names_no_setting) &&
         !RuleSet::Builtin().HasRemedy(reported.cause);
}

/// The line of the compiled function that leads to the break; empty: not known.
std::string CallerInside(const Cause& cause) {
  return cause.calls_compiled ? std::string() : cause.caller;
}

std::vector<LibraryBreaks> GroupBreaks(const std::vector<ReportedCause>& reported) {
  llvm::EquivalenceClasses<std::string> related;  // packages and lines
  std::vector<size_t> open;
  for (size_t i = 0; i < reported.size(); ++i) {
    if (!IsOpen(reported[i])) continue;
    open.push_back(i);
    const Cause& cause = reported[i].cause;
    const std::string package(PackageOf(cause));
    const std::string caller = CallerInside(cause);
    related.unionSets(package, caller.empty() ? package : caller);
  }
  std::vector<LibraryBreaks> groups;
  std::map<std::string, size_t> group_of;  // by the leader of its class
  for (const size_t i : open) {
    const Cause& cause = reported[i].cause;
    const std::string package(PackageOf(cause));
    const auto [found, is_new] =
        group_of.try_emplace(related.getLeaderValue(package), groups.size());
    if (is_new) groups.emplace_back();
    LibraryBreaks& breaks = groups[found->second];
    breaks.libraries.Add(package);
    if (const std::string caller = CallerInside(cause); !caller.empty()) breaks.callers.Add(caller);
    breaks.members.push_back(i);
    breaks.count += cause.count;
  }
  return groups;
}

/// A user can only edit the line that leads to a break in a library.
void PointToCaller(ReportedCause& reported) {
  const Cause& cause = reported.cause;
  if (cause.kind != CauseKind::kGraphBreak || CallerInside(cause).empty()) return;
  for (Action& action : reported.finding.advice) {
    if (IsEdit(action)) action.target = ParsePlace(cause.caller);
  }
}

/// Adds the recompiles and limits of the packages' own functions, in files that have some of the
/// breaks: without these, the functions would be parts of their callers' graphs.
void AddRecompiles(const std::vector<ReportedCause>& reported, LibraryBreaks& breaks) {
  std::set<std::string_view> files;
  for (const size_t i : breaks.members) files.insert(reported[i].cause.user.file);
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    const Finding& finding = reported[i].finding;
    const bool is_open = cause.kind == CauseKind::kRecompile && !finding.advice.empty() &&
                         finding.severity != Severity::kNote;
    if (!is_open || !files.contains(cause.where.file)) continue;
    if (!RuleSet::Builtin().HasRemedy(cause)) breaks.members.push_back(i);
  }
}

/// The breaks of the group that settings capture.
LibraryBreaks CapturedOf(const LibraryBreaks& breaks, const std::vector<ReportedCause>& reported) {
  LibraryBreaks captured;
  for (const size_t i : breaks.members) {
    if (FindCapture(reported[i].finding) == nullptr) continue;
    captured.members.push_back(i);
    captured.count += reported[i].cause.count;
  }
  return captured;
}

/// Puts settings that capture all breaks of the group before its other advice.
void PutCapturesFirst(const LibraryBreaks& breaks, std::vector<ReportedCause>& reported) {
  std::vector<std::string> codes;
  for (const std::string_view code : kCaptures) {
    const bool is_needed = std::ranges::any_of(
        breaks.members, [&](size_t i) { return FindCapture(reported[i].finding)->code == code; });
    if (is_needed) codes.emplace_back(code);
  }
  for (const size_t i : breaks.members) {
    std::vector<Action>& advice = reported[i].finding.advice;
    const auto capture = std::ranges::find_if(advice, IsCapture);
    if (codes.size() > 1) {
      capture->text =
          "Capture these operators and numbers in the graph, with both settings together, and "
          "re-run to see that nothing else breaks.";
      capture->code = codes.front() + "\n" + codes.back();
      capture->trap =
          "A branch, index or size that needs a value can become a hard error; revert then.";
    }
    std::rotate(advice.begin(), capture, capture + 1);
  }
}

/// "einops, timm and torchvision".
std::string JoinedNames(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : " and ") + names[i];
  }
  return text;
}

/// "All 5 graph breaks are in einops and timm"; `num_breaks`: of the run.
std::string WhereBreaksAre(const LibraryBreaks& breaks, uint64_t num_breaks) {
  const bool is_one = breaks.count == 1;
  const std::string count = std::to_string(breaks.count);
  std::string text = count + (is_one ? " graph break is" : " graph breaks are");
  if (breaks.count == num_breaks) {
    const std::string all = breaks.count == 2 ? "Both graph breaks are" : "All " + text;
    text = is_one ? "The graph break is" : all;
  }
  return text + " in " + JoinedNames(breaks.libraries.in_order());
}

void PutFirst(const LibraryBreaks& breaks, Action action, std::vector<ReportedCause>& reported) {
  action.kind = "isolate";
  action.confidence = 0.9;
  for (const size_t i : breaks.members) {
    std::vector<Action>& advice = reported[i].finding.advice;
    action.evidence = advice.front().evidence;
    advice.insert(advice.begin(), action);
  }
}

void PutCallOutsideFirst(const LibraryBreaks& breaks, uint64_t num_breaks,
                         std::vector<ReportedCause>& reported) {
  const std::vector<std::string>& all_callers = breaks.callers.in_order();
  std::vector<std::string> callers;
  for (const std::string& caller : llvm::ArrayRef(all_callers).take_front(kMaxShownCallers)) {
    callers.push_back(CallingLineText(caller));
  }
  if (all_callers.size() > callers.size()) callers.emplace_back("others");
  const std::vector<std::string>& libraries = breaks.libraries.in_order();
  Action action;
  action.torch = ">=2.0";
  action.text = WhereBreaksAre(breaks, num_breaks) + ": call " +
                (libraries.size() == 1 ? "it" : "them") +
                " outside of the compiled function, and compile what comes before and after. " +
                Joined(callers, ", ") + (callers.size() == 1 ? " leads there." : " lead there.");
  action.trap =
      "If that call is most of the work, leave it where it is, and look for an option or a newer "
      "release of " +
      JoinedNames(libraries) + " that avoids " + (breaks.count == 1 ? "the break." : "the breaks.");
  if (all_callers.size() == 1) action.target = ParsePlace(all_callers.front());
  PutFirst(breaks, std::move(action), reported);
}

/// The compiled function is the library's: only its parts can be compiled without the breaks.
void PutPartsFirst(const LibraryBreaks& breaks, uint64_t num_breaks,
                   std::vector<ReportedCause>& reported) {
  Action action;
  action.torch = ">=2.2";
  action.text = WhereBreaksAre(breaks, num_breaks) + ", at " +
                std::to_string(breaks.members.size()) +
                " places: instead of the whole model, compile modules inside of it that none of "
                "them is in, such as its repeated blocks.";
  action.code =
      "for block in model.encoder.layers:  # as they are called in this model\n"
      "    block.compile()";
  action.trap =
      "If each block has a break, compile smaller parts, such as the attention. An "
      "option or a newer release of " +
      JoinedNames(breaks.libraries.in_order()) + " may avoid the breaks.";
  PutFirst(breaks, std::move(action), reported);
}

/// The line of user code that breaks, or leads to the break.
Place PlaceOfBreak(const Cause& cause) {
  return CallerInside(cause).empty() ? cause.user : ParsePlace(cause.caller);
}

using CodeLine = std::pair<std::string, uint32_t>;  // file and number

/// The line of the break after which the function of a recompile begins; 0: it is no such function.
CodeLine LineBefore(const Cause& cause) {
  const auto resume = ParseResumeName(cause.where.function);
  const bool is_recompile = cause.kind == CauseKind::kRecompile;
  return {cause.where.file, is_recompile && resume ? resume->line : 0};
}

/// Breaks in the user's own code and the recompiles of what follows them, by the line of the break.
std::map<CodeLine, std::vector<size_t>> GroupByBreak(const std::vector<ReportedCause>& reported) {
  std::map<CodeLine, std::vector<size_t>> groups;
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    const bool is_of_user = OwnerOf(cause).IsUser() && cause.user.line != 0;
    if (cause.kind != CauseKind::kGraphBreak || !is_of_user) continue;
    groups[{cause.user.file, cause.user.line}].push_back(i);
  }
  for (size_t i = 0; i < reported.size(); ++i) {
    const auto found = groups.find(LineBefore(reported[i].cause));
    if (found != groups.end()) found->second.push_back(i);
  }
  return groups;
}

/// A function whose compilation failed with the message of a break has the break's advice.
void AdviseOnFailedFrames(std::vector<ReportedCause>& reported) {
  std::map<std::string_view, const ReportedCause*> breaks;  // by type
  for (const ReportedCause& one : reported) {
    const bool runs_eager = one.cause.kind == CauseKind::kGraphBreak && one.finding.runs_eager;
    if (runs_eager && !one.finding.advice.empty()) breaks.try_emplace(one.cause.type, &one);
  }
  for (ReportedCause& one : reported) {
    if (one.cause.kind != CauseKind::kSkippedFrame || one.cause.why != "compile-error") continue;
    const auto found = breaks.find(one.cause.message);
    if (found != breaks.end()) one.finding.advice = found->second->finding.advice;
  }
}

/// Where several things vary in the rest of the line of a break alone, such as a list that it
/// makes, each of them would still vary without the others: the line is no work for a graph.
void TakeLineOut(std::vector<ReportedCause>& reported) {
  constexpr size_t kMinRecompiles = 2;
  for (const auto& [line, members] : GroupByBreak(reported)) {
    uint64_t count = 0;
    size_t num_of_line = 0;
    bool is_last = true;
    for (const size_t i : members) {
      const Cause& cause = reported[i].cause;
      if (cause.kind == CauseKind::kGraphBreak) {
        is_last &= cause.code.starts_with("return ");
        continue;
      }
      count += cause.count;
      num_of_line += CodeLine(cause.user.file, cause.user.line) == line ? 1 : 0;
    }
    if (num_of_line < kMinRecompiles) continue;
    const std::string number = std::to_string(line.second);
    Action action;
    action.kind = "hoist";
    action.torch = ">=2.0";
    action.confidence = 0.9;
    action.target.file = line.first;
    action.target.line = line.second;
    action.text = "Take line " + number + " out of the compiled function: " +
                  (is_last ? "return what it needs, and run it outside, after the call. "
                           : "compile what stands before it and after it as functions of their "
                             "own, and run the line between them. ") +
                  std::to_string(count) + " recompiles are of what follows the break there.";
    for (const size_t i : members) {
      Finding& finding = reported[i].finding;
      if (finding.severity == Severity::kNote) continue;
      if (!finding.advice.empty()) action.evidence = finding.advice.front().evidence;
      finding.advice.insert(finding.advice.begin(), action);
    }
  }
}

Action NewIsolation(const CodeLine& line, std::string text) {
  Action action;
  action.kind = "isolate";
  action.torch = ">=2.0";
  action.confidence = 0.9;
  action.target.file = line.first;
  action.target.line = line.second;
  action.text = std::move(text);
  return action;
}

/// Puts `action` before the other advice of `finding`, with the evidence of that.
void PutBefore(Finding& finding, Action action) {
  if (finding.severity == Severity::kNote) return;
  if (!finding.advice.empty()) action.evidence = finding.advice.front().evidence;
  finding.advice.insert(finding.advice.begin(), std::move(action));
}

/// Whether the break reads a number from a tensor, and its advice is to keep it in one.
bool KeepsNumberInTensor(const ReportedCause& one) {
  return one.cause.kind == CauseKind::kGraphBreak && HasText(one.cause.type, "Tensor.item") &&
         !one.finding.advice.empty() && one.finding.advice.front().kind == "fix_break";
}

/// Whether it is a recompile by a number that an object keeps.
bool IsOfKeptNumber(const Cause& cause) {
  const bool is_number = cause.kind == CauseKind::kRecompile && cause.culprit &&
                         (cause.culprit->guard_class == GuardClass::kInt ||
                          cause.culprit->guard_class == GuardClass::kFloat);
  if (!is_number) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  return !source.path.empty() && source.root != SourceRef::Root::kTemporary &&
         source.path.back().kind == SourceStep::Kind::kAttribute;
}

/// Where the rest of a function keeps count in Python after a number is read from a tensor, a
/// tensor in place of the number would not help: each count is guarded by its value.
void EndBeforeNumber(std::vector<ReportedCause>& reported) {
  for (const auto& [line, members] : GroupByBreak(reported)) {
    DistinctTexts counts;
    std::vector<size_t> mended;
    for (const size_t i : members) {
      const Cause& cause = reported[i].cause;
      const bool is_count = IsOfKeptNumber(cause);
      if (is_count) {
        counts.Add(SpellSources(cause.culprit->source, SourceSpelling::kPython));
      }
      if (is_count || KeepsNumberInTensor(reported[i])) mended.push_back(i);
    }
    const bool reads_number =
        std::ranges::any_of(members, [&](size_t i) { return KeepsNumberInTensor(reported[i]); });
    if (!reads_number || counts.in_order().empty()) continue;
    const Action action = NewIsolation(
        line, "End the compiled function before line " + std::to_string(line.second) +
                  ": return the tensors, and read the number and run the rest outside, after the "
                  "call. The rest changes " +
                  JoinedNames(counts.in_order()) +
                  " in Python. If it is much work for the device, compile that as a function of "
                  "its own.");
    for (const size_t i : mended) PutBefore(reported[i].finding, action);
  }
}

/// The fact `name` of `cause`; empty: unknown.
std::string_view FactOf(const Cause& cause, std::string_view name) {
  const auto found =
      std::ranges::find_if(cause.facts, [&](const auto& fact) { return fact.first == name; });
  return found == cause.facts.end() ? std::string_view() : std::string_view(found->second);
}

/// A function that also runs the backward pass, and what varies or breaks from there on.
struct TrainingStep {
  uint32_t line = 0;  ///< of the backward pass
  std::vector<size_t> rest;
  std::vector<size_t> before;  ///< recompiles by a number that is an argument
  DistinctTexts numbers;       ///< these arguments
};

using CodeFunction = std::pair<std::string, std::string>;  // file and name

/// The function that a break or a recompile is of, without the part after a break.
CodeFunction FunctionOf(const Cause& cause) {
  if (cause.kind == CauseKind::kGraphBreak) {
    return {cause.user.file, std::string(FactOf(cause, "broken_function"))};
  }
  const auto resume = ParseResumeName(cause.where.function);
  return {cause.where.file, resume ? std::string(resume->function) : cause.where.function};
}

std::map<CodeFunction, TrainingStep> FindTrainingSteps(const std::vector<ReportedCause>& reported) {
  std::map<CodeFunction, TrainingStep> steps;
  for (const ReportedCause& one : reported) {
    const Cause& cause = one.cause;
    const bool is_backward = cause.kind == CauseKind::kGraphBreak && OwnerOf(cause).IsUser() &&
                             HasText(cause.type, "Tensor.backward") && cause.user.line != 0 &&
                             !HasText(cause.code, "create_graph");
    if (!is_backward || FactOf(cause, "broken_function").empty()) continue;
    uint32_t& line = steps[FunctionOf(cause)].line;
    line = line == 0 ? cause.user.line : std::min(line, cause.user.line);
  }
  for (size_t i = 0; i < reported.size() && !steps.empty(); ++i) {
    const Cause& cause = reported[i].cause;
    const bool is_recompile = cause.kind == CauseKind::kRecompile;
    if (!is_recompile && cause.kind != CauseKind::kGraphBreak) continue;
    const auto found = steps.find(FunctionOf(cause));
    if (found == steps.end()) continue;
    TrainingStep& step = found->second;
    const auto resume = ParseResumeName(cause.where.function);
    const uint32_t line = !is_recompile ? cause.user.line : resume ? resume->line : 0;
    if (line >= step.line) {
      step.rest.push_back(i);
      continue;
    }
    if (!is_recompile || !cause.culprit) continue;
    const bool is_number = IsRelationOfNumber(cause) ||
                           cause.culprit->guard_class == GuardClass::kInt ||
                           cause.culprit->guard_class == GuardClass::kFloat;
    const SourceRef source = ParseSource(cause.culprit->source);
    if (!is_number || source.root != SourceRef::Root::kArgument || !source.path.empty()) continue;
    step.before.push_back(i);
    step.numbers.Add(SpellSources(cause.culprit->source, SourceSpelling::kPython));
  }
  return steps;
}

/// A backward pass ends the graph, and what a training step does after it is bookkeeping in Python,
/// which breaks and varies at every line: one cut before it serves all.
void CompileLossAlone(std::vector<ReportedCause>& reported) {
  constexpr size_t kMinRest = 2;  // the backward pass and something else
  for (auto& [function, step] : FindTrainingSteps(reported)) {
    if (step.rest.size() < kMinRest) continue;
    const std::string line = std::to_string(step.line);
    std::string text = "Compile only what comes before line " + line +
                       ", as a function that returns the loss, and run the backward pass and what "
                       "follows it outside: from there on, " +
                       function.second + " breaks the graph or is compiled again for " +
                       std::to_string(step.rest.size()) + " reasons.";
    if (!step.before.empty()) {
      text += " Compute what depends on " + JoinedNames(step.numbers.in_order()) +
              " outside, too, and pass in the result as a tensor.";
    }
    Action action = NewIsolation({function.first, step.line}, std::move(text));
    action.code =
        "compiled_loss = torch.compile(compute_loss)\nloss = compiled_loss(x, y)\n"
        "loss.backward()  # and the rest";
    for (const std::vector<size_t>* part : {&step.before, &step.rest}) {
      for (const size_t i : *part) PutBefore(reported[i].finding, action);
    }
  }
}

/// Whether the user's own line draws a random number in Python.
bool IsDraw(const Cause& cause) {
  if (cause.kind != CauseKind::kGraphBreak || !OwnerOf(cause).IsUser()) return false;
  return HasText(cause.context, "andom.") || HasText(cause.code, "np.random.") ||
         HasText(cause.code, "numpy.random.");
}

/// Each number that is drawn in the compiled code has a break of its own: all have to go.
void DrawAllOutside(std::vector<ReportedCause>& reported) {
  std::vector<size_t> draws;
  DistinctTexts places;
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    if (!IsDraw(cause) || reported[i].finding.advice.empty()) continue;
    draws.push_back(i);
    places.Add(std::to_string(cause.user.line));
  }
  if (places.in_order().size() < 2) return;
  std::vector<std::string> lines = places.in_order();
  std::ranges::sort(lines, {}, [](const std::string& line) { return std::stoull(line); });
  Action action;
  action.kind = "hoist";
  action.torch = ">=2.0";
  action.confidence = 0.9;
  action.text = "Draw all random numbers, those of lines " + JoinedNames(lines) +
                ", outside of the compiled function, and pass them in as tensors; where one "
                "decides an `if`, pass in the answer as a bool.";
  action.trap =
      "Draw them in the same order and under the same conditions: if not, they differ from those "
      "of before.";
  for (const size_t i : draws) {
    Finding& finding = reported[i].finding;
    action.target = finding.advice.front().target;
    action.evidence = finding.advice.front().evidence;
    finding.advice.insert(finding.advice.begin(), action);
  }
}

/// Whether the cause is that the rest of a function after a break is a function of its own.
bool FollowsFromBreak(const ReportedCause& one) {
  if (one.finding.advice.empty()) return false;
  const bool is_skipped = one.cause.kind == CauseKind::kSkippedFrame;
  const bool is_recompile = one.cause.kind == CauseKind::kRecompile;
  return is_skipped || (is_recompile && one.finding.advice.front().kind == "fix_break");
}

/// Where the advice is to remove the break that hands on what varies, or before what fails, the
/// break's own first action says how.
void NameActionOfBreak(std::vector<ReportedCause>& reported) {
  std::map<CodeLine, const Finding*> breaks;
  for (const ReportedCause& one : reported) {
    if (one.cause.kind != CauseKind::kGraphBreak || one.finding.advice.empty()) continue;
    for (const Place& place : {PlaceOfBreak(one.cause), one.cause.user}) {
      breaks.try_emplace({place.file, place.line}, &one.finding);
    }
  }
  for (ReportedCause& one : reported) {
    if (!FollowsFromBreak(one)) continue;
    std::vector<Action>& advice = one.finding.advice;
    const auto resume = ParseResumeName(one.cause.where.function);
    if (!resume) continue;
    const auto found = breaks.find({one.cause.where.file, resume->line});
    if (found == breaks.end()) continue;
    one.finding.next_steps.clear();  // they ask for the break
    Action action = found->second->advice.front();
    // Advice for all breaks in a library, or for a line that has to go, names them itself.
    if (action.kind != "isolate" && !action.text.starts_with("Take line ")) {
      action.text =
          "Start with the graph break at line " + std::to_string(resume->line) + ". " + action.text;
    }
    action.evidence = advice.front().evidence;
    advice.front() = std::move(action);
  }
}

/// What the causes in the code of one library say together.
struct LibraryCauses {
  const Action* remedy = nullptr;  ///< the first from libraries.json
  DistinctTexts breaks;            ///< places
};

std::map<std::string_view, LibraryCauses> CausesByLibrary(
    const std::vector<ReportedCause>& reported) {
  std::map<std::string_view, LibraryCauses> of_library;
  for (const ReportedCause& one : reported) {
    if (one.finding.advice.empty()) continue;
    LibraryCauses& causes = of_library[OwnerOf(one.cause).library];
    if (causes.remedy == nullptr && RuleSet::Builtin().HasRemedy(one.cause)) {
      causes.remedy = &one.finding.advice.front();
    }
    if (one.cause.kind != CauseKind::kGraphBreak) continue;
    causes.breaks.Add(std::string(PathFromPackage(one.cause.user.file)) + ":" +
                      std::to_string(one.cause.user.line));
  }
  return of_library;
}

/// The wrapper of a library's decorator is a function of its own because of breaks. A remedy for
/// the code of the library removes them; otherwise the breaks are named, if the log shows them.
void AdviseOnWrappers(std::vector<ReportedCause>& reported) {
  const std::map<std::string_view, LibraryCauses> of_library = CausesByLibrary(reported);
  for (ReportedCause& one : reported) {
    const bool is_wrapper = std::ranges::any_of(
        one.cause.facts, [](const auto& fact) { return fact.first == "wrapped"; });
    if (!is_wrapper || !FollowsFromBreak(one)) continue;
    std::vector<Action>& advice = one.finding.advice;
    const LibraryCauses& causes = of_library.at(OwnerOf(one.cause).library);
    const llvm::ArrayRef<std::string> places(causes.breaks.in_order());
    if (causes.remedy != nullptr && !RuleSet::Builtin().HasRemedy(one.cause)) {
      Action action = *causes.remedy;
      action.evidence = advice.front().evidence;
      advice.insert(advice.begin(), std::move(action));
    } else if (!places.empty()) {
      std::string& text = advice.front().text;
      text.resize(std::min(text.size(), text.rfind(" TORCH_LOGS=")));
      text += " They are at " + Joined(places.take_front(kMaxShownCallers), ", ") +
              (places.size() > kMaxShownCallers ? " and other places." : ".");
    }
  }
}

/// An argument with a new value in every entry is the cause, whichever guard failed first; it hides
/// behind the guards that are checked before.
void KeepUniqueValuesOut(std::vector<ReportedCause>& reported) {
  for (ReportedCause& one : reported) {
    const std::string_view unique = FactOf(one.cause, "unique_value");
    Finding& finding = one.finding;
    if (unique.empty() || finding.severity == Severity::kNote || finding.advice.empty()) continue;
    Action action;
    action.kind = "hoist";
    action.torch = ">=2.0";
    action.confidence = 0.9;
    action.target = finding.advice.front().target;
    action.evidence = finding.advice.front().evidence;
    const std::string name(unique.substr(0, FindText(unique, " (")));
    action.text = "Keep " + name + " out of the compiled function, with all code that reads it: " +
                  std::string(unique) + ", so that no entry is used again. Compile only the part " +
                  "that computes with tensors, and do the rest outside.";
    action.trap = "A higher limit, or a function for each case of another value, only adds " +
                  std::string("compiles as long as the guard on ") + name + " is there.";
    // Neither more entries nor more functions help: the entries are not for values of the culprit.
    std::erase_if(finding.advice, [](const Action& other) {
      return IsOneOf(other.kind, {"raise_limit", "isolate"});
    });
    finding.advice.insert(finding.advice.begin(), std::move(action));
  }
}

}  // namespace

void AdviseOnBreaks(std::vector<ReportedCause>& reported) {
  uint64_t num_breaks = 0;
  bool raises = false;
  for (const ReportedCause& one : reported) {
    if (one.cause.kind == CauseKind::kGraphBreak) num_breaks += one.cause.count;
    raises |= one.cause.is_in_subscripts;
  }
  for (ReportedCause& one : reported) {
    if (!raises) break;
    std::erase_if(one.finding.advice,
                  [](const Action& action) { return action.code == kCaptures[0]; });
  }
  for (ReportedCause& one : reported) PointToCaller(one);
  for (LibraryBreaks& breaks : GroupBreaks(reported)) {
    const LibraryBreaks captured = CapturedOf(breaks, reported);
    if (captured.count == breaks.count) {
      PutCapturesFirst(breaks, reported);
    } else if (!breaks.callers.in_order().empty()) {
      AddRecompiles(reported, breaks);
      PutCallOutsideFirst(breaks, num_breaks, reported);
    } else if (breaks.members.size() > 1 && std::ranges::all_of(breaks.members, [&](size_t i) {
                 return reported[i].cause.calls_compiled;
               })) {
      PutPartsFirst(breaks, num_breaks, reported);
      // One line for most of the breaks is tried before the model is taken apart.
      if (captured.count * 4 >= breaks.count * 3) PutCapturesFirst(captured, reported);
    }
  }
  AdviseOnFailedFrames(reported);
  DrawAllOutside(reported);
  TakeLineOut(reported);
  EndBeforeNumber(reported);
  CompileLossAlone(reported);
  NameActionOfBreak(reported);
  AdviseOnWrappers(reported);
  KeepUniqueValuesOut(reported);
}

}  // namespace shapewise
