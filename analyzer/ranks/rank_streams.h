// What each rank did, one after the other, in a form in which ranks can be compared.

#ifndef SHAPEWISE_RANKS_RANK_STREAMS_H_
#define SHAPEWISE_RANKS_RANK_STREAMS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ranks/log_seconds.h"
#include "shapewise/model/compile_number.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// What sort of act; those that make ranks wait come first.
enum class ActKind : uint8_t {
  kRecompile,  ///< a record that a function is compiled again
  kLimit,      ///< a recompile limit was hit
  kBreak,      ///< a graph break
  kSkip,       ///< a frame runs eager
  kError,      ///< an exception of the compiler, a broken promise about shapes
  kCompile,    ///< a compile, where each is told
};

inline constexpr size_t kNoRecord = std::numeric_limits<size_t>::max();

/// One thing that a rank did.
struct Act {
  ActKind kind = ActKind::kCompile;
  bool is_first = false;   ///< the first compile of its frame, or something within it
  uint32_t key = 0;        ///< equal on two ranks if they did the same
  uint32_t loose_key = 0;  ///< likewise, the number of the frame aside: others may come between
  uint32_t function = 0;   ///< number of the compiled function; 0: not printed
  std::optional<CompileNumber> number;
  size_t event = kNoRecord;        ///< into Session::events()
  size_t compilation = kNoRecord;  ///< into Session::compilations()
  double begin = kNoTime;          ///< seconds of the local year
  double seconds = kNoTime;        ///< how long it took

  bool has_begin() const { return !std::isnan(begin); }
  bool has_end() const { return has_begin() && !std::isnan(seconds); }
  double end() const { return begin + seconds; }
};

/// All that one rank did, in order.
struct RankStream {
  int32_t rank = kNoRank;
  std::vector<Act> acts;
  bool begins_with_program = false;  ///< its first act is the first compile of a process
  uint32_t input = 0;                ///< of its first act
};

/// The streams that can be compared.
struct RankStreams {
  std::vector<RankStream> streams;  ///< by rank
  bool is_structured = false;       ///< every compile is told
  std::vector<std::string> gaps;    ///< why a rank is left out, one sentence each
};

/// Gathers the acts of every rank, from structured traces where two ranks or more have one, else
/// from text. Ranks are left out whose log holds several processes, or not the records that the
/// others' have. Keys are numbered by content, so the order of inputs does not show in them.
RankStreams GatherStreams(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_RANKS_RANK_STREAMS_H_
