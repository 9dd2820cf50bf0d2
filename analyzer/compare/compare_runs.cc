#include "compare/compare_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/Support/FormatVariadic.h"
#include "result/number_text.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether `after` seconds are more than `before` by both guards.
bool IsLonger(double before, double after, const CompareOptions& options) {
  const double increase = after - before;
  return increase > options.max_increase_seconds && increase > options.max_increase * before;
}

bool HaveSameRanks(const RunSummary& before, const RunSummary& after) {
  return before.ranks.size() == after.ranks.size();
}

/// Whether the occurrences of a finding are in one of the totals.
bool IsCounted(const Finding& finding) {
  return IsOneOf(finding.identity.kind,
                 {"recompile", "implied_recompile", "graph_break", "implied_break", "skipped_frame",
                  "compile_error", "constraint_violation"});
}

/// Exceptions of the compiler that the program saw.
uint64_t CountErrors(const LintResult& run) {
  uint64_t errors = 0;
  for (const Finding& finding : run.findings) {
    const bool is_raised =
        IsOneOf(finding.identity.kind, {"compile_error", "constraint_violation"});
    const bool is_fatal_break =
        finding.identity.kind == "graph_break" && finding.severity == Severity::kError;
    if (is_raised || is_fatal_break) errors += finding.count;
  }
  return errors;
}

/// Sets `verdict`, `better`, `worse` and `is_failure` of a result whose causes are matched already.
/// Where totals cannot be compared (a baseline, other numbers of ranks), new causes of severity
/// `fail_on` and causes that got worse decide instead.
class Judge {
 public:
  Judge(const LintedRun& before, const LintedRun& after, const CompareOptions& options,
        DiffResult& diff)
      : before_(before.result),
        after_(after.result),
        have_totals_(before.has_totals && after.has_totals &&
                     HaveSameRanks(before.result.summary, after.result.summary)),
        options_(options),
        diff_(diff) {}

  void Run() {
    if (have_totals_) {
      CompareTotals();
      CompareOtherCauses();
    } else {
      CompareCauses();
    }
    Conclude();
  }

 private:
  enum class Trend : uint8_t { kSame, kBetter, kWorse };

  Trend Add(Trend trend, std::string clause) {
    if (trend == Trend::kBetter) diff_.better.push_back(std::move(clause));
    if (trend == Trend::kWorse) diff_.worse.push_back(std::move(clause));
    return trend;
  }

  /// "8 recompiles instead of 3"
  Trend CompareCounts(uint64_t before, uint64_t after, std::string_view noun) {
    const Trend trend = before == after  ? Trend::kSame
                        : after < before ? Trend::kBetter
                                         : Trend::kWorse;
    return Add(trend, Counted(after, noun) + " instead of " + std::to_string(before));
  }

  /// From clause `first` on, what is worse is the price of what is better.
  void Excuse(size_t first) {
    const auto begin = diff_.worse.begin() + static_cast<ptrdiff_t>(first);
    std::move(begin, diff_.worse.end(), std::back_inserter(diff_.price));
    diff_.worse.erase(begin, diff_.worse.end());
  }

  /// A program that failed made fewer calls: its lower counts are no gain, and the higher counts of
  /// one that went on are no loss.
  void CompareTotals() {
    const RunSummary& before = before_.summary;
    const RunSummary& after = after_.summary;
    const bool fails = before.failure.empty() && !after.failure.empty();
    const bool is_mended = !before.failure.empty() && after.failure.empty();
    if (fails) diff_.worse.push_back("the program fails (" + after.failure + ")");
    is_serious_ = fails;
    if (is_mended) diff_.better.push_back("the program no longer fails (" + before.failure + ")");

    // What ends calls, or makes them run uncompiled.
    const size_t worse_before = diff_.worse.size();
    const size_t better_before = diff_.better.size();
    CompareCounts(CountErrors(before_), CountErrors(after_), "compiler error");
    CompareCounts(before.eager_functions.size(), after.eager_functions.size(), "eager function");
    CompareCounts(before.recompile_limit_hits, after.recompile_limit_hits, "recompile limit hit");
    const bool runs_less = diff_.worse.size() > worse_before;
    is_serious_ |= runs_less;
    const bool runs_more = diff_.better.size() > better_before && !runs_less;

    CompareBreaks();
    // What runs uncompiled compiles less, and the reverse.
    const size_t num_better = diff_.better.size();
    const size_t num_worse = diff_.worse.size();
    CompareCompiles();
    if (runs_less) diff_.better.resize(num_better);
    if (runs_more) Excuse(num_worse);

    if (fails) diff_.better.clear();
    if (is_mended) Excuse(0);
  }

