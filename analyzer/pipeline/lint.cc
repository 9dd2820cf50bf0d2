#include "pipeline/lint.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "advise/advise.h"
#include "causes/cause.h"
#include "causes/function_costs.h"
#include "causes/version_range.h"
#include "ingest/reader.h"
#include "model/resume_name.h"
#include "pipeline/break_advice.h"
#include "pipeline/lint_passes.h"
#include "pipeline/program_text.h"
#include "pipeline/rule_selection.h"
#include "pipeline/unique_value_advice.h"
#include "ranks/ranks.h"
#include "rules/confidence.h"
#include "rules/rule_set.h"
#include "server/server_starts.h"
#include "support/text_scan.h"
#include "timeline/timeline.h"

namespace shapewise {
namespace {

/// Findings for every cause, and for the log itself.
std::vector<Finding> MakeFindings(const Session& session, std::vector<Cause> causes) {
  std::vector<Finding> findings;
  for (ReportedCause& reported : ReportCauses(session, std::move(causes))) {
    findings.push_back(std::move(reported.finding));
  }
  for (Finding& finding : RuleSet::Builtin().LogFindings(session)) {
    findings.push_back(std::move(finding));
  }
  return findings;
}

size_t DropDeselected(const RuleSelection& selection, std::vector<Finding>& findings) {
  return std::erase_if(
      findings, [&](const Finding& finding) { return !selection.Has(finding.rule, finding.name); });
}

/// Worst first; of notes, recompiles first, and of equals, those for which something can be
/// changed, and then those of which the first action is that of most events. Ties are sorted by
/// place, so that the order is total.
void SortWorstFirst(std::vector<Finding>& findings) {
  // The code of the first action and the function that it changes; empty: not compared.
  using FirstAction = std::tuple<std::string, std::string, uint32_t>;
  const auto first_action = [](const Finding& finding) -> FirstAction {
    const bool is_recompile = finding.identity.kind == CauseKindName(CauseKind::kRecompile);
    if (!is_recompile || finding.advice.empty() || finding.advice.front().code.empty()) return {};
    return {finding.advice.front().code, finding.where.file, finding.where.line};
  };
  std::map<FirstAction, uint64_t> addressed;  // events
  for (const Finding& finding : findings) addressed[first_action(finding)] += finding.count;
  addressed[{}] = 0;
  const auto worth = [&](const Finding& finding) {
    const bool is_note = finding.severity == Severity::kNote;
    const bool is_recompile = HasText(finding.identity.kind, "recompile");
    return std::make_tuple(finding.severity, finding.runs_eager && !is_note,
                           finding.cost_seconds.value_or(0), is_note && is_recompile, finding.count,
                           !finding.advice.empty(), addressed.at(first_action(finding)));
  };
  const auto place = [](const Finding& finding) {
    return std::tie(finding.where.file, finding.where.line, finding.where.function,
                    finding.user.file, finding.user.line, finding.rule, finding.message,
                    finding.events);
  };
  std::vector<std::pair<decltype(worth(findings.front())), Finding>> ranked;
  ranked.reserve(findings.size());
  for (Finding& finding : findings) {
    const auto key = worth(finding);
    ranked.emplace_back(key, std::move(finding));
  }
  std::ranges::sort(ranked, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : place(a.second) < place(b.second);
  });
  std::ranges::move(std::views::values(ranked), findings.begin());
}

/// The lines of breaks in whose rest of the function this one is, according to its events.
std::set<std::pair<std::string_view, uint32_t>> BreaksBefore(const Session& session,
                                                             const Finding& finding) {
  std::set<std::pair<std::string_view, uint32_t>> lines;
  for (const size_t index : finding.events) {
    const EventDetail& detail = session.detail(session.events()[index]);
    const auto resume = ParseResumeName(session.text(detail.function));
    if (resume) lines.emplace(session.text(detail.file), resume->line);
  }
  return lines;
}

/// Puts a break before one in the rest of its function, which is reached after it. A later one that
/// is more frequent, or makes a function run eagerly and the earlier one does not, stays first,
/// unless the earlier one has to be removed before it.
void PutEarlierBreaksFirst(const Session& session, std::vector<Finding>& findings) {
  const auto is_break = [](const Finding& finding) {
    return finding.identity.kind == CauseKindName(CauseKind::kGraphBreak);
  };
  std::multimap<std::pair<std::string_view, uint32_t>, size_t> breaks;  // not yet placed, by line
  for (size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    if (is_break(finding))
      breaks.emplace(std::pair(std::string_view(finding.user.file), finding.user.line), i);
  }
  std::vector<size_t> order;
  std::vector<bool> is_placed(findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    if (is_placed[i]) continue;
    const Finding& later = findings[i];
    is_placed[i] = true;
    std::vector<size_t> earlier;
    if (is_break(later)) {
      for (const auto& line : BreaksBefore(session, later)) {
        const auto [begin, end] = breaks.equal_range(line);
        for (auto found = begin; found != end; ++found) {
          const Finding& finding = findings[found->second];
          const bool is_first = finding.severity == later.severity &&
                                (finding.comes_first || (finding.count >= later.count &&
                                                         finding.runs_eager >= later.runs_eager));
          if (is_first && !is_placed[found->second]) earlier.push_back(found->second);
        }
      }
    }
    std::ranges::sort(earlier);
    for (const size_t one : earlier) is_placed[one] = true;
    order.insert(order.end(), earlier.begin(), earlier.end());
    order.push_back(i);
  }
  std::vector<Finding> ordered;
  ordered.reserve(findings.size());
  for (const size_t i : order) ordered.push_back(std::move(findings[i]));
  findings = std::move(ordered);
}

/// The passes of lint over a complete session. Sets `frames` to its compiled frames. `files`: as in
/// the public one.
LintResult LintSession(const LintOptions& options, const RuleSelection& selection,
                       const Session& session, FileSource* files,
                       std::vector<CompiledFrame>& frames) {
  LintResult result;

  std::vector<Cause> causes;
  {
    // Read what each function compiled, for the engines that take it; it is large.
    const CompileHistory history(session);

    // Group events into causes: a chain of recompiles with one culprit is one cause.
    causes = FoldCauses(session, history);

    // Compute totals, and list functions that run eagerly.
    result.summary = Summarize(session, causes, history.ledger);

    // Compare the ranks of a job.
    result.ranks = FindDivergence(session, history.functions);

    // Sum the compile time of each function.
    result.functions = SumFunctionCosts(session, history.ledger);

    // List what was recompiled, for actions that need all of it.
    frames = ReadCompiledFrames(session, history);
  }

  // Match steps with compilations: which were slow, and why.
  result.steps = CompareSteps(session);
  std::vector<Cause> step_causes = StepCauses(result.steps, session);
  std::move(step_causes.begin(), step_causes.end(), std::back_inserter(causes));

  // Analyze the start of an inference server.
  ServerAccount server = ReadServerLogs(session);
  result.server = std::move(server.report);
  std::ranges::move(server.causes, std::back_inserter(causes));

  // Where the ranks of a job diverge is another cause.
  if (result.ranks) std::ranges::move(RankCauses(*result.ranks), std::back_inserter(causes));

  // Look up in the program how it uses the values.
  if (files != nullptr && options.read.redactor == nullptr) {
    AddUsesInProgram(
        [&](const std::string& path) { return ReadSourceFile(options.source_root, path, *files); },
        causes);
  }

  // Describe each cause by its most specific rule.
  result.findings = MakeFindings(session, std::move(causes));

  // Let actions on sizes name all sizes that change together.
  NameAllSizes(frames, result.findings);

  // Sort worst first.
  SortWorstFirst(result.findings);
  PutEarlierBreaksFirst(session, result.findings);

  // Drop deselected findings: the others and their order stay, and so do the totals of the summary.
  result.deselected = DropDeselected(selection, result.findings);

  // List limits of the input.
  result.coverage = FindCoverage(session);
  result.gaps = FindGaps(session, result.summary, result.steps, options.has_calls);
  if (result.ranks) std::ranges::copy(result.ranks->gaps, std::back_inserter(result.gaps));
  return result;
}

Printed Judge(bool is_printed, bool is_known_from_elsewhere) {
  if (is_printed) return Printed::kYes;
  return is_known_from_elsewhere ? Printed::kNo : Printed::kUnknown;
}

}  // namespace

