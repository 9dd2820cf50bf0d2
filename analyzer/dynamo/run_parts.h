// The parts of reading the functions of a run, one file each.

#ifndef SHAPEWISE_DYNAMO_RUN_PARTS_H_
#define SHAPEWISE_DYNAMO_RUN_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dynamo/logged_values.h"
#include "dynamo/run_function.h"
#include "history/code_object_history.h"
#include "model/call_history.h"
#include "model/compile_policy.h"

namespace shapewise {

/// How one code object was compiled, according to its misses.
struct OwnPolicy {
  CompilePolicy policy;
  /// Sources whose ints are constants in every entry although they change: attributes of modules,
  /// ints used as indices.
  std::vector<std::string> constants;
  /// Which torch.compile of the function each attempt belongs to, if isolate_recompiles separates
  /// them; empty: all to one.
  std::map<uint32_t, uint16_t> wrappers;
};

/// Infers, in this order:
///
/// - limits, from the warning that names them;
/// - fullgraph=True, from a graph break that was raised;
/// - isolate_recompiles, from misses that do not check all earlier entries;
/// - a kept profile (PGO), from sizes that are symbols in the first entry of a process or stretch
///   after another one: treated as dynamic_sources;
/// - dynamic=True, from sizes that are symbols in the first entry, without a mark on them;
/// - dynamic=False, from sizes and floats that had changed before an entry was made that is static
///   in them, if the function has no symbols at all.
OwnPolicy PolicyOfAttempts(const Session& session, const CodeObjectHistory& function,
                           const LoggedValues& log_values);

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

/// Makes the empty `copy` equal to `history`.
void CopyHistory(const CallHistory& history, CallHistory& copy);

/// Fills the empty `part` with these calls of `whole`.
void CopyCalls(const CallHistory& whole, const std::vector<size_t>& calls, CallHistory& part);

/// Assigns the recorded calls to the functions that they name, completed with what only the log
/// contains (CompleteCalls); `log_values`: the log's data about each function. A recorded function
/// that is not in the log is appended.
///
/// The two match if the last part of the name ("forward" of "Mixer.forward") agrees, and the rank,
/// the file's name and the line if both have them. If several of the log's functions match an equal
/// number of recorded ones, they are paired in the order of their first call; if the numbers
/// differ, nothing is paired, and the function says so.
void AttachRecordedCalls(const std::vector<std::unique_ptr<RecordedFunction>>& recorded,
                         const std::vector<std::unique_ptr<LoggedValues>>& log_values,
                         std::vector<std::unique_ptr<RunFunction>>& functions);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RUN_PARTS_H_