  void CompareBreaks() {
    const RunSummary& before = before_.summary;
    const RunSummary& after = after_.summary;
    const bool are_printed = before_.coverage.graph_breaks != Printed::kNo &&
                             after_.coverage.graph_breaks != Printed::kNo;
    if (are_printed) CompareCounts(before.graph_breaks, after.graph_breaks, "graph break");
    CompareCounts(before.skipped_frames, after.skipped_frames, "skipped frame");
  }

  void CompareCompiles() {
    const RunSummary& before = before_.summary;
    const RunSummary& after = after_.summary;
    const bool are_recompiles_printed =
        before_.coverage.recompiles != Printed::kNo && after_.coverage.recompiles != Printed::kNo;
    // Compiles contain the recompiles.
    if (before.compiles > 0 && after.compiles > 0) {
      CompareCounts(before.compiles, after.compiles, "compile");
    } else if (are_recompiles_printed) {
      CompareCounts(before.recompiles, after.recompiles, "recompile");
    }
    if (!diff_.compile_seconds_are_comparable) return;
    const double old_seconds = *before.compile_seconds;
    const double new_seconds = *after.compile_seconds;
    const Trend trend = IsLonger(old_seconds, new_seconds, options_)   ? Trend::kWorse
                        : IsLonger(new_seconds, old_seconds, options_) ? Trend::kBetter
                                                                       : Trend::kSame;
    is_serious_ |= trend == Trend::kWorse;
    Add(trend,
        llvm::formatv("{0:F1} s of compiling instead of {1:F1} s", new_seconds, old_seconds));
  }

  /// Causes of what no total counts, such as slow steps.
  void CompareOtherCauses() {
    const auto counts = [&](const Finding& finding) {
      return !IsCounted(finding) &&
             finding.severity >= options_.fail_on.value_or(Severity::kWarning);
    };
    const auto num_new = std::ranges::count_if(
        diff_.fresh, [&](const NewCause& cause) { return counts(cause.finding); });
    const auto num_gone = std::ranges::count_if(diff_.gone, counts);
    const auto num_changed = std::ranges::count_if(diff_.changed, [&](const CommonCause& cause) {
      return cause.is_worse && !IsCounted(cause.after);
    });
    if (num_new > num_gone) {
      diff_.worse.push_back(Counted(static_cast<uint64_t>(num_new), "new cause"));
    }
    if (num_gone > num_new) {
      diff_.better.push_back(Counted(static_cast<uint64_t>(num_gone), "cause") + " gone");
    }
    if (num_changed > 0) {
      diff_.worse.push_back(Counted(static_cast<uint64_t>(num_changed), "cause") + " got worse");
    }
  }

  void CompareCauses() {
    const auto num_new = std::ranges::count_if(diff_.fresh, &NewCause::is_worse);
    const auto num_changed = std::ranges::count_if(diff_.changed, &CommonCause::is_worse);
    if (num_new > 0) diff_.worse.push_back(Counted(static_cast<uint64_t>(num_new), "new cause"));
    if (num_changed > 0) {
      diff_.worse.push_back(Counted(static_cast<uint64_t>(num_changed), "cause") + " got worse");
    }
    if (!diff_.gone.empty() && diff_.fresh.empty()) {
      diff_.better.push_back(Counted(diff_.gone.size(), "cause") + " gone");
    }
  }

