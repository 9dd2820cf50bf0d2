#include "pipeline/break_advice.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/code_owner.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "pipeline/library_break_advice.h"
#include "pipeline/reported_advice.h"
#include "result/advice.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

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

Action ActionAt(const CodeLine& line, std::string_view kind, std::string text) {
  Action action = NewAction(kind, std::move(text));
  action.target.file = line.first;
  action.target.line = line.second;
  return action;
}

/// Puts `action` before the advice of the findings `members` that are no notes.
void PutBeforeAll(const std::vector<size_t>& members, const Action& action,
                  std::vector<ReportedCause>& reported) {
  for (const size_t i : members) {
    Finding& finding = reported[i].finding;
    if (finding.severity != Severity::kNote) PutBefore(finding, action);
  }
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

/// An operator that breaks the graph may raise an error where the rest of its line is compiled: the
/// break shows the line.
void AdviseOnFailedRest(std::vector<ReportedCause>& reported) {
  std::map<CodeLine, const ReportedCause*> breaks;
  for (const ReportedCause& one : reported) {
    const bool has_action = one.cause.kind == CauseKind::kGraphBreak && !one.finding.advice.empty();
    if (has_action && !one.cause.context.empty()) {
      breaks.try_emplace({one.cause.user.file, one.cause.user.line}, &one);
    }
  }
  for (ReportedCause& one : reported) {
    if (one.cause.kind != CauseKind::kCompileError) continue;
    const auto found = breaks.find({one.cause.user.file, one.cause.user.line});
    if (found == breaks.end() || !HasText(one.cause.message, found->second->cause.context))
      continue;
    one.finding.advice = found->second->finding.advice;
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
    const Action action = ActionAt(
        line, "hoist",
        "Take line " + std::to_string(line.second) + " out of the compiled function: " +
            (is_last ? "return what it needs, and run it outside, after the call. "
                     : "compile what stands before it and after it as functions of their own, and "
                       "run the line between them. ") +
            std::to_string(count) + " recompiles are of what follows the break there.");
    PutBeforeAll(members, action, reported);
  }
}

/// Whether the break reads a number from a tensor, and its advice is to keep it in one.
bool KeepsNumberInTensor(const ReportedCause& one) {
  return one.cause.kind == CauseKind::kGraphBreak && HasText(one.cause.type, "Tensor.item") &&
         !one.cause.code.starts_with("if ") && !one.finding.advice.empty() &&
         one.finding.advice.front().kind == "fix_break";
}

/// Whether it is a recompile by a number that an object keeps.
bool IsOfKeptNumber(const Cause& cause) {
  const bool is_number = cause.kind == CauseKind::kRecompile && cause.culprit &&
                         (cause.culprit->guard_class == GuardClass::kInt ||
                          cause.culprit->guard_class == GuardClass::kFloat);
  if (!is_number) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  return source.root != SourceRef::Root::kTemporary && source.IsAttribute();
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
    const Action action = ActionAt(
        line, "isolate",
        "End the compiled function before line " + std::to_string(line.second) +
            ": return the tensors, and read the number and run the rest outside, after the "
            "call. The rest changes " +
            JoinedNames(counts.in_order()) +
            " in Python. If it is much work for the device, compile that as a function of "
            "its own.");
    PutBeforeAll(mended, action, reported);
  }
}

