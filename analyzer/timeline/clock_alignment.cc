#include "timeline/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "model/compile_id.h"

namespace shapewise {
namespace {

// Time zones differ by quarters of an hour, years by whole days.
constexpr double kGrid = 900;

// A compilation is logged at its start or end: the two clocks may differ by its length, or by this
// much.
constexpr double kSlack = 2;

/// Collects the offsets that each compilation allows.
class Votes {
 public:
  /// Adds one compilation's bounds for the offset.
  void Add(double low, double high) {
    const double offset = std::round((low + high) / 2 / kGrid) * kGrid;
    // Compilations longer than the grid are useless: more than one offset would fit.
    if (high - low > kGrid / 4) return;
    ++num_;
    if (offset >= low - kSlack && offset <= high + kSlack) ++by_offset_[offset];
  }

  std::optional<double> Winner() const {
    std::optional<double> winner;
    uint64_t most = 0;
    for (const auto& [offset, count] : by_offset_) {
      if (count <= most) continue;
      most = count;
      winner = offset;
    }
    return most * 2 >= num_ ? winner : std::nullopt;
  }

 private:
  std::map<double, uint64_t> by_offset_;
  uint64_t num_ = 0;
};

}  // namespace

std::optional<double> FindEpochMinusLocal(const Session& session) {
  Votes votes;
  for (const Compilation& compilation : session.compilations()) {
    const std::optional<double> local = LocalSeconds(compilation.time);
    if (!local || compilation.start <= 0 || !compilation.is_finished) continue;
    const double seconds = compilation.seconds.total.value_or(0);
    votes.Add(compilation.start - *local, compilation.start + seconds - *local);
  }
  if (const std::optional<double> offset = votes.Winner()) return offset;

  const bool has_profile =
      std::any_of(session.spans().begin(), session.spans().end(), [](const Span& span) {
        return span.kind == SpanKind::kCompile && span.clock == Clock::kEpoch;
      });
  if (!has_profile) return std::nullopt;

  // The first time at which a log prints a compile id, to compare with its span in the profile.
  std::map<std::pair<int32_t, std::string_view>, double> printed;
  for (const Event& event : session.events()) {
    const std::optional<double> local = LocalSeconds(event.time);
    if (!local || event.compile_id == StrId::kNone) continue;
    printed.try_emplace({event.rank, WithoutAttempt(session.text(event.compile_id))}, *local);
  }
  Votes matches;
  for (const Span& span : session.spans()) {
    if (span.kind != SpanKind::kCompile || span.clock != Clock::kEpoch) continue;
    const std::string_view id = WithoutAttempt(session.text(span.compile_id));
    auto found = printed.find({span.rank, id});
    if (found == printed.end()) found = printed.find({kNoRank, id});
    if (id.empty() || found == printed.end()) continue;
    matches.Add(span.begin - found->second, span.begin + span.seconds - found->second);
  }
  return matches.Winner();
}

std::optional<double> ByClock(double seconds, Clock clock, uint32_t input, Clock wanted_clock,
                              uint32_t wanted_input, std::optional<double> epoch_minus_local) {
  if (clock == Clock::kUnknown || wanted_clock == Clock::kUnknown) return std::nullopt;
  if (clock == Clock::kRelative || wanted_clock == Clock::kRelative) {
    const bool is_same = clock == wanted_clock && input == wanted_input;
    return is_same ? std::optional(seconds) : std::nullopt;
  }
  if (clock == wanted_clock) return seconds;
  if (!epoch_minus_local) return std::nullopt;
  return wanted_clock == Clock::kEpoch ? seconds + *epoch_minus_local
                                       : seconds - *epoch_minus_local;
}

}  // namespace shapewise