  void Conclude() {
    const bool is_worse = !diff_.worse.empty();
    const bool is_better = !diff_.better.empty();
    diff_.verdict = is_worse && is_better ? RunVerdict::kMixed
                    : is_worse            ? RunVerdict::kWorse
                    : is_better           ? RunVerdict::kBetter
                                          : RunVerdict::kSame;
    diff_.is_failure = is_worse && options_.fail_on && (is_serious_ || HasCauseToFailOn());
    // No cause of a run that is not worse counts against it.
    if (is_worse) return;
    for (NewCause& cause : diff_.fresh) cause.is_worse = false;
  }

  /// Whether a cause of severity `fail_on` or above is new, got worse or occurs more often.
  bool HasCauseToFailOn() const {
    return std::ranges::any_of(diff_.fresh, &NewCause::is_worse) ||
           std::ranges::any_of(diff_.changed, [&](const CommonCause& cause) {
             return cause.is_worse || (cause.after.severity >= *options_.fail_on &&
                                       cause.after.count > cause.before.count);
           });
  }

  const LintResult& before_;
  const LintResult& after_;
  const bool have_totals_;
  const CompareOptions& options_;
  DiffResult& diff_;
  bool is_serious_ = false;  ///< what is worse counts whatever causes it
};

constexpr size_t kMaxValues = 8;

std::string ValuesText(const std::vector<std::string>& values) {
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i == kMaxValues) return text + " and " + std::to_string(values.size() - i) + " more";
    text += (i == 0 ? "" : ", ") + ToUtf8(values[i]);  // as in a saved result
  }
  return text;
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

/// Object ids and lines in a backend's message differ from run to run.
bool HasStableValues(const Finding& finding) {
  return !finding.cause || (finding.cause->guard_class != GuardClass::kIdentity &&
                            finding.cause->guard_class != GuardClass::kBackend);
}

/// The changes of one cause. With `counts_count` false, counts, values and seconds are not
/// comparable because one log does not print them all.
std::vector<Change> DescribeChanges(const Finding& before, const Finding& after, bool counts_count,
                                    const CompareOptions& options) {
  std::vector<Change> changes;
  const auto add = [&](std::string what, std::string old_text, std::string new_text,
                       bool is_worse = false) {
    if (old_text == new_text) return;
    changes.push_back({std::move(what), std::move(old_text), std::move(new_text), is_worse});
  };
  const bool counts_for_exit = options.fail_on && after.severity >= *options.fail_on;
  add("severity", std::string(SeverityName(before.severity)),
      std::string(SeverityName(after.severity)),
      counts_for_exit && after.severity > before.severity);
  add("runs eagerly", YesNo(before.runs_eager), YesNo(after.runs_eager),
      counts_for_exit && after.runs_eager);
  add("rule", before.rule, after.rule);
  add("function", before.identity.function, after.identity.function);
  add("file", before.identity.file, after.identity.file);
  add("class", before.identity.guard_class, after.identity.guard_class);
  add("type", before.identity.type, after.identity.type);
  if (!counts_count) return changes;

  add("count", std::to_string(before.count), std::to_string(after.count));
  if (HasStableValues(before) && HasStableValues(after)) {
    add("values", ValuesText(before.values), ValuesText(after.values));
  }
  const bool is_other_cost = before.cost_seconds && after.cost_seconds &&
                             (IsLonger(*before.cost_seconds, *after.cost_seconds, options) ||
                              IsLonger(*after.cost_seconds, *before.cost_seconds, options));
  if (is_other_cost) {
    add("cost", SecondsText(*before.cost_seconds), SecondsText(*after.cost_seconds));
  }
  return changes;
}

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

