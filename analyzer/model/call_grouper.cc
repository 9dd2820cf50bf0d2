#include "model/call_grouper.h"

#include <algorithm>

namespace shapewise {

bool CallGrouper::Add(int64_t length, uint64_t times) {
  if (times > SizeHistory::kMaxCalls - totals_.lengths) return false;
  totals_.lengths += times;
  while (times > 0) {
    const uint64_t room = RoomFor(length);
    if (count_ == 0 && times >= std::max<uint64_t>(room, 1)) {
      // Calls that contain only this length, added at once.
      const uint64_t count = std::max<uint64_t>(room, 1);
      if (room == 0) totals_.too_long += times;
      EmitFull(length, count, times / count);
      times %= count;
      continue;
    }
    const uint64_t taken = std::min(times, room);
    if (taken == 0) {
      EndCall();
      continue;
    }
    count_ += taken;
    longest_ = std::max(longest_, length);
    real_ += static_cast<double>(taken) * static_cast<double>(length);
    times -= taken;
    if (rule_.batch && count_ == *rule_.batch) EndCall();
  }
  return true;
}

void CallGrouper::Finish() {
  if (rule_.batch) {
    totals_.left_out = count_;
  } else if (count_ > 0) {
    EndCall();
  }
}

/// How many of `length` still fit into the current call.
uint64_t CallGrouper::RoomFor(int64_t length) const {
  if (rule_.batch) return *rule_.batch - count_;
  if (!rule_.max_tokens) return 1;
  const auto longest = static_cast<uint64_t>(std::max(longest_, length));
  uint64_t most = static_cast<uint64_t>(kMaxSize);
  if (longest > 0) most = std::min(most, *rule_.max_tokens / longest);
  return most > count_ ? most - count_ : 0;
}

void CallGrouper::EndCall() {
  const auto count = static_cast<int64_t>(count_);
  history_.Add(rule_.max_tokens ? Sizes{count, longest_, 1} : Sizes{longest_, 1, 1}, 1, real_);
  ++totals_.calls;
  count_ = 0;
  longest_ = 0;
  real_ = 0;
}

void CallGrouper::EmitFull(int64_t length, uint64_t count, uint64_t calls) {
  const double real =
      static_cast<double>(calls) * static_cast<double>(count) * static_cast<double>(length);
  const auto size = static_cast<int64_t>(count);
  history_.Add(rule_.max_tokens ? Sizes{size, length, 1} : Sizes{length, 1, 1}, calls, real);
  totals_.calls += calls;
}

}  // namespace shapewise
