// Completes recorded calls with what only the log of the run contains.

#ifndef SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_
#define SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "dynamo/logged_values.h"
#include "model/call_history.h"

namespace shapewise {

/// Fills the empty `completed` with the calls of `recorded` and, if misses in the log are about
/// something that no record contains (grad mode, an attribute of a module, a dtype), with that.
///
/// `missed` is the history according to the log alone, one call per attempt of `told` (null: the
/// log contains nothing). An attempt is the first recorded call after that of the previous attempt
/// that agrees with everything in the log about it. A call that is not an attempt was served by an
/// entry: it gets the values of the last attempt with the same records. If that is wrong, calls
/// differ in which entry served them, not in what was compiled.
///
/// Returns why it cannot be done, as a sentence; empty: done. Linear in calls times sources.
std::string CompleteCalls(const CallHistory& recorded, const CallHistory& missed,
                          const LoggedValues* log_values, CallHistory& completed);

/// Whether modes, such as grad mode, differ between calls.
bool HasSeveralStates(const CallHistory& history);

/// Possible positions of the attempts of one function among recorded calls, in order.
struct AttemptPlaces {
  bool is_possible = false;
  size_t end = 0;              ///< behind the last attempt, if each lies as early as it can
  std::vector<size_t> begins;  ///< calls that can be the first attempt, ascending
};

/// Arguments as for CompleteCalls. Linear in calls times sources.
AttemptPlaces PlacesOfAttempts(const CallHistory& recorded, const CallHistory& missed,
                               const LoggedValues& log_values);

/// Fills the empty `part` with these calls of `whole`.
void CopyCalls(const CallHistory& whole, const std::vector<size_t>& calls, CallHistory& part);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_COMPLETE_CALLS_H_