class Comparison {
 public:
  Comparison(const LintedRun& before, const LintedRun& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {
    diff_.before = {before.name, before.has_totals, before.result.summary, before.result.coverage};
    diff_.after = {after.name, after.has_totals, after.result.summary, after.result.coverage};
  }

  DiffResult Run() {
    SortFindings();
    diff_.compile_seconds_are_comparable = diff_.before.summary.compile_seconds &&
                                           diff_.after.summary.compile_seconds &&
                                           HaveSameRanks(diff_.before.summary, diff_.after.summary);
    FindReplacements();
    Judge(before_, after_, options_, diff_).Run();
    AddCaveats();
    DoubtBetter();
    return std::move(diff_);
  }

 private:
  /// Assigns every finding of both runs to one of the lists.
  void SortFindings() {
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
        diff_.fresh.push_back(
            {.finding = finding,
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

  void AddCommon(const Finding& before, const Finding& after, MatchedBy matched_by) {
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

  /// Counts are comparable only if both logs print all such records.
  bool CountsAreComparable(const Finding& finding) const {
    const Coverage& before = before_.result.coverage;
    const Coverage& after = after_.result.coverage;
    if (!before_.has_totals || !after_.has_totals) return true;
    if (!HaveSameRanks(diff_.before.summary, diff_.after.summary)) return false;
    if (!FamilyOf(finding).is_recompile) return true;
    return (before.recompiles == Printed::kNo) == (after.recompiles == Printed::kNo);
  }

  /// A cause often goes because its function has another, cheaper one now: of a function that kept
  /// hitting its limit one recompile is left.
  void FindReplacements() {
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

  void AddCaveats() {
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
    if (before_.calls && after_.calls) {
      if (has_count_change && before_.calls != after_.calls) {
        diff_.caveats.push_back(LengthsText() + ": another count may only mean another length.");
      }
    } else if (has_count_change) {
      diff_.caveats.push_back(
          "How long each run was is not known: another count may only mean another length.");
    }
    AddDamageCaveat("older", before);
    AddDamageCaveat("newer", after);
  }

  /// Withdraws "better" where the new run was too short to reach the problems of the old one.
  void DoubtBetter() {
    const bool have_totals = before_.has_totals && after_.has_totals;
    const bool is_empty =
        have_totals && before_.result.summary.lines > 0 && after_.result.summary.lines == 0;
    const bool is_shorter = before_.calls && after_.calls && *after_.calls < *before_.calls / 2;
    if (diff_.better.empty() || (!is_empty && !is_shorter)) return;
    diff_.better.clear();
    diff_.verdict = diff_.worse.empty() ? RunVerdict::kUnknown : RunVerdict::kWorse;
    const std::string why = is_empty ? "The newer run has no output" : LengthsText();
    std::erase_if(diff_.caveats,
                  [&](const std::string& caveat) { return caveat.starts_with(why); });
    diff_.caveats.insert(diff_.caveats.begin(),
                         why + ": what it has less of does not make it better.");
    diff_.why_unknown = is_empty ? "the newer run is empty" : "the newer run is much shorter";
  }

  /// Says of one kind of record which run does not print it, and what that leaves open.
  void AddUnprintedCaveat(std::string_view noun, bool Family::* member, Printed before,
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

  void AddDamageCaveat(std::string_view which, const RunSummary& summary) {
    if (summary.unknown_lines > 0) {
      diff_.caveats.push_back(Counted(summary.unknown_lines, "line") +
                              " of torch.compile output in the " + std::string(which) +
                              " run could not be understood, so causes may be missing there.");
    }
    if (summary.damaged == 0) return;
    diff_.caveats.push_back(Counted(summary.damaged, "record") + " of the " + std::string(which) +
                            " run could not be read completely, so causes may be missing there.");
  }

  /// "The older run made 20 calls of compiled functions, the newer 4"; both are recorded.
  std::string LengthsText() const {
    return "The older run made " + Counted(*before_.calls, "call") +
           " of compiled functions, the newer " + std::to_string(*after_.calls);
  }

  const LintedRun& before_;
  const LintedRun& after_;
  const CompareOptions& options_;
  DiffResult diff_;
};

}  // namespace

bool IsWorse(const Finding& before, const Finding& after) {
  return after.severity > before.severity || (after.runs_eager && !before.runs_eager);
}

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
