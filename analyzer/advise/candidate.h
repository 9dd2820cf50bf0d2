// Candidates: what could be done about a run, before it is simulated.

#ifndef SHAPEWISE_ADVISE_CANDIDATE_H_
#define SHAPEWISE_ADVISE_CANDIDATE_H_

#include <vector>

#include "advise/change.h"
#include "advise/run_model.h"
#include "shapewise/advise/advise.h"
#include "shapewise/result/advice.h"

namespace shapewise {

/// An action, what it changes, and where it stands.
struct Candidate {
  RankedAction ranked;              ///< without its saving
  std::vector<CodeChange> changes;  ///< empty: nothing that a policy has
  size_t finding = 0;               ///< the first that it answers, by its place in lint's list
  size_t position = 0;              ///< among the actions of that finding; behind them: another way
};

/// The actions on sizes and ints that policies can express: marks, sources, torch.compile(dynamic),
/// configuration. From the guards that failed and the symbols that were made, function by function.
std::vector<Candidate> PolicyCandidates(const RunModel& model);

/// Whether the rule's `action` is what `policy`, a candidate of PolicyCandidates, words for every
/// size that varied.
bool IsSameAdvice(const Action& action, const Action& policy);

/// The actions that rules propose for `findings`, but for those that `policies` word for the same
/// finding, which name every size that varied.
std::vector<Candidate> RuleCandidates(const std::vector<Finding>& findings,
                                      const std::vector<Candidate>& policies);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_CANDIDATE_H_
