#include "pipeline/tell_causes.h"

#include <utility>

#include "causes/version_range.h"
#include "shapewise/rules/rule_set.h"

namespace shapewise {

std::vector<ToldCause> TellCauses(const Session& session, std::vector<Cause> causes) {
  const RuleSet& rules = RuleSet::Builtin();
  const VersionRange releases = FitVersion(session);
  std::vector<ToldCause> told;
  told.reserve(causes.size());
  for (Cause& cause : causes) {
    const Rule* rule = rules.Match(cause);
    if (rule == nullptr) continue;
    Finding finding = rules.MakeFinding(*rule, cause);
    // The program ended there, whatever the rule thinks of breaks of this sort.
    if (cause.fatal) finding.severity = Severity::kError;
    std::erase_if(finding.advice,
                  [&](const Action& action) { return !HasReleaseOf(releases, action.torch); });
    told.push_back({std::move(cause), std::move(finding)});
  }
  return told;
}

}  // namespace shapewise
