// Recorded calls, completed with what only the log of the run tells of them.

#ifndef SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_
#define SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "dynamo/told_values.h"
#include "shapewise/model/call_history.h"

namespace shapewise {

/// Fills the empty `completed` with the calls of `recorded` and, where misses of the log are about
/// something that no record holds (grad mode, an attribute of a module, a dtype), with that.
///
/// `missed` is the history that the log alone tells, one call an attempt of `told` (null: it
/// tells nothing). An attempt is
/// the first recorded call, behind that of the attempt before, that agrees with all that the log
/// tells of it. A call that is no attempt was served by an entry: it holds what the last attempt
/// with the same records held. Where that is not the truth, calls differ in which entry served them
/// and not in what was compiled.
///
/// Returns why it can't be done, in a sentence; empty: it was. Linear in calls times sources.
std::string CompleteCalls(const CallHistory& recorded, const CallHistory& missed,
                          const ToldValues* told, CallHistory& completed);

/// Whether modes, such as that of gradients, differ between calls.
bool HasSeveralStates(const CallHistory& history);

/// Where among recorded calls the attempts of one function can lie, in order.
struct AttemptPlaces {
  bool is_possible = false;
  size_t end = 0;              ///< behind the last attempt, if each lies as early as it can
  std::vector<size_t> begins;  ///< calls that can be the first attempt, ascending
};

/// Arguments as for CompleteCalls. Linear in calls times sources.
AttemptPlaces PlacesOfAttempts(const CallHistory& recorded, const CallHistory& missed,
                               const ToldValues& told);

/// Fills the empty `part` with these calls of `whole`.
void CopyCalls(const CallHistory& whole, const std::vector<size_t>& calls, CallHistory& part);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_
