#include "shapewise/pipeline/advise.h"

#include <iterator>
#include <utility>

#include "pipeline/find_gaps.h"
#include "pipeline/rule_selection.h"
#include "shapewise/advise/advise.h"
#include "shapewise/causes/cause.h"
#include "shapewise/ingest/reader.h"
#include "shapewise/rules/rule_set.h"
#include "shapewise/timeline/timeline.h"

namespace shapewise {
namespace {

/// The causes of the run, each with what its rule says; those that nobody wants to hear of left
/// out.
std::vector<ToldCause> TellCauses(std::vector<Cause> causes, const RuleSelection& selection) {
  const RuleSet& rules = RuleSet::Builtin();
  std::vector<ToldCause> told;
  for (Cause& cause : causes) {
    const Rule* rule = rules.Match(cause);
    if (rule == nullptr || !selection.Has(rule->code, rule->name)) continue;
    Finding finding = rules.MakeFinding(*rule, cause);
    if (cause.fatal) finding.severity = Severity::kError;
    told.push_back({std::move(cause), std::move(finding)});
  }
  return told;
}

}  // namespace

Expected<Advice> AdviseOnRun(const AdviseOptions& options, FileSource& files, Session& session) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  ReadOptions read;
  read.guard_texts = true;
  std::vector<std::string> unread = ReadInputs(options.paths, files, session, read);

  std::vector<Cause> causes = FoldCauses(session);
  const RunSummary summary = Summarize(session, causes);
  const StepReport steps = CompareSteps(session);
  std::vector<Cause> step_causes = StepCauses(steps, session);
  std::move(step_causes.begin(), step_causes.end(), std::back_inserter(causes));

  Advice advice = Advise(session, TellCauses(std::move(causes), *selection), summary, steps);
  advice.unread = std::move(unread);
  advice.gaps = FindGaps(session, summary, steps);
  return advice;
}

}  // namespace shapewise
