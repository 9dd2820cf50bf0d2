#include "compare/judge_totals.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "llvm/Support/FormatVariadic.h"
#include "result/number_text.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

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

class Judge {
 public:
  Judge(const LintedRun& before, const LintedRun& after, const CompareOptions& options,
        DiffResult& diff)
      : before_(before.result),
        after_(after.result),
        have_totals_(before.has_totals && after.has_totals &&
                     before.result.summary.ranks.size() == after.result.summary.ranks.size()),
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
    if (runs_more) diff_.worse.resize(num_worse);

    if (fails) diff_.better.clear();
    if (is_mended) diff_.worse.clear();
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
    if (num_new > 0) {
      diff_.worse.push_back(Counted(static_cast<uint64_t>(num_new), "new cause"));
    }
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

}  // namespace

void JudgeTotals(const LintedRun& before, const LintedRun& after, const CompareOptions& options,
                 DiffResult& diff) {
  Judge(before, after, options, diff).Run();
}

bool IsLonger(double before, double after, const CompareOptions& options) {
  const double increase = after - before;
  return increase > options.max_increase_seconds && increase > options.max_increase * before;
}

bool IsWorse(const Finding& before, const Finding& after) {
  return after.severity > before.severity || (after.runs_eager && !before.runs_eager);
}

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

}  // namespace shapewise
