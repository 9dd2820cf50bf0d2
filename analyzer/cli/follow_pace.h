// How often what grows is looked at: by `lint --follow`, and by `run --live`.

#ifndef SHAPEWISE_CLI_FOLLOW_PACE_H_
#define SHAPEWISE_CLI_FOLLOW_PACE_H_

#include <chrono>

namespace shapewise {

/// How long nothing is done when nothing has come.
inline constexpr std::chrono::milliseconds kPause{200};

/// When bytes have stopped for so long, the last record is taken for whole.
inline constexpr std::chrono::milliseconds kQuiet{1000};

/// Looking at a long run takes a while; at most a tenth of the time goes into it.
inline constexpr int kRestShare = 10;

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_FOLLOW_PACE_H_
