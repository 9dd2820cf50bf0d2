#include "shapewise/pipeline/lint.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "pipeline/find_coverage.h"
#include "pipeline/find_gaps.h"
#include "pipeline/program_failure.h"
#include "pipeline/rule_selection.h"
#include "pipeline/tell_causes.h"
#include "shapewise/causes/cause.h"
#include "shapewise/causes/function_costs.h"
#include "shapewise/ingest/reader.h"
#include "shapewise/ranks/ranks.h"
#include "shapewise/rules/rule_set.h"
#include "shapewise/server/server_account.h"
#include "shapewise/timeline/timeline.h"

namespace shapewise {
namespace {

/// Every cause told by its rule, and what the log itself gives reason to tell.
std::vector<Finding> MakeFindings(const Session& session, std::vector<Cause> causes) {
  std::vector<Finding> findings;
  for (ToldCause& told : TellCauses(session, std::move(causes))) {
    findings.push_back(std::move(told.finding));
  }
  for (Finding& finding : RuleSet::Builtin().LogFindings(session)) {
    findings.push_back(std::move(finding));
  }
  return findings;
}

void DropDeselected(const RuleSelection& selection, std::vector<Finding>& findings) {
  std::erase_if(findings,
                [&](const Finding& finding) { return !selection.Has(finding.rule, finding.name); });
}

/// Worst first; equal ones by where they are, so that the order is total.
void SortWorstFirst(std::vector<Finding>& findings) {
  const auto worth = [](const Finding& finding) {
    return std::make_tuple(finding.severity, finding.runs_eager, finding.cost_seconds.value_or(0),
                           finding.count);
  };
  const auto place = [](const Finding& finding) {
    return std::tie(finding.where.file, finding.where.line, finding.where.function,
                    finding.user.file, finding.user.line, finding.rule, finding.message,
                    finding.events);
  };
  std::sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) {
    const auto worth_a = worth(a);
    const auto worth_b = worth(b);
    if (worth_a != worth_b) return worth_a > worth_b;
    return place(a) < place(b);
  });
}

/// The passes of lint over a session that is complete.
LintResult TellRun(const RuleSelection& selection, const Session& session) {
  LintResult result;

  // Fold the events into causes: a chain of recompiles with one culprit is one cause.
  std::vector<Cause> causes = FoldCauses(session);

  // Count the run and name the functions that run eager.
  result.summary = Summarize(session, causes);

  // Lay steps beside compilations: which were slow, and with what.
  result.steps = CompareSteps(session);
  std::vector<Cause> step_causes = StepCauses(result.steps, session);
  std::move(step_causes.begin(), step_causes.end(), std::back_inserter(causes));

  // Add up where the start of an inference server went, and what is wrong with it.
  ServerAccount server = ReadServerLogs(session);
  result.server = std::move(server.report);
  std::ranges::move(server.causes, std::back_inserter(causes));

  // Lay the ranks of one job side by side: where they part is one cause more.
  result.ranks = FindDivergence(session);
  if (result.ranks) {
    std::ranges::move(RankCauses(*result.ranks), std::back_inserter(causes));
  }

  // Add up what each compiled function took.
  result.functions = SumFunctionCosts(session);

  // Tell each cause by the rule that says most about it.
  result.findings = MakeFindings(session, std::move(causes));

  // Drop what the user does not want to hear of. The totals of the summary stay.
  DropDeselected(selection, result.findings);

  // Beyond this point no finding is added or removed.

  // Put the worst first.
  SortWorstFirst(result.findings);

  // Say what the input could not tell.
  result.coverage = FindCoverage(session);
  result.gaps = FindGaps(session, result.summary, result.steps);
  if (result.ranks) std::ranges::copy(result.ranks->gaps, std::back_inserter(result.gaps));
  return result;
}

}  // namespace

Expected<LintResult> Lint(const LintOptions& options, FileSource& files, Session& session) {
  // Look at the selectors first: a typing error should not cost the reading of a large log.
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  // Read every input into events; the format of each is told by its content.
  std::vector<std::string> unread = ReadInputs(options.paths, files, session, options.read);

  // Beyond this point the session is read-only: no event is added, moved or changed.
  LintResult result = TellRun(*selection, session);
  result.unread = std::move(unread);
  result.summary.failure = FindFailure(options.paths, files, options.read.redactor);
  if (!result.summary.failure.empty()) {
    result.gaps.push_back("The program failed (" + result.summary.failure +
                          "): what it would have compiled later is not known.");
  }
  return result;
}

Expected<LintResult> LintSession(const LintOptions& options, const Session& session) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();
  return TellRun(*selection, session);
}

}  // namespace shapewise