/// A function that also runs the backward pass, and what varies or breaks from there on.
struct TrainingStep {
  uint32_t line = 0;  ///< of the backward pass
  std::vector<size_t> rest;
  std::vector<size_t> before;   ///< recompiles by a number that is an argument
  std::vector<size_t> outside;  ///< breaks before it that are no part of the forward pass
  DistinctTexts lines;          ///< of calls of the optimizer before it
  DistinctTexts checks;         ///< lines that check for nan or inf before it
  DistinctTexts numbers;        ///< these arguments
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

/// Takes in a break before the backward pass, if it is no part of the forward pass.
void AddBreakBefore(const Cause& cause, size_t index, TrainingStep& step) {
  if (!OwnerOf(cause).IsUser()) return;
  const bool is_of_optimizer =
      HasText(cause.context, "Optimizer.") || HasText(cause.code, ".zero_grad(");
  const bool is_check = cause.code.starts_with("if ") &&
                        (HasText(cause.code, "isnan(") || HasText(cause.code, "isfinite(") ||
                         HasText(cause.code, "isinf("));
  if (!is_of_optimizer && !is_check) return;
  step.outside.push_back(index);
  (is_of_optimizer ? step.lines : step.checks).Add(std::to_string(cause.user.line));
}

/// "Leave line 45 outside as well, and line 48 if it checks the loss."
std::string LeaveOutsideText(const TrainingStep& step) {
  const auto lines_text = [](const std::vector<std::string>& lines) {
    return "lines " + JoinedNames(lines);
  };
  const std::vector<std::string>& lines = step.lines.in_order();
  const std::vector<std::string>& checks = step.checks.in_order();
  std::string text;
  if (!lines.empty()) text = " Leave " + lines_text(lines) + " outside as well";
  if (!checks.empty()) {
    text += (text.empty() ? " Leave " : ", and ") + lines_text(checks) +
            (text.empty() ? " outside as well" : "") +
            (checks.size() > 1 ? " if they check the loss" : " if it checks the loss");
  }
  return text.empty() ? text : text + ".";
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
    if (!is_recompile) AddBreakBefore(cause, i, step);
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
    if (step.rest.size() + step.outside.size() < kMinRest) continue;
    const std::string line = std::to_string(step.line);
    std::string text = "Compile only what comes before line " + line +
                       ", as a function that returns the loss, and run the backward pass and what "
                       "follows it outside: from there on, " +
                       function.second + " breaks the graph or is compiled again for " +
                       std::to_string(step.rest.size()) +
                       (step.rest.size() > 1 ? " reasons." : " reason.") + LeaveOutsideText(step);
    if (!step.before.empty()) {
      text += " Compute what depends on " + JoinedNames(step.numbers.in_order()) +
              " outside, too, and pass in the result as a tensor.";
    }
    Action action = ActionAt({function.first, step.line}, "isolate", std::move(text));
    action.code =
        "compiled_loss = torch.compile(compute_loss)\nloss = compiled_loss(x, y)\n"
        "loss.backward()  # and the rest";
    PutBeforeAll(step.before, action, reported);
    PutBeforeAll(step.outside, action, reported);
    PutBeforeAll(step.rest, action, reported);
  }
}

/// Where the graphs for a fixed set of sizes, such as buckets, are all from before a change of grad
/// mode that did not come back, they may be of a warm-up: its mode matters more than their number.
void WarmUpInMode(std::vector<ReportedCause>& reported) {
  std::map<std::string, const ReportedCause*> changes;  // by function
  for (const ReportedCause& one : reported) {
    const bool has_action = !one.cause.events.empty() && !one.finding.advice.empty();
    if (!has_action || FactOf(one.cause, "left_graphs").empty()) continue;
    changes.try_emplace(one.cause.where.file + ":" + std::to_string(one.cause.where.line), &one);
  }
  for (ReportedCause& one : reported) {
    const Cause& cause = one.cause;
    const bool has_sizes = cause.kind == CauseKind::kRecompile && cause.culprit &&
                           cause.culprit->guard_class == GuardClass::kSize &&
                           cause.pattern == ValuePattern::kEnumeration && !cause.events.empty();
    if (!has_sizes || changes.empty()) continue;
    const auto change = changes.find(cause.where.file + ":" + std::to_string(cause.where.line));
    if (change == changes.end()) continue;
    const bool is_before = cause.events.back() < change->second->cause.events.front();
    if (is_before) PutBefore(one.finding, change->second->finding.advice.front());
  }
}

/// Whether it is a recompile by a flag of an object of the user's that changed, other than the one
/// that train() and eval() set.
bool IsOfPhase(const Cause& cause) {
  const bool is_flag = cause.kind == CauseKind::kRecompile && cause.culprit &&
                       cause.culprit->guard_class == GuardClass::kBool && !cause.events.empty();
  if (!is_flag || cause.values.empty() || !OwnerOf(cause).IsUser()) return false;
  const SourceRef source = ParseSource(cause.culprit->source);
  return source.IsAttribute() && source.LastName() != "training";
}

