// When `lint --follow` and `run --live` analyze what they have read.

#ifndef SHAPEWISE_CLI_FOLLOW_PACE_H_
#define SHAPEWISE_CLI_FOLLOW_PACE_H_

#include <algorithm>
#include <chrono>

namespace shapewise {

/// Decides when the next analysis of growing files is due.
class FollowPace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Pause between two attempts to read, if there was no data.
  static constexpr std::chrono::milliseconds kPause{200};

  explicit FollowPace(Clock::time_point now) : last_bytes_(now), last_look_(now), next_look_(now) {}

  /// To be called after each attempt to read.
  void HaveRead(bool has_more, Clock::time_point now) {
    has_more_ = has_more;
    if (has_more) last_bytes_ = now;
  }

  /// Whether the last record is considered complete, because nothing followed it for so long.
  bool IsQuiet(Clock::time_point now) const { return now - last_bytes_ >= kQuiet; }

  /// Whether to analyze now. What is there already is read first: each analysis covers the run from
  /// its start.
  bool IsDue(Clock::time_point now) const {
    if (IsQuiet(now)) return true;
    return now >= next_look_ && (!has_more_ || now - last_look_ >= kLongest);
  }

  /// To be called after an analysis.
  void HaveLooked(Clock::time_point began, Clock::time_point now) {
    last_look_ = now;
    next_look_ = now + std::max<Clock::duration>(kPause, (now - began) * kRestShare);
  }

 private:
  /// Without data for this long, the last record is considered complete.
  static constexpr std::chrono::milliseconds kQuiet{1000};
  /// A program that writes without a pause is analyzed this often.
  static constexpr std::chrono::seconds kLongest{5};
  /// Analyzing a long run takes time; spend at most a tenth of the time on it.
  static constexpr int kRestShare = 10;

  Clock::time_point last_bytes_;
  Clock::time_point last_look_;
  Clock::time_point next_look_;
  bool has_more_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_FOLLOW_PACE_H_
