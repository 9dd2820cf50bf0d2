// The accounts of compiling: which second belongs to which event.

#ifndef SHAPEWISE_CAUSES_COMPILE_LEDGER_H_
#define SHAPEWISE_CAUSES_COMPILE_LEDGER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shapewise/model/compile_number.h"
#include "shapewise/model/process_key.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// Wall-clock microseconds. Whole numbers, so that sums do not depend on the order of the inputs.
using Micros = int64_t;

/// `seconds` in microseconds; absent where they are not told, negative or no number. More than a
/// million seconds for one compilation are a million.
std::optional<Micros> ToMicros(std::optional<double> seconds);
inline double ToSeconds(Micros micros) { return static_cast<double>(micros) / 1e6; }
inline std::optional<double> SecondsOrNone(std::optional<Micros> micros) {
  if (!micros) return std::nullopt;
  return ToSeconds(*micros);
}

/// Adds `more` to `sum`, which stays absent until something is told.
void AddMicros(std::optional<Micros>& sum, std::optional<Micros> more);

/// What became of a compilation.
enum class CompileAccount : uint8_t {
  kFirst,      ///< the first of its frame
  kRecompile,  ///< a later one
  kFailed,     ///< an exception
  kEmpty,      ///< the first of its frame, and nothing to compile in it
  kUnfinished,
};

/// One compilation with its part in the accounts.
struct LedgerEntry {
  CompileAccount account = CompileAccount::kFirst;
  bool is_backward = false;
  /// Index into Session::compilations(): of a backward graph the compilation it belongs to, where
  /// that is known; else of the entry itself.
  size_t forward = 0;
  std::optional<Micros> whole;    ///< restarts included
  std::optional<Micros> retrace;  ///< of it, traced in vain before a graph break that is told
  bool has_break = false;         ///< a graph break was recorded in it
  bool has_owner = false;         ///< what it cost is some event's
};

/// Gives every microsecond of compiling to one event at most:
///
///   graph break             what was traced in vain before it, and the rest of a compilation that
///                           it ended
///   compile error, skip     the rest of the compilation that failed so
///   recompile               the rest of the compilation that the miss forced, with its backward
///                           graph; and of a failed one that no record explains
///
/// First compiles belong to no event. Where several restarts share one number, each gets an equal
/// part. Compiles of a text log that prints seconds are accounted likewise, without re-traces.
class CompileLedger {
 public:
  explicit CompileLedger(const Session& session);

  /// What belongs to the event with this index; absent: the log does not tell, or nothing does.
  std::optional<Micros> MicrosOf(size_t event) const;

  /// By index of the compilation.
  const std::vector<LedgerEntry>& entries() const { return entries_; }

  /// Seconds of compile events in inputs that tell nothing more of compilations.
  std::optional<Micros> printed_micros() const { return printed_micros_; }

 private:
  using CompileKey = std::pair<ProcessKey, CompileNumber>;

  /// What the events say of one forward compilation.
  struct Claims {
    std::vector<size_t> breaks;
    std::optional<size_t> failure;
    std::optional<size_t> recompile;
  };

  void PairBackward(const Session& session);
  void ReadClaims(const Session& session);
  void Settle(const Session& session);
  void AccountPrinted(const Session& session);
  void Give(size_t event, Micros micros);

  std::vector<LedgerEntry> entries_;
  std::map<CompileKey, std::vector<size_t>> forward_;  // by line
  std::map<size_t, Claims> claims_;                    // by compilation
  std::unordered_map<size_t, Micros> of_event_;
  std::set<uint32_t> told_inputs_;  // those with compilations
  std::optional<Micros> printed_micros_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_COMPILE_LEDGER_H_
