// Streams of sizes whose distribution and bursts are known: to check what is said of real ones.

#ifndef SHAPEWISE_TESTS_UNIT_BUCKETS_SIZE_STREAMS_H_
#define SHAPEWISE_TESTS_UNIT_BUCKETS_SIZE_STREAMS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "shapewise/model/size_history.h"
#include "shapewise/support/random.h"

namespace shapewise {

/// How the size of a call depends on those before.
enum class StreamKind : uint8_t {
  kIndependent,     ///< log-normal
  kHeavyTailed,     ///< one over a uniform share
  kAutoregressive,  ///< the logarithm is AR(1): correlation falls to 1/e within `length` calls
  kNoisy,           ///< AR(1) plus independent noise of the same variance
  kSwitching,       ///< two regimes of `length` calls on average
};

/// A kind of stream.
struct SizeStream {
  std::string name;
  StreamKind kind = StreamKind::kIndependent;
  double length = 0;
};

/// `calls` calls of `stream`, in its stationary state; `shift`: of the logarithm of the second
/// half.
inline SizeHistory CallsOf(const SizeStream& stream, uint64_t calls, uint64_t seed,
                           double shift = 0) {
  Random random(seed);
  const double kept = stream.length > 0 ? std::exp(-1 / stream.length) : 0;
  double state = random.Normal();
  bool is_high = random.Below(2) == 1;
  SizeHistory history;
  for (uint64_t i = 0; i < calls; ++i) {
    double log_size = 5;
    switch (stream.kind) {
      case StreamKind::kIndependent:
        log_size += 0.8 * random.Normal();
        break;
      case StreamKind::kHeavyTailed:
        log_size = std::log(60 / (0.01 + random.Share()));
        break;
      case StreamKind::kAutoregressive:
      case StreamKind::kNoisy: {
        const bool is_noisy = stream.kind == StreamKind::kNoisy;
        state = (kept * state) + (std::sqrt(1 - (kept * kept)) * random.Normal());
        log_size += is_noisy ? 0.6 * (state + random.Normal()) : 0.8 * state;
        break;
      }
      case StreamKind::kSwitching:
        if (random.Share() * stream.length < 1) is_high = !is_high;
        log_size = (is_high ? 5.8 : 4.4) + (0.5 * random.Normal());
        break;
    }
    if (i >= calls / 2) log_size += shift;
    const auto size = static_cast<int64_t>(std::exp(log_size));
    history.Add(Sizes{std::clamp<int64_t>(size, 1, 8192), 1, 1});
  }
  return history;
}

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_BUCKETS_SIZE_STREAMS_H_
