#include "compare/compare_runs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/judge_totals.h"
#include "compare/match_findings.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

bool IsAboutLog(const Finding& finding) { return finding.identity.kind == "log"; }

/// The kind of record that shows a cause, and whether it can also be implied.
struct Family {
  bool is_recompile = false;
  bool is_break = false;
  bool is_implied = false;
};

Family FamilyOf(const Finding& finding) {
  const std::string& kind = finding.identity.kind;
  return {.is_recompile = kind == "recompile" || kind == "implied_recompile",
          .is_break = kind == "graph_break" || kind == "implied_break",
          .is_implied = kind == "implied_recompile" || kind == "implied_break"};
}

/// Whether `fresh` costs no more than `gone` in any respect.
bool WouldReplace(const Finding& gone, const Finding& fresh) {
  return !IsWorse(gone, fresh) && fresh.count <= gone.count;
}

bool HaveSameRanks(const RunSummary& before, const RunSummary& after) {
  return before.ranks.size() == after.ranks.size();
}

class Comparison {
 public:
  Comparison(const LintedRun& before, const LintedRun& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {
    diff_.before = {before.name, before.has_totals, before.result.summary, before.result.coverage};
    diff_.after = {after.name, after.has_totals, after.result.summary, after.result.coverage};
  }

  DiffResult Run();

 private:
  void SortFindings();
  void AddCommon(const Finding& before, const Finding& after, MatchedBy matched_by);
  bool CountsAreComparable(const Finding& finding) const;
  void FindReplacements();
  void CompareCompileSeconds();
  void AddCaveats();
  void AddUnprintedCaveat(std::string_view noun, bool Family::* member, Printed before,
                          Printed after);
  void AddDamageCaveat(std::string_view which, const RunSummary& summary);

  const LintedRun& before_;
  const LintedRun& after_;
  const CompareOptions& options_;
  DiffResult diff_;
};

/// Counts are comparable only if both logs print all such records.
bool Comparison::CountsAreComparable(const Finding& finding) const {
  const Coverage& before = before_.result.coverage;
  const Coverage& after = after_.result.coverage;
  if (!before_.has_totals || !after_.has_totals) return true;
  if (!HaveSameRanks(diff_.before.summary, diff_.after.summary)) return false;
  if (!FamilyOf(finding).is_recompile) return true;
  return (before.recompiles == Printed::kNo) == (after.recompiles == Printed::kNo);
}

void Comparison::AddCommon(const Finding& before, const Finding& after, MatchedBy matched_by) {
  CommonCause common{
      .before = before,
      .after = after,
      .matched_by = matched_by,
      .changes = DescribeChanges(before, after, CountsAreComparable(after), options_)};
  // A baseline has no values to compare with.
  if (!before_.has_totals || !after_.has_totals) {
    std::erase_if(common.changes, [](const Change& change) { return change.what == "values"; });
  }
  common.is_worse = std::ranges::any_of(common.changes, &Change::is_worse);
  auto& list = common.changes.empty() ? diff_.same : diff_.changed;
  list.push_back(std::move(common));
}

/// Assigns every finding of both runs to one of the lists.
void Comparison::SortFindings() {
  const std::vector<Finding>& before = before_.result.findings;
  const std::vector<Finding>& after = after_.result.findings;
  std::vector<const FindingMatch*> match_of_before(before.size());
  std::vector<const FindingMatch*> match_of_after(after.size());
  std::map<std::string_view, size_t> num_common;  // by fingerprint
  const std::vector<FindingMatch> matches = MatchFindings(before, after);
  for (const FindingMatch& match : matches) {
    match_of_before[match.before] = &match;
    match_of_after[match.after] = &match;
    if (match.matched_by == MatchedBy::kFingerprint) ++num_common[after[match.after].fingerprint];
  }

  for (size_t i = 0; i < after.size(); ++i) {
    const Finding& finding = after[i];
    if (IsAboutLog(finding)) continue;
    if (match_of_after[i] != nullptr) {
      AddCommon(before[match_of_after[i]->before], finding, match_of_after[i]->matched_by);
    } else if (!WouldShow(before_.result.coverage, finding)) {
      diff_.incomparable.push_back({finding, /*is_new=*/true});
    } else {
      const auto alike = num_common.find(finding.fingerprint);
      diff_.fresh.push_back({.finding = finding,
                             .is_worse = options_.fail_on && finding.severity >= *options_.fail_on,
                             .instead_of = {},
                             .num_alike = alike == num_common.end() ? 0 : alike->second});
    }
  }
  for (size_t i = 0; i < before.size(); ++i) {
    const Finding& finding = before[i];
    if (IsAboutLog(finding) || match_of_before[i] != nullptr) continue;
    if (WouldShow(after_.result.coverage, finding)) {
      diff_.gone.push_back(finding);
    } else {
      diff_.incomparable.push_back({finding, /*is_new=*/false});
    }
  }
  std::ranges::stable_sort(diff_.changed, std::greater(), &CommonCause::is_worse);
}

/// A cause often goes because its function has another, cheaper one now: of a function that kept
/// hitting its limit one recompile is left.
void Comparison::FindReplacements() {
  std::vector<bool> is_taken(diff_.gone.size());
  for (NewCause& cause : diff_.fresh) {
    const Finding& fresh = cause.finding;
    const Family family = FamilyOf(fresh);
    if (fresh.identity.function.empty() || (!family.is_recompile && !family.is_break)) continue;
    for (size_t i = 0; i < diff_.gone.size(); ++i) {
      const Finding& gone = diff_.gone[i];
      const bool is_same_place = gone.identity.function == fresh.identity.function &&
                                 gone.identity.file == fresh.identity.file &&
                                 FamilyOf(gone).is_break == family.is_break;
      if (is_taken[i] || !is_same_place || !WouldReplace(gone, fresh)) continue;
      is_taken[i] = true;
      cause.instead_of = gone.fingerprint;
      cause.is_worse = false;
      break;
    }
  }
}

void Comparison::CompareCompileSeconds() {
  const RunSummary& before = diff_.before.summary;
  const RunSummary& after = diff_.after.summary;
  diff_.compile_seconds_are_comparable =
      before.compile_seconds && after.compile_seconds && HaveSameRanks(before, after);
}

/// Says of one kind of record which run does not print it, and what that leaves open.
void Comparison::AddUnprintedCaveat(std::string_view noun, bool Family::* member, Printed before,
                                    Printed after) {
  const auto is_meant = [&](const Finding& finding) { return FamilyOf(finding).*member; };
  const auto num_incomparable = std::ranges::count_if(
      diff_.incomparable, [&](const Incomparable& cause) { return is_meant(cause.finding); });
  const std::string records(noun);
  if (num_incomparable > 0) {
    diff_.caveats.push_back(std::string(before == Printed::kNo ? "The older" : "The newer") +
                            " run prints no " + records +
                            "s, though there were some: " + Counted(num_incomparable, "cause") +
                            " of the other could not be compared.");
  }
  const bool has_new = std::ranges::any_of(
      diff_.fresh, [&](const NewCause& cause) { return is_meant(cause.finding); });
  // A run with lines that were not understood may print these records, too.
  if (has_new && before == Printed::kUnknown && diff_.before.summary.unknown_lines == 0) {
    diff_.caveats.push_back("The older run prints no " + records +
                            " at all. They are assumed not to have occurred; if they were not "
                            "requested (TORCH_LOGS), what is new may be old.");
  }
  const bool has_gone = std::ranges::any_of(diff_.gone, is_meant);
  if (has_gone && after == Printed::kUnknown && diff_.after.summary.unknown_lines == 0) {
    diff_.caveats.push_back("The newer run prints no " + records +
                            " at all. They are assumed not to have occurred; if they were not "
                            "requested (TORCH_LOGS), what is gone may still be there.");
  }
}

void Comparison::AddDamageCaveat(std::string_view which, const RunSummary& summary) {
  if (summary.unknown_lines > 0) {
    diff_.caveats.push_back(Counted(summary.unknown_lines, "line") +
                            " of torch.compile output in the " + std::string(which) +
                            " run could not be understood, so causes may be missing there.");
  }
  if (summary.damaged == 0) return;
  diff_.caveats.push_back(Counted(summary.damaged, "record") + " of the " + std::string(which) +
                          " run could not be read completely, so causes may be missing there.");
}

void Comparison::AddCaveats() {
  const RunSummary& before = diff_.before.summary;
  const RunSummary& after = diff_.after.summary;
  const bool have_totals = before_.has_totals && after_.has_totals;
  if (!have_totals) {
    diff_.caveats.push_back(
        "A baseline holds causes and how often they struck; values, totals and times are not in "
        "it.");
  } else {
    AddUnprintedCaveat("recompile", &Family::is_recompile, before_.result.coverage.recompiles,
                       after_.result.coverage.recompiles);
    AddUnprintedCaveat("graph break", &Family::is_break, before_.result.coverage.graph_breaks,
                       after_.result.coverage.graph_breaks);
  }
  if (have_totals && !HaveSameRanks(before, after)) {
    diff_.caveats.push_back("The older run names " + Counted(before.ranks.size(), "rank") +
                            ", the newer " + std::to_string(after.ranks.size()) +
                            ": counts and times were not compared.");
  }
  if (have_totals && before.compile_seconds.has_value() != after.compile_seconds.has_value()) {
    diff_.caveats.push_back(std::string("Only the ") +
                            (before.compile_seconds ? "older" : "newer") +
                            " run says how long compiling took.");
  }
  const bool has_count_change = std::ranges::any_of(diff_.changed, [](const CommonCause& cause) {
    return std::ranges::any_of(cause.changes,
                               [](const Change& change) { return change.what == "count"; });
  });
  if (has_count_change) {
    diff_.caveats.push_back(
        "How long each run was is not known: another count may only mean another length.");
  }
  AddDamageCaveat("older", before);
  AddDamageCaveat("newer", after);
}

DiffResult Comparison::Run() {
  SortFindings();
  CompareCompileSeconds();
  FindReplacements();
  JudgeTotals(before_, after_, options_, diff_);
  AddCaveats();
  return std::move(diff_);
}

}  // namespace

bool WouldShow(const Coverage& coverage, const Finding& finding) {
  const Family family = FamilyOf(finding);
  if (!family.is_recompile && !family.is_break) return true;
  const Printed printed = family.is_recompile ? coverage.recompiles : coverage.graph_breaks;
  // If records are printed, nothing needs to be implied.
  if (family.is_implied) return printed != Printed::kYes;
  // Limits, and breaks that end the program, are always printed, whatever TORCH_LOGS says.
  if (finding.runs_eager || finding.severity == Severity::kError) return true;
  return printed != Printed::kNo;
}

DiffResult CompareRuns(const LintedRun& before, const LintedRun& after,
                       const CompareOptions& options) {
  return Comparison(before, after, options).Run();
}

}  // namespace shapewise