/// A flag that is set in a first phase of a run, such as calibration, may lead to all breaks of its
/// function: none has to go if that phase is not compiled.
void LeavePhaseUncompiled(std::vector<ReportedCause>& reported) {
  std::set<CodeFunction> resumed;                          // functions that a break has split
  std::map<std::string_view, std::vector<size_t>> breaks;  // of the user's, by file
  std::map<std::string_view, std::vector<size_t>> rest;    // recompiles of what follows breaks
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    if (cause.events.empty() || !OwnerOf(cause).IsUser()) continue;
    if (cause.kind == CauseKind::kGraphBreak) breaks[cause.user.file].push_back(i);
    if (LineBefore(cause).second == 0) continue;
    resumed.insert(FunctionOf(cause));
    rest[cause.where.file].push_back(i);
  }
  for (const ReportedCause& one : reported) {
    const Cause& flag = one.cause;
    const auto found = breaks.find(flag.where.file);
    if (!IsOfPhase(flag) || found == breaks.end() || !resumed.contains(FunctionOf(flag))) continue;
    const auto is_before = [&](size_t i) {
      return reported[i].cause.events.back() < flag.events.front();
    };
    std::vector<size_t> members = std::move(found->second);
    breaks.erase(found);  // one flag of a file is enough
    if (!std::ranges::all_of(members, is_before)) continue;
    std::ranges::copy_if(rest[flag.where.file], std::back_inserter(members), is_before);
    const std::string name = SpellSources(flag.culprit->source, SourceSpelling::kPython);
    PutBeforeAll(
        members,
        ActionAt({flag.user.file, flag.user.line}, "isolate",
                 "Call the model without torch.compile while " + name + " is " +
                     flag.values.front() +
                     ", if that is a phase such as calibration or warm-up, and compile it "
                     "after that: all breaks in this file are from before it changed, and " +
                     FunctionOf(flag).second + " was compiled again without one."),
        reported);
  }
}

/// Whether it is a break in the user's code that the log shows with its function and line.
bool IsPlacedBreak(const Cause& cause) {
  return cause.kind == CauseKind::kGraphBreak && OwnerOf(cause).IsUser() && cause.user.line != 0 &&
         !cause.events.empty() && !FactOf(cause, "broken_function").empty();
}

/// After an operator whose result has a size that depends on data, another function breaks in a
/// loop and runs eagerly: neither a change of the first break nor of one line of the loop makes
/// graphs of what follows.
void EndBeforeLoop(std::vector<ReportedCause>& reported) {
  std::map<std::string_view, size_t> first_shapes;  // by file
  std::set<size_t> advised;                         // of these
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    if (!IsPlacedBreak(cause) || !HasText(cause.type, "Dynamic shape operator")) continue;
    const auto [found, is_new] = first_shapes.try_emplace(cause.user.file, i);
    const Cause& other = reported[found->second].cause;
    if (cause.events.front() < other.events.front()) found->second = i;
  }
  for (ReportedCause& one : reported) {
    const Cause& loop = one.cause;
    if (!IsPlacedBreak(loop) || loop.why != WhyName(Why::kLoopBreak)) continue;
    const auto found = first_shapes.find(loop.user.file);
    if (found == first_shapes.end()) continue;
    ReportedCause& shape = reported[found->second];
    const bool follows = shape.cause.events.front() < loop.events.front() &&
                         FunctionOf(shape.cause) != FunctionOf(loop);
    if (!follows) continue;
    const std::string line = std::to_string(shape.cause.user.line);
    Action action = ActionAt(
        {shape.cause.user.file, shape.cause.user.line}, "isolate",
        "End the compiled function before line " + line + ", if " + FunctionOf(loop).second +
            " runs after it: compile the modules that compute what comes before, and run the rest "
            "in plain Python. Line " +
            line + " gives a size that depends on data, and " + FunctionOf(loop).second +
            " runs eagerly as a whole because of a break in its loop.");
    action.code = "model.backbone.compile()  # as it is called in this model, instead of the model";
    action.trap =
        "If the rest is much work for the device, give it a fixed size: mask instead of selecting, "
        "and replace the loop.";
    PutBefore(one.finding, action);
    if (advised.insert(found->second).second) PutBefore(shape.finding, std::move(action));
  }
}

/// Whether the user's own line draws a random number in Python.
bool IsDraw(const Cause& cause) {
  if (cause.kind != CauseKind::kGraphBreak || !OwnerOf(cause).IsUser()) return false;
  return HasText(cause.context, "andom.") || HasText(cause.code, "np.random.") ||
         HasText(cause.code, "numpy.random.");
}

/// "lines 3, 5 and 12".
std::string LinesText(const DistinctTexts& places) {
  std::vector<std::string> lines = places.in_order();
  std::ranges::sort(lines, {}, [](const std::string& line) { return std::stoull(line); });
  return "lines " + JoinedNames(lines);
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
  Action action = NewAction(
      "hoist", "Draw all random numbers, those of " + LinesText(places) +
                   ", outside of the compiled function, and pass them in as tensors; where one "
                   "decides an `if`, select with torch.where.");
  action.trap =
      "Draw them in the same order and under the same conditions: if not, they differ from those "
      "of before.";
  for (const size_t i : draws) {
    Finding& finding = reported[i].finding;
    action.target = finding.advice.front().target;
    PutBefore(finding, action);
  }
}

