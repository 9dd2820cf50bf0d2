// Candidates: what could be done about a run, before anybody reckons what it saves.

#ifndef SHAPEWISE_ADVISE_CANDIDATE_H_
#define SHAPEWISE_ADVISE_CANDIDATE_H_

#include <vector>

#include "advise/change.h"
#include "advise/run_model.h"
#include "shapewise/advise/advise.h"
#include "shapewise/result/advice.h"

namespace shapewise {

/// An action, and what it changes.
struct Candidate {
  RankedAction ranked;              ///< without its savings
  std::vector<CodeChange> changes;  ///< empty: nothing that can be reckoned with
  uint64_t breaks = 0;              ///< graph-break sites that it removes
  uint64_t errors = 0;              ///< errors that it keeps from being raised
  uint64_t eager_functions = 0;     ///< that it brings back, besides what the reckoning finds
  std::optional<double> seconds;    ///< of compiling that goes with the causes; of breaks
};

/// The actions on sizes and ints that policies can express: marks, sources, torch.compile(dynamic),
/// configuration. From the guards that failed and the symbols that were made, function by function.
std::vector<Candidate> PolicyCandidates(const RunModel& model);

/// The actions that rules propose for `causes`, but for those that PolicyCandidates makes.
std::vector<Candidate> RuleCandidates(const std::vector<ToldCause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_CANDIDATE_H_
