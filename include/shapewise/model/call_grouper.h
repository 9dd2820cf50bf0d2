// Lengths in the order in which they arrived, put together to calls as a batcher would.

#ifndef SHAPEWISE_MODEL_CALL_GROUPER_H_
#define SHAPEWISE_MODEL_CALL_GROUPER_H_

#include <cstdint>
#include <optional>

#include "shapewise/model/size_history.h"

namespace shapewise {

/// How lengths become calls; one of the two at most, each at least 1. Neither: each length is a
/// call.
struct GroupingRule {
  std::optional<uint64_t> batch;  ///< so many in a row are a call, padded to the longest
  std::optional<uint64_t>
      max_tokens;  ///< a call takes lengths while count times longest is no more

  bool IsNone() const { return !batch && !max_tokens; }
};

/// What the grouping made of the lengths.
struct GroupingTotals {
  uint64_t lengths = 0;
  uint64_t calls = 0;
  uint64_t left_out = 0;  ///< lengths of a last batch that was not full
  uint64_t too_long = 0;  ///< lengths beyond max_tokens: each a call of its own
};

/// Makes calls of lengths.
///
/// `batch` N: calls of N rows each, one dim: the longest of N lengths in a row. What is left at the
/// end is no full batch, and is left out. `max_tokens` N: calls of two dims, how many and the
/// longest of them. A call takes the next length while (count + 1) * longest <= N, as fairseq's
/// batch_by_size does; the last call is one, however small.
class CallGrouper {
 public:
  explicit CallGrouper(const GroupingRule& rule)
      : rule_(rule),
        history_(rule.max_tokens ? 2 : 1, static_cast<int64_t>(rule.batch.value_or(1))) {}

  /// Adds a length (0 to kMaxSize) that came `times` times in a row. False, and nothing added, if
  /// there are more than SizeHistory::kMaxCalls.
  bool Add(int64_t length, uint64_t times = 1);
  /// Ends the last call. Nothing may follow.
  void Finish();

  const GroupingTotals& totals() const { return totals_; }
  /// The calls; complete after Finish().
  SizeHistory& history() { return history_; }

 private:
  uint64_t RoomFor(int64_t length) const;
  void EndCall();
  void EmitFull(int64_t length, uint64_t count, uint64_t calls);

  GroupingRule rule_;
  SizeHistory history_;
  GroupingTotals totals_;
  // The call that is being filled.
  uint64_t count_ = 0;
  int64_t longest_ = 0;
  double real_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_CALL_GROUPER_H_
