#include "pipeline/lint_passes.h"

#include <ranges>
#include <utility>

#include "causes/version_range.h"
#include "rules/confidence.h"
#include "rules/rule_set.h"

namespace shapewise {

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
    // After the erasure: an action for another release is not the first one.
    for (Action& action : finding.advice | std::views::drop(1)) {
      action.confidence = ConfidenceOfLaterActions();
    }
    reported.push_back({std::move(cause), std::move(finding)});
  }
  return reported;
}

}  // namespace shapewise
