// Assigns compile time to events.

#ifndef SHAPEWISE_CAUSES_COMPILE_LEDGER_H_
#define SHAPEWISE_CAUSES_COMPILE_LEDGER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "causes/constant_size.h"
#include "history/code_object_history.h"
#include "model/session.h"

namespace shapewise {

/// Wall-clock microseconds. Integers, so that sums do not depend on the order of the inputs.
using Micros = int64_t;

/// `seconds` in microseconds; absent if unknown, negative or not a number. Capped at a million
/// seconds per compilation.
std::optional<Micros> ToMicros(std::optional<double> seconds);
inline double ToSeconds(Micros micros) { return static_cast<double>(micros) / 1e6; }
inline std::optional<double> SecondsOrNone(std::optional<Micros> micros) {
  if (!micros) return std::nullopt;
  return ToSeconds(*micros);
}

/// Adds `more` to `sum`, which stays absent until there is a value.
void AddMicros(std::optional<Micros>& sum, std::optional<Micros> more);

/// How a compilation ended.
enum class CompileAccount : uint8_t {
  kFirst,      ///< the first of its frame
  kRecompile,  ///< a later one
  kFailed,     ///< an exception
  kEmpty,      ///< the first of its frame, without anything to compile
  kUnfinished,
};

/// One compilation and how its time is assigned.
struct LedgerEntry {
  CompileAccount account = CompileAccount::kFirst;
  bool is_backward = false;
  /// Index into Session::compilations(): for a backward graph, the compilation it belongs to, if
  /// known; else the entry itself.
  size_t forward = 0;
  std::optional<Micros> whole;    ///< restarts included
  std::optional<Micros> retrace;  ///< the part traced in vain before a recorded graph break
  bool has_break = false;         ///< a graph break was recorded in it
  bool has_owner = false;         ///< its cost is assigned to an event
};

/// Assigns every microsecond of compiling to at most one event:
///
///   graph break             what was traced in vain before it, and the rest of a compilation that
///                           it ended
///   compile error, skip     the rest of the compilation that failed because of it
///   recompile               the rest of the compilation that the miss caused, with its backward
///                           graph; for a failed one, what no record explains
///
/// First compiles belong to no event. If several restarts share one number, each gets an equal
/// part. Compiles of a text log that prints seconds are treated the same way, without re-traces.
class CompileLedger {
 public:
  CompileLedger(const Session& session, const std::vector<CodeObjectHistory>& histories);

  /// The time assigned to the event with this index; absent: unknown or none.
  std::optional<Micros> MicrosOf(size_t event) const;

  /// By index of the compilation.
  const std::vector<LedgerEntry>& entries() const { return entries_; }

  /// Seconds of compile events in inputs without other data about compilations.
  std::optional<Micros> printed_micros() const { return printed_micros_; }

 private:
  /// The events that claim one forward compilation.
  struct Claims {
    std::vector<size_t> breaks;
    std::optional<size_t> failure;
    std::optional<size_t> recompile;
  };

  void AddEntries(const Session& session);
  void AddPrinted(const Session& session);
  void ReadHistory(const Session& session, const CodeObjectHistory& history);
  void Settle(const Session& session);
  void Give(size_t event, Micros micros);

  std::vector<LedgerEntry> entries_;
  std::unordered_map<const Compilation*, size_t> index_;
  std::map<size_t, Claims> claims_;  // by compilation
  std::unordered_map<size_t, Micros> of_event_;
  std::set<uint32_t> inputs_with_compilations_;  // those with compilations
  std::optional<Micros> printed_micros_;
};

/// What a run compiled and when, according to its records: read once, for all engines.
struct CompileHistory {
  explicit CompileHistory(const Session& session)
      : functions(ReadHistories(session)),
        ledger(session, functions),
        constant_sizes(session, functions) {}

  std::vector<CodeObjectHistory> functions;
  CompileLedger ledger;
  ConstantSizes constant_sizes;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COMPILE_LEDGER_H_