/// The first action of a break, as advice for what follows from it.
Action ActionOfBreak(const Finding& of_break, uint32_t line) {
  Action action = of_break.advice.front();
  // Advice for all breaks in a library, or for a line that has to go, names them itself.
  if (action.kind != "isolate" && !action.text.starts_with("Take line ")) {
    action.text = std::string(kStartWithBreak) + std::to_string(line) + ". " + action.text;
  }
  return action;
}

/// Breaks at several lines of one file that call for the same change outside are one action.
void JoinLines(std::vector<ReportedCause>& reported) {
  struct Lines {
    std::vector<size_t> members;
    DistinctTexts lines;
  };
  std::map<std::pair<std::string, std::string>, Lines> groups;  // by file and text
  for (size_t i = 0; i < reported.size(); ++i) {
    const Cause& cause = reported[i].cause;
    const std::vector<Action>& advice = reported[i].finding.advice;
    const bool is_break = cause.kind == CauseKind::kGraphBreak && OwnerOf(cause).IsUser();
    if (!is_break || cause.user.line == 0 || advice.empty()) continue;
    const Action& first = advice.front();
    // DrawAllOutside names its lines.
    if (first.kind != "hoist" || HasText(first.text, " lines ")) continue;
    Lines& group = groups[{cause.user.file, first.text}];
    group.members.push_back(i);
    group.lines.Add(std::to_string(cause.user.line));
  }
  for (const auto& [key, group] : groups) {
    if (group.lines.in_order().size() < 2) continue;
    const auto target = reported[group.members.front()].finding.advice.front().target;
    for (const size_t i : group.members) {
      Action& action = reported[i].finding.advice.front();
      action.text += " Do it for " + LinesText(group.lines) + " together.";
      action.target = target;
    }
  }
}

/// Whether the break is where the user's code reads something that differs at each call.
bool ReadsNewValue(const Cause& cause) {
  return IsDraw(cause) || HasText(cause.context, "module: time,") ||
         HasText(cause.context, "module: datetime,") ||
         HasText(cause.type, "Call to a time function");
}

/// A function that runs eagerly because of a break in a loop hides what the values read before the
/// loop do: once the loop is in a graph, each new value is guarded.
void StartWithNewValues(std::vector<ReportedCause>& reported) {
  std::map<CodeFunction, uint32_t> loops;  // the last line of each function
  for (const ReportedCause& one : reported) {
    if (!IsPlacedBreak(one.cause) || one.cause.why != WhyName(Why::kLoopBreak)) continue;
    uint32_t& line = loops[FunctionOf(one.cause)];
    line = std::max(line, one.cause.user.line);
  }
  for (ReportedCause& one : reported) {
    const Cause& read = one.cause;
    if (!IsPlacedBreak(read) || !ReadsNewValue(read) || one.finding.advice.empty()) continue;
    const auto loop = loops.find(FunctionOf(read));
    if (loop == loops.end() || read.user.line >= loop->second) continue;
    one.finding.comes_first = true;
    one.finding.advice.front().trap = "Start with this: if the break at line " +
                                      std::to_string(loop->second) +
                                      " is removed first, the rest of " + loop->first.second +
                                      " is compiled again for each new value.";
  }
}

using BreakFindings = std::map<CodeLine, const Finding*>;

BreakFindings FindingsOfBreaks(const std::vector<ReportedCause>& reported) {
  BreakFindings breaks;
  for (const ReportedCause& one : reported) {
    if (one.cause.kind != CauseKind::kGraphBreak || one.finding.advice.empty()) continue;
    for (const Place& place : {PlaceOfBreak(one.cause), one.cause.user}) {
      breaks.try_emplace({place.file, place.line}, &one.finding);
    }
  }
  return breaks;
}

/// Where the advice is to remove the break that hands on what varies, or before what fails, the
/// break's own first action says how.
void NameActionOfBreak(std::vector<ReportedCause>& reported) {
  const BreakFindings breaks = FindingsOfBreaks(reported);
  for (ReportedCause& one : reported) {
    if (!FollowsFromBreak(one)) continue;
    std::vector<Action>& advice = one.finding.advice;
    const auto resume = ParseResumeName(one.cause.where.function);
    if (!resume) continue;
    const auto found = breaks.find({one.cause.where.file, resume->line});
    if (found == breaks.end()) continue;
    one.finding.next_steps.clear();  // they ask for the break
    Action action = ActionOfBreak(*found->second, resume->line);
    action.evidence = advice.front().evidence;
    advice.front() = std::move(action);
  }
}

