#include "pipeline/library_break_advice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "model/code_owner.h"
#include "pipeline/reported_advice.h"
#include "rules/placeholders.h"
#include "rules/rule_set.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A list of more lines of code is not read.
constexpr size_t kMaxShownCallers = 3;

bool IsCapture(const Action& action) {
  return IsOneOf(action.code, {kCaptureScalars, kCaptureShapes});
}

const Action* FindCapture(const Finding& finding) {
  const auto found = std::ranges::find_if(finding.advice, IsCapture);
  return found == finding.advice.end() ? nullptr : &*found;
}

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
  for (const std::string_view code : {kCaptureScalars, kCaptureShapes}) {
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

/// Whether the function ends with the calling line, "train.py:46: return self.flow(x).mean()".
bool IsReturn(std::string_view caller) {
  constexpr std::string_view kReturn = ": return ";
  return FindText(caller, kReturn) != kNotFound;
}

void PutFirst(const LibraryBreaks& breaks, const Action& action,
              std::vector<ReportedCause>& reported) {
  for (const size_t i : breaks.members) PutBefore(reported[i].finding, action);
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
  const std::string lead =
      Joined(callers, ", ") + (callers.size() == 1 ? " leads there." : " lead there.");
  const std::string outside = std::string("call ") + (libraries.size() == 1 ? "it" : "them") +
                              " outside of the compiled function, and compile what comes before";
  const bool is_last = all_callers.size() == 1 && IsReturn(all_callers.front());
  Action action = NewAction(
      "isolate",
      WhereBreaksAre(breaks, num_breaks) +
          (is_last ? ". " + lead +
                         " If the compiled function is little more than this line, do not "
                         "compile it: compile modules inside that have no break, such as "
                         "the networks that it calls. If much comes before, " +
                         outside + "."
                   : ": " + outside + " and after. " + lead));
  if (is_last) {
    action.torch = ">=2.2";
    action.code = "model.network.compile()  # as it is called in this model";
  }
  action.trap = std::string(is_last ? "An"
                                    : "If that call is most of the work, leave it where it "
                                      "is, and look for an") +
                " option or a newer release of " + JoinedNames(libraries) +
                (is_last ? " may avoid " : " that avoids ") +
                (breaks.count == 1 ? "the break." : "the breaks.");
  if (all_callers.size() == 1) action.target = ParsePlace(all_callers.front());
  PutFirst(breaks, action, reported);
}

/// The compiled function is the library's: only its parts can be compiled without the breaks.
void PutPartsFirst(const LibraryBreaks& breaks, uint64_t num_breaks,
                   std::vector<ReportedCause>& reported) {
  Action action = NewAction(
      "isolate", WhereBreaksAre(breaks, num_breaks) + ", at " +
                     std::to_string(breaks.members.size()) +
                     " places: instead of the whole model, compile modules inside of it that none "
                     "of them is in, such as its repeated blocks.");
  action.torch = ">=2.2";
  action.code =
      "for block in model.encoder.layers:  # as they are called in this model\n"
      "    block.compile()";
  action.trap =
      "If each block has a break, compile smaller parts, such as the attention. An "
      "option or a newer release of " +
      JoinedNames(breaks.libraries.in_order()) + " may avoid the breaks.";
  PutFirst(breaks, action, reported);
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

}  // namespace

void AdviseOnLibraryBreaks(std::vector<ReportedCause>& reported) {
  uint64_t num_breaks = 0;
  for (const ReportedCause& one : reported) {
    if (one.cause.kind == CauseKind::kGraphBreak) num_breaks += one.cause.count;
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
}

void AdviseOnWrappers(std::vector<ReportedCause>& reported) {
  const std::map<std::string_view, LibraryCauses> of_library = CausesByLibrary(reported);
  for (ReportedCause& one : reported) {
    if (FactOf(one.cause, "wrapped").empty() || !FollowsFromBreak(one)) continue;
    std::vector<Action>& advice = one.finding.advice;
    const LibraryCauses& causes = of_library.at(OwnerOf(one.cause).library);
    const llvm::ArrayRef<std::string> places(causes.breaks.in_order());
    if (causes.remedy != nullptr && !RuleSet::Builtin().HasRemedy(one.cause)) {
      PutBefore(one.finding, *causes.remedy);
    } else if (!places.empty()) {
      std::string& text = advice.front().text;
      text.resize(std::min(text.size(), text.rfind(" TORCH_LOGS=")));
      text += " They are at " + Joined(places.take_front(kMaxShownCallers), ", ") +
              (places.size() > kMaxShownCallers ? " and other places." : ".");
    }
  }
}

}  // namespace shapewise
