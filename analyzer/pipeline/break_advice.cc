#include "pipeline/break_advice.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/code_owner.h"
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

/// The breaks of one library, or of several that one line of the user's leads to.
struct LibraryBreaks {
  std::vector<std::string> libraries;
  std::vector<std::string> callers;  ///< lines of the compiled function, each once
  std::vector<size_t> members;       ///< indices of causes
  uint64_t count = 0;
};

void AddOnce(std::vector<std::string>& list, std::string_view text) {
  if (std::ranges::find(list, text) == list.end()) list.emplace_back(text);
}

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
  return (IsEdit(first) || IsCapture(first)) && !RuleSet::Builtin().HasRemedy(reported.cause);
}

bool ShareText(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& text) { return std::ranges::count(b, text) > 0; });
}

std::vector<LibraryBreaks> GroupBreaks(const std::vector<ReportedCause>& reported) {
  std::vector<LibraryBreaks> groups;
  for (size_t i = 0; i < reported.size(); ++i) {
    if (!IsOpen(reported[i])) continue;
    const Cause& cause = reported[i].cause;
    LibraryBreaks breaks{{std::string(PackageOf(cause))}, {}, {i}, cause.count};
    if (!cause.caller.empty() && !cause.calls_compiled) breaks.callers.push_back(cause.caller);
    // Joins all groups that it has a library or a line in common with.
    for (auto group = groups.begin(); group != groups.end();) {
      if (!ShareText(group->libraries, breaks.libraries) &&
          !ShareText(group->callers, breaks.callers)) {
        ++group;
        continue;
      }
      for (const std::string& library : breaks.libraries) AddOnce(group->libraries, library);
      for (const std::string& caller : breaks.callers) AddOnce(group->callers, caller);
      group->members.insert(group->members.end(), breaks.members.begin(), breaks.members.end());
      group->count += breaks.count;
      breaks = std::move(*group);
      group = groups.erase(group);
    }
    groups.push_back(std::move(breaks));
  }
  return groups;
}

/// "train.py:13: y = model(x)" as a place.
Place PlaceOf(std::string_view caller) {
  const std::string_view place = caller.substr(0, std::min(FindText(caller, ": "), caller.size()));
  const size_t colon = place.rfind(':');
  if (colon == kNotFound) return {};
  const auto line = ParseNumber<uint32_t>(place.substr(colon + 1));
  return line ? Place{"", std::string(place.substr(0, colon)), *line} : Place{};
}

/// A user can only edit the line that leads to a break in a library.
void PointToCaller(ReportedCause& reported) {
  const Cause& cause = reported.cause;
  const bool is_inside = !cause.caller.empty() && !cause.calls_compiled;
  if (cause.kind != CauseKind::kGraphBreak || !is_inside) return;
  for (Action& action : reported.finding.advice) {
    if (IsEdit(action)) action.target = PlaceOf(cause.caller);
  }
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
          "re-run "
          "to see that nothing else breaks.";
      capture->code = codes.front() + "\n" + codes.back();
      capture->trap =
          "A branch, index or size that needs a value can become a hard error; revert then.";
    }
    std::rotate(advice.begin(), capture, capture + 1);
  }
}

void PutCallOutsideFirst(const LibraryBreaks& breaks, uint64_t num_breaks,
                         std::vector<ReportedCause>& reported) {
  const bool is_one = breaks.libraries.size() == 1;
  std::string names = breaks.libraries.front();
  for (size_t i = 1; i < breaks.libraries.size(); ++i) {
    names += (i + 1 < breaks.libraries.size() ? ", " : " and ") + breaks.libraries[i];
  }
  std::string counted =
      std::to_string(breaks.count) + (breaks.count == 1 ? " graph break is" : " graph breaks are");
  if (breaks.count == num_breaks && breaks.count > 1) counted = "All " + counted;
  if (breaks.count == num_breaks && breaks.count == 1) counted = "The graph break is";
  std::vector<std::string> callers;
  for (const std::string& caller : breaks.callers) {
    if (callers.size() < kMaxShownCallers) callers.push_back(CallingLineText(caller));
  }
  if (breaks.callers.size() > callers.size()) callers.emplace_back("others");
  Action action;
  action.kind = "isolate";
  action.confidence = 0.9;
  action.torch = ">=2.0";
  action.text = counted + " in " + names + ": call " + (is_one ? "it" : "them") +
                " outside of the compiled function, and compile what comes before and after. " +
                Joined(callers, ", ") + (callers.size() == 1 ? " leads there." : " lead there.");
  action.trap =
      "If that call is most of the work, leave it where it is, and look for an option or a newer "
      "release of " +
      names + " that avoids " + (breaks.count == 1 ? "the break." : "the breaks.");
  if (breaks.callers.size() == 1) action.target = PlaceOf(breaks.callers.front());
  for (const size_t i : breaks.members) {
    std::vector<Action>& advice = reported[i].finding.advice;
    action.evidence = advice.front().evidence;
    advice.insert(advice.begin(), action);
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
  for (const LibraryBreaks& breaks : GroupBreaks(reported)) {
    const bool can_capture = std::ranges::all_of(
        breaks.members, [&](size_t i) { return FindCapture(reported[i].finding) != nullptr; });
    if (can_capture) {
      PutCapturesFirst(breaks, reported);
    } else if (!breaks.callers.empty()) {
      PutCallOutsideFirst(breaks, num_breaks, reported);
    }
  }
}

}  // namespace shapewise