Expected<LintResult> Lint(const LintOptions& options, FileSource& files, Session& session) {
  std::vector<CompiledFrame> frames;
  return LintWithFrames(options, files, session, frames);
}

Expected<LintResult> LintWithFrames(const LintOptions& options, FileSource& files, Session& session,
                                    std::vector<CompiledFrame>& frames) {
  // Check the selectors first: a typo should not cost the reading of a large log.
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  // Read every input into events; formats are detected by content.
  InputEnds ends;
  ReadOptions read = options.read;
  read.ends = &ends;
  std::vector<std::string> unread = ReadInputs(options.paths, files, session, read);

  // From here on, the session is read-only.
  LintResult result = LintSession(options, *selection, session, &files, frames);
  result.unread = std::move(unread);
  result.summary.failure = FindFailure(options.paths, files, ends, read.redactor);
  if (!result.summary.failure.empty()) {
    result.gaps.emplace_back("The program failed: what it would have compiled later is not known.");
  }
  return result;
}

Expected<LintResult> LintSession(const LintOptions& options, const Session& session,
                                 FileSource* files) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();
  std::vector<CompiledFrame> frames;
  return LintSession(options, *selection, session, files, frames);
}

Coverage FindCoverage(const Session& session) {
  std::array<bool, kNumEventKinds> seen{};
  bool break_is_printed = false;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    seen[static_cast<size_t>(detail.kind())] = true;
    // Python prints a fatal one itself, whatever TORCH_LOGS says.
    break_is_printed |= detail.kind() == EventKind::kGraphBreak && !detail.is_fatal_break();
  }
  const auto has = [&](EventKind kind) { return seen[static_cast<size_t>(kind)]; };
  const bool is_trace = !session.compilations().empty();
  return {.recompiles = Judge(is_trace || has(EventKind::kRecompile),
                              has(EventKind::kRecompileLimit) || has(EventKind::kImpliedRecompile)),
          .graph_breaks = Judge(is_trace || break_is_printed, has(EventKind::kImpliedBreak))};
}

std::vector<ReportedCause> ReportCauses(const Session& session, std::vector<Cause> causes) {
  const RuleSet& rules = RuleSet::Builtin();
  const VersionRange releases = FitVersion(session);
  std::vector<ReportedCause> reported;
  reported.reserve(causes.size());
  for (Cause& cause : causes) {
    const Rule* rule = rules.Match(cause);
    if (rule == nullptr) continue;
    Finding finding = rules.MakeFinding(*rule, cause);
    // It ended the program, whatever the rule's severity for such breaks.
    if (cause.fatal) finding.severity = Severity::kError;
    std::erase_if(finding.advice,
                  [&](const Action& action) { return !HasReleaseOf(releases, action.torch); });
    reported.push_back({std::move(cause), std::move(finding)});
  }
  AdviseOnBreaks(reported);
  AdviseOnUniqueValues(reported);
  // After that: an action for another release is not the first one.
  for (ReportedCause& one : reported) {
    for (Action& action : one.finding.advice | std::views::drop(1)) {
      action.confidence = ConfidenceOfLaterActions();
    }
  }
  return reported;
}

}  // namespace shapewise