/// The functions that a loop calls are compiled on their own because of a break in it: in the graph
/// of the loop, what differs from layer to layer is no reason to compile again.
void StartWithLoop(std::vector<ReportedCause>& reported) {
  const BreakFindings breaks = FindingsOfBreaks(reported);
  for (ReportedCause& one : reported) {
    const std::string_view split_by = FactOf(one.cause, "split_by");
    if (split_by.empty() || one.finding.severity == Severity::kNote) continue;
    const Place place = ParsePlace(split_by);
    const auto found = breaks.find({place.file, place.line});
    if (found == breaks.end()) continue;
    // Other kinds leave the functions apart.
    const std::string& kind = found->second->advice.front().kind;
    if (kind != "fix_break" && kind != "hoist") continue;
    PutBefore(one.finding, ActionOfBreak(*found->second, place.line));
  }
}

/// What the compiler raises when it compiles a function again does not happen without that.
void AvoidFailedRecompile(std::vector<ReportedCause>& reported) {
  std::map<size_t, ReportedCause*> recompiles;  // by their last event
  for (ReportedCause& one : reported) {
    const bool is_recompile = one.cause.kind == CauseKind::kRecompile && one.cause.culprit;
    if (is_recompile && !one.cause.events.empty()) {
      recompiles.emplace(one.cause.events.back(), &one);
    }
  }
  for (ReportedCause& one : reported) {
    const Cause& error = one.cause;
    if (error.kind != CauseKind::kCompileError || error.events.empty()) continue;
    if (error.events.front() == 0) continue;
    const auto found = recompiles.find(error.events.front() - 1);
    if (found == recompiles.end()) continue;
    ReportedCause& recompile = *found->second;
    const bool is_same = recompile.cause.where.file == error.where.file &&
                         recompile.cause.where.function == error.where.function;
    if (!is_same) continue;
    std::vector<Action>& advice = recompile.finding.advice;
    std::erase_if(advice, IsToLeave);
    if (advice.empty()) continue;
    Action action = advice.front();
    action.text = "Avoid the recompile that raised the error. " + action.text;
    PutBefore(one.finding, std::move(action));
  }
}

/// A line that is guarded and also breaks the graph is no work for a graph: the action that takes
/// it out of the compiled function ends both.
void TakeGuardedLineOut(std::vector<ReportedCause>& reported) {
  const BreakFindings breaks = FindingsOfBreaks(reported);
  for (ReportedCause& one : reported) {
    const Cause& cause = one.cause;
    if (cause.kind != CauseKind::kRecompile || cause.user.line == 0) continue;
    if (one.finding.severity == Severity::kNote) continue;
    const auto found = breaks.find({cause.user.file, cause.user.line});
    if (found == breaks.end() || found->second->advice.front().kind != "hoist") continue;
    // The rest of the function after the break may have it already.
    Action action = ActionOfBreak(*found->second, cause.user.line);
    const std::vector<Action>& advice = one.finding.advice;
    if (advice.empty() || advice.front().text != action.text) {
      PutBefore(one.finding, std::move(action));
    }
  }
}

}  // namespace

void AdviseOnBreaks(std::vector<ReportedCause>& reported) {
  const bool raises = std::ranges::any_of(
      reported, [](const ReportedCause& one) { return one.cause.is_in_subscripts; });
  for (ReportedCause& one : reported) {
    if (!raises) break;
    std::erase_if(one.finding.advice,
                  [](const Action& action) { return action.code == kCaptureScalars; });
  }
  AdviseOnLibraryBreaks(reported);
  AdviseOnFailedFrames(reported);
  AdviseOnFailedRest(reported);
  DrawAllOutside(reported);
  JoinLines(reported);
  TakeLineOut(reported);
  EndBeforeNumber(reported);
  CompileLossAlone(reported);
  EndBeforeLoop(reported);
  StartWithNewValues(reported);
  WarmUpInMode(reported);
  LeavePhaseUncompiled(reported);
  NameActionOfBreak(reported);
  TakeGuardedLineOut(reported);
  StartWithLoop(reported);
  AvoidFailedRecompile(reported);
  AdviseOnWrappers(reported);
}

}  // namespace shapewise
