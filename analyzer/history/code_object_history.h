// The history of each code object of a run: the attempts to compile it in the logs and traces, and
// how each of them ended. All engines use this history; none of them counts compile ids itself.

#ifndef SHAPEWISE_HISTORY_CODE_OBJECT_HISTORY_H_
#define SHAPEWISE_HISTORY_CODE_OBJECT_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "model/event.h"
#include "model/session.h"

namespace shapewise {

/// One attempt: a call that no cache entry served, whether or not it could be compiled.
struct CompileAttempt {
  const Event* miss = nullptr;  ///< its recompile record; null for the first attempt
  const Event* limit = nullptr;
  const Compilation* compilation = nullptr;  ///< from a structured trace
  std::vector<const Compilation*> backward;  ///< its backward graphs, from a structured trace
  const PrintedGuards* guards = nullptr;     ///< from a text log
  bool has_failed = false;
  std::optional<double> seconds;  ///< from a compile record of a text log

  /// Whether the attempt left a cache entry, as far as the log shows.
  bool LeftEntry() const;
};

/// An event and the attempt that it is about.
struct HistoryEvent {
  size_t index = 0;  ///< of the session
  uint32_t number = 0;
};

/// One code object in one stretch of one process. A stretch ends with torch._dynamo.reset() or, if
/// one log contains several processes, when compile ids start again.
struct CodeObjectHistory {
  int32_t rank = kNoRank;
  uint32_t input = 0;
  uint64_t line = 0;  ///< of the input, at its first record
  StrId function{};
  StrId file{};
  uint32_t function_line = 0;
  std::optional<uint32_t> frame;                ///< absent: no compile id was printed
  std::map<uint32_t, CompileAttempt> attempts;  ///< by number: "0/3" is 3
  /// Ascending by index. A refused recompile refers to an attempt that never existed.
  std::vector<HistoryEvent> events;
  bool is_fresh_stretch = false;  ///< an earlier stretch compiled it, too
  bool is_displaced = false;      ///< another function has its number later: ids started again

  /// Whether the attempt with this number left a cache entry.
  bool LeftEntry(uint32_t number) const;
  /// Whether a limit was hit.
  bool HitLimit() const;

  /// For each reason of an event about the attempt `number`, the attempt that made the entry which
  /// failed. Reasons name it since 2.5; 2.2 to 2.4 list all entries, newest first, and earlier
  /// releases print the newest one's alone. Absent: it is not known.
  std::vector<std::optional<uint32_t>> EntriesOf(const Session& session, const EventDetail& detail,
                                                 uint32_t number) const;
};

/// Every code object of `session`, by process, then in order of appearance. Linear in events, up to
/// a logarithm.
std::vector<CodeObjectHistory> ReadHistories(const Session& session);

/// The processes that print a record for each recompile, so that no record is no recompile.
std::set<ProcessKey> ProcessesThatReportRecompiles(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_HISTORY_CODE_OBJECT_HISTORY_H_
