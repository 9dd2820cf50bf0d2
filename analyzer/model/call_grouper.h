// Groups lengths in arrival order into calls, as a batcher would.

#ifndef SHAPEWISE_MODEL_CALL_GROUPER_H_
#define SHAPEWISE_MODEL_CALL_GROUPER_H_

#include <cstdint>
#include <optional>

#include "model/size_history.h"

namespace shapewise {

/// How lengths are grouped: at most one of the two is set, to at least 1. Neither: each length is
/// one call.
struct GroupingRule {
  /// This many consecutive lengths are one call, padded to the longest.
  std::optional<uint64_t> batch;
  /// A call is filled while count times longest stays within this.
  std::optional<uint64_t> max_tokens;

  bool IsNone() const { return !batch && !max_tokens; }
};

/// The result of grouping.
struct GroupingTotals {
  uint64_t lengths = 0;
  uint64_t calls = 0;
  uint64_t left_out = 0;  ///< lengths of a last batch that was not full
  uint64_t too_long = 0;  ///< lengths above max_tokens: each is a call of its own
};

/// Groups lengths into calls.
///
/// `batch` N: calls of N rows with one dim, the longest of N consecutive lengths. An incomplete
/// last batch is dropped. `max_tokens` N: calls with two dims, the count and the longest. A call
/// takes the next length while (count + 1) * longest <= N, as in fairseq's batch_by_size; an
/// incomplete last call is kept.
class CallGrouper {
 public:
  explicit CallGrouper(const GroupingRule& rule)
      : rule_(rule),
        history_(rule.max_tokens ? 2 : 1, static_cast<int64_t>(rule.batch.value_or(1))) {}

  /// Adds `times` consecutive copies of a length (0 to kMaxSize). Returns false and adds nothing if
  /// there would be more than SizeHistory::kMaxCalls.
  bool Add(int64_t length, uint64_t times = 1);
  /// Ends the last call. Call once, last.
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
