// What a run recompiled and why, frame by frame, from its recompile records.

#ifndef SHAPEWISE_ADVISE_COMPILED_FRAME_H_
#define SHAPEWISE_ADVISE_COMPILED_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "advise/change.h"
#include "causes/compile_ledger.h"
#include "causes/constant_size.h"
#include "model/call_history.h"
#include "model/session.h"
#include "result/place.h"

namespace shapewise {

/// A guard that failed.
struct FailedGuard {
  GuardClass guard_class = GuardClass::kOther;
  Variable variable;
  std::vector<Variable> sizes;      ///< of a relation: all sizes in it
  std::optional<int64_t> expected;  ///< if it is an integer
  std::optional<int64_t> actual;
  std::string hint;  ///< the fix that the log suggests: "use_duck_shape"
};

/// A cache entry that did not match, by its number in the frame.
struct FailedEntry {
  uint32_t entry = 0;
  std::vector<FailedGuard> guards;  ///< the printed ones; later guards may fail as well
};

/// A call that no entry matched.
struct Miss {
  uint32_t compile = 0;    ///< number of the compilation that it started
  size_t event = 0;        ///< index into the session's events
  bool hit_limit = false;  ///< nothing was compiled, and the frame runs eagerly from here on
  std::vector<FailedEntry> entries;
  /// Sizes that changed here for the first time, according to the symbols that were created and
  /// the shapes of inputs; only if the log shows one of these.
  std::vector<Variable> newly_changed;
};

/// The compilations of one code object in one process, between two resets.
struct CompiledFrame {
  Place where;
  int32_t rank = kNoRank;
  std::optional<uint32_t> number;  ///< in compile ids; absent: not in the log
  std::vector<Miss> misses;        ///< ascending by `compile`
  uint32_t compiles = 0;           ///< that were begun
  uint32_t not_kept = 0;           ///< of them, such that left no entry: limits, errors
  /// Sizes that had varied and were constants all the same, and why.
  std::map<Variable, ConstantBy> constants;
  /// Tensors that some calls lack, and that a size had to equal, as far as the log shows it.
  std::set<std::string> late;
  /// Numbers that became symbols as floats.
  std::set<Variable> floats;
  /// The sizes of inputs, by number of the compilation; only from traces.
  std::map<uint32_t, std::map<Variable, int64_t>> sizes;
  /// Every call, as far as a recorder wrote them; null: none is known. Set by RunModel.
  const CallHistory* calls = nullptr;
  /// By number of the compilation, backward graphs included; absent: not in the log.
  std::vector<std::optional<double>> seconds;

  /// Entries in the cache at the end.
  uint32_t entries() const { return compiles - not_kept; }
};

/// The frames of `session`, whose history this is, in order of their first record. Only frames
/// with a recompile record, a limit or a compilation.
std::vector<CompiledFrame> ReadCompiledFrames(const Session& session,
                                              const CompileHistory& history);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_COMPILED_FRAME_H_
