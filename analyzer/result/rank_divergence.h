// A comparison of the ranks of a distributed job: where they first diverge, and which had to wait.

#ifndef SHAPEWISE_RESULT_RANK_DIVERGENCE_H_
#define SHAPEWISE_RESULT_RANK_DIVERGENCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"
#include "result/place.h"

namespace shapewise {

/// Kinds of differences; the words of a rule's "divergence".
enum class DivergenceKind : uint8_t {
  kRecompile,  ///< "recompile": some ranks recompiled a function, others did not
  kBreak,      ///< "break": a graph break, skipped frame or error on some ranks only
  kOrder,      ///< "order": the same compiles in a different order
  kPrograms,  ///< "programs": a function that only some ranks compile, because ranks have different
              ///< roles
  kCache,     ///< "cache": loaded from the cache on some ranks, compiled on others
  kValues,    ///< "values": the same recompile for different values
  kReasons,   ///< "reasons": the same recompile for a different guard
  kLate,      ///< "late": the same recompile for different values, in different steps
  kLogEnds,   ///< "log_ends": some logs end early; not necessarily a problem
  kLogBegins,  ///< "log_begins": some logs begin late; not necessarily a problem
};
/// The number of kinds.
inline constexpr size_t kNumDivergenceKinds = static_cast<size_t>(DivergenceKind::kLogBegins) + 1;
std::string_view DivergenceKindName(DivergenceKind kind);

/// An action of a rank, as logged.
struct RankAction {
  std::string what;                ///< "recompile", "compile", "backward", "graph_break" ...
  Place where;                     ///< the compiled function
  Place user;                      ///< the user's line that triggered it, if logged
  std::string compile_id;          ///< "0/1"; empty: not printed
  std::optional<Culprit> culprit;  ///< what changed, for a recompile
  std::string guard;               ///< its text
  std::string expected;
  std::string actual;
  LogTime time;                   ///< when it started, if known
  std::optional<double> seconds;  ///< duration; absent: unknown
  std::optional<size_t> event;    ///< index into Session::events()
};

/// The value of a rank in a recompile that all ranks made.
struct RankValue {
  std::string value;
  std::vector<int32_t> ranks;  ///< ascending
};

/// A difference between ranks.
struct RankDivergence {
  DivergenceKind kind = DivergenceKind::kRecompile;
  std::vector<int32_t> ranks;         ///< the minority that differs; ascending
  std::vector<int32_t> actors;        ///< ranks that took `action`
  std::vector<int32_t> others;        ///< ranks that did not, or did it differently
  RankAction action;                  ///< of the first of `actors`
  std::optional<RankAction> instead;  ///< of the first of `others`; absent: nothing more is logged
  /// kRecompile, kBreak, kOrder: delay until the others took it, too; absent: never, or times are
  /// unknown. kLate: delay of the others. kCache: extra time of the others.
  std::optional<double> later_seconds;
  /// Upper bound of the time that the others were idle because of it, estimated from the times of
  /// their actions before and after; absent: times are insufficient.
  std::optional<double> wait_seconds;
  uint64_t agreed = 0;            ///< number of equal actions of all ranks before it
  std::vector<RankValue> values;  ///< kValues, kReasons, kLate: lowest rank first
  uint64_t count = 1;             ///< how often ranks differed in this way
  std::vector<size_t> events;     ///< evidence, ascending
};

/// The largest time difference between ranks for the same action.
struct RankSkew {
  double seconds = 0;
  bool of_ends = false;  ///< between the ends of one compile; else between starts
  RankAction action;     ///< of the last rank
  int32_t first = kNoRank;
  int32_t last = kNoRank;
};

/// A correction subtracted from the times of a rank whose clock differs from the others.
struct ClockOffset {
  int32_t rank = kNoRank;
  double seconds = 0;
};

/// The comparison of the ranks of a job.
struct RankComparison {
  std::vector<int32_t> ranks;  ///< compared ranks, ascending
  bool is_structured = false;  ///< every compile is known; else only what text logs print
  uint64_t agreed = 0;         ///< number of initial actions that are equal on all ranks
  /// Differences in actions, in program order; each rank is reported once. Then differences between
  /// ranks that took the same actions.
  std::vector<RankDivergence> divergences;
  std::optional<RankSkew> skew;
  std::vector<ClockOffset> offsets;  ///< non-zero offsets
  std::vector<std::string> gaps;     ///< why ranks could not be compared, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_RANK_DIVERGENCE_H_
