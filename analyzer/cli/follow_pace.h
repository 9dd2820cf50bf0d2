// Polling intervals of `lint --follow` and `run --live`.

#ifndef SHAPEWISE_CLI_FOLLOW_PACE_H_
#define SHAPEWISE_CLI_FOLLOW_PACE_H_

#include <chrono>

namespace shapewise {

/// Pause if there was no data.
inline constexpr std::chrono::milliseconds kPause{200};

/// Without data for this long, the last record is considered complete.
inline constexpr std::chrono::milliseconds kQuiet{1000};

/// Analyzing a long run takes time; spend at most a tenth of the time on it.
inline constexpr int kRestShare = 10;

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_FOLLOW_PACE_H_
