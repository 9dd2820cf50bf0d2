// The attempts to compile each code object of a run, in order: what logs and traces tell of them.

#ifndef SHAPEWISE_DYNAMO_RUN_ATTEMPTS_H_
#define SHAPEWISE_DYNAMO_RUN_ATTEMPTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shapewise/model/session.h"

namespace shapewise {

/// One attempt: a call that no cache entry served, whether or not it could be compiled.
struct CompileAttempt {
  const Event* miss = nullptr;  ///< its recompile record; the first has none
  const Event* limit = nullptr;
  const Compilation* compilation = nullptr;  ///< of a structured trace
  const PrintedGuards* guards = nullptr;     ///< of a text log
  bool has_failed = false;
  std::optional<double> seconds;  ///< of a compile record of a text log
};

/// One code object in one stretch of one process. A stretch ends with torch._dynamo.reset(), or
/// where one log holds several processes: compile ids begin again.
struct AttemptedFunction {
  int32_t rank = kNoRank;
  uint32_t input = 0;
  uint64_t line = 0;  ///< of the input, where it is first told of
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  std::string frame;                            ///< "0", "!0/3"
  std::map<uint32_t, CompileAttempt> attempts;  ///< by number: "0/3" is 3
  std::vector<size_t> events;                   ///< of the session, ascending
  bool is_fresh_stretch = false;                ///< an earlier stretch compiled it, too
  bool is_displaced = false;  ///< another function has its number later: ids began again

  /// The attempt that gave guarded code, as far as is told.
  bool GaveCode(uint32_t number) const;
};

/// Every code object of `session`, by process, then in order of appearance. Linear in events, up to
/// a logarithm.
std::vector<AttemptedFunction> CollectAttempts(const Session& session);

/// The processes (rank, input) that print a record for each recompile, so that no record is no
/// recompile.
std::set<std::pair<int32_t, uint32_t>> ProcessesThatTellRecompiles(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_RUN_ATTEMPTS_H_
