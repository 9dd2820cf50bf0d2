// How the ranks of one distributed job compare: where they part ways first, and who waited.

#ifndef SHAPEWISE_RESULT_RANK_DIVERGENCE_H_
#define SHAPEWISE_RESULT_RANK_DIVERGENCE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/event.h"
#include "shapewise/result/place.h"

namespace shapewise {

/// In what ranks can differ; the words of a rule's "divergence".
enum class DivergenceKind : uint8_t {
  kRecompile,  ///< "recompile": some compiled a function again where the others did not
  kBreak,      ///< "break": a graph break, a skipped frame or an error on some only
  kOrder,      ///< "order": the same compiles in another order
  kPrograms,   ///< "programs": a function that only some compile: ranks with roles of their own
  kCache,      ///< "cache": taken from the cache on some, compiled on the others
  kValues,     ///< "values": the same recompile for other values
  kReasons,    ///< "reasons": the same recompile for another guard
  kLate,       ///< "late": the same recompile for other values, not in the same step
  kLogEnds,    ///< "log_ends": the log of some ends while the others go on; no accusation
  kLogBegins,  ///< "log_begins": the log of some begins later; no accusation
};
/// How many kinds there are.
inline constexpr size_t kNumDivergenceKinds = static_cast<size_t>(DivergenceKind::kLogBegins) + 1;
std::string_view DivergenceKindName(DivergenceKind kind);

/// One thing that a rank did, as the log tells it.
struct RankAction {
  std::string what;                ///< "recompile", "compile", "backward", "graph_break" ...
  Place where;                     ///< the compiled function
  Place user;                      ///< the user's line behind it, where the log tells
  std::string compile_id;          ///< "0/1"; empty: not printed
  std::optional<Culprit> culprit;  ///< what varied, of a recompile
  std::string guard;               ///< its text
  std::string expected;
  std::string actual;
  LogTime time;                   ///< when it began, as far as it is known
  std::optional<double> seconds;  ///< how long it took; absent: not told
  std::optional<size_t> event;    ///< index into Session::events()
};

/// What a rank took in a recompile that all made.
struct RankValue {
  std::string value;
  std::vector<int32_t> ranks;  ///< ascending
};

/// One difference between ranks.
struct RankDivergence {
  DivergenceKind kind = DivergenceKind::kRecompile;
  std::vector<int32_t> ranks;         ///< that part from the rest: the fewer; ascending
  std::vector<int32_t> actors;        ///< that took `action`
  std::vector<int32_t> others;        ///< that did not, or did it another way
  RankAction action;                  ///< by the first of `actors`
  std::optional<RankAction> instead;  ///< by the first of `others`; absent: nothing more is logged
  /// kRecompile, kBreak, kOrder: by how much later the others took it, too; absent: never, or no
  /// times. kLate: by how much later the others were. kCache: what the others took longer.
  std::optional<double> later_seconds;
  /// How long the others stood idle for it at most, from the times of what they did before and
  /// after; an estimate, absent where times do not tell.
  std::optional<double> wait_seconds;
  uint64_t agreed = 0;            ///< what all had done alike before
  std::vector<RankValue> values;  ///< kValues, kReasons, kLate: lowest rank first
  uint64_t count = 1;             ///< how often ranks differed like this
  std::vector<size_t> events;     ///< evidence, ascending
};

/// The largest difference in time between ranks that did the same.
struct RankSkew {
  double seconds = 0;
  bool of_ends = false;  ///< between the ends of one compile; else between beginnings
  RankAction action;     ///< of the last rank
  int32_t first = kNoRank;
  int32_t last = kNoRank;
};

/// What was taken off the times of a rank, because its clock runs apart from the others'.
struct ClockOffset {
  int32_t rank = kNoRank;
  double seconds = 0;
};

/// The ranks of one job side by side.
struct RankComparison {
  std::vector<int32_t> ranks;  ///< compared, ascending
  bool is_structured = false;  ///< every compile is known; else only what text logs print
  uint64_t agreed = 0;         ///< what all of them did alike, from the beginning
  /// The first difference in what ranks did, then the others, in order of the program; each rank
  /// parts from the rest once. Then differences between ranks that did the same.
  std::vector<RankDivergence> divergences;
  std::optional<RankSkew> skew;
  std::vector<ClockOffset> offsets;  ///< those that are not zero
  std::vector<std::string> gaps;     ///< why ranks could not be compared, one sentence each
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_RANK_DIVERGENCE_H_
