// Candidates: possible actions for a run, before they are simulated.

#ifndef SHAPEWISE_ADVISE_CANDIDATE_H_
#define SHAPEWISE_ADVISE_CANDIDATE_H_

#include <cstddef>
#include <vector>

#include "advise/advise.h"
#include "advise/change.h"
#include "advise/compiled_frame.h"
#include "llvm/ADT/ArrayRef.h"
#include "result/advice.h"

namespace shapewise {

/// An action, what it changes, and its position in the list.
struct Candidate {
  RankedAction ranked;              ///< saving not filled in
  std::vector<CodeChange> changes;  ///< empty: no policy can express it
  size_t finding = 0;               ///< the first finding it addresses, by index into lint's list
  /// Among the actions of that finding; actions from policies come after those of rules.
  size_t position = 0;
  bool is_first = false;  ///< rules propose it first for one of the findings that it addresses
};

/// The actions on sizes and ints that policies can express: marks, sources, torch.compile(dynamic),
/// configuration. Derived from failed guards and created symbols, function by function.
std::vector<Candidate> PolicyCandidates(llvm::ArrayRef<CompiledFrame> frames);

/// Whether the rule's `action` is the advice that `policy`, a candidate of PolicyCandidates, gives
/// for every size that changed.
bool IsSameAdvice(const Action& action, const Action& policy);

/// `policy` as an action of the finding for which its rule proposes `rule`, the same advice: with
/// the confidence of the rule, which is counted over logs, and, if it names no more sizes, in the
/// rule's words.
Action WordedLike(const Action& rule, const Candidate& policy);

/// The actions that rules propose for `findings`, except those that `policies` already cover for
/// the same finding (policies name every size that changed).
std::vector<Candidate> RuleCandidates(const std::vector<Finding>& findings,
                                      const std::vector<Candidate>& policies);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_CANDIDATE_H_
