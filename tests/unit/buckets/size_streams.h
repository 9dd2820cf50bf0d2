// Streams of sizes whose distribution and bursts are known: to check what is said of real ones.

#ifndef SHAPEWISE_TESTS_UNIT_BUCKETS_SIZE_STREAMS_H_
#define SHAPEWISE_TESTS_UNIT_BUCKETS_SIZE_STREAMS_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "model/size_history.h"
#include "support/random.h"

namespace shapewise {

/// How the size of a call depends on those before.
enum class StreamKind : uint8_t {
  kIndependent,     ///< log-normal
  kHeavyTailed,     ///< one over a uniform share
  kAutoregressive,  ///< the logarithm is AR(1): correlation falls to 1/e within `length` calls
  kNoisy,           ///< AR(1) plus independent noise of the same variance
  kSwitching,       ///< two regimes of `length` calls on average
  kMarkov,          ///< three regimes of `length`, twice and half as many calls on average
  kMovingAverage,   ///< the logarithm is ARMA(1,1)
  kDaily,           ///< the mean goes up and down once in `length` calls
  kRecorded,        ///< blocks of `length` calls in a row of `recorded`, drawn by chance
};

/// A kind of stream.
struct SizeStream {
  std::string name;
  StreamKind kind = StreamKind::kIndependent;
  double length = 0;
  std::vector<int64_t> recorded = {};
};

/// `calls` calls of `stream`, in its stationary state; `shift`: of the logarithm of the second
/// half.
inline SizeHistory CallsOf(const SizeStream& stream, uint64_t calls, uint64_t seed,
                           double shift = 0) {
  Random random(seed);
  const double kept = stream.length > 0 ? std::exp(-1 / stream.length) : 0;
  double state = random.Normal();
  bool is_high = random.Below(2) == 1;
  size_t regime = random.Below(3);
  double shock = random.Normal();
  const double phase = random.Share();
  size_t at = 0;
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
      case StreamKind::kMarkov: {
        constexpr std::array<double, 3> kMeans = {4.2, 5.1, 6.0};
        constexpr std::array<double, 3> kDeviations = {0.4, 0.7, 0.3};
        constexpr std::array<double, 3> kStays = {1, 2, 0.5};
        if (random.Share() * stream.length * kStays[regime] < 1) {
          regime = (regime + 1 + random.Below(2)) % 3;
        }
        log_size = kMeans[regime] + (kDeviations[regime] * random.Normal());
        break;
      }
      case StreamKind::kMovingAverage: {
        const double next = random.Normal();
        state = (kept * state) + (std::sqrt(1 - (kept * kept)) * (next + (0.6 * shock)));
        shock = next;
        log_size += 0.5 * state;
        break;
      }
      case StreamKind::kDaily: {
        const double days = (static_cast<double>(i) / stream.length) + phase;
        log_size += (0.5 * std::sin(2 * std::numbers::pi * days)) + (0.6 * random.Normal());
        break;
      }
      case StreamKind::kRecorded:
        if (i % static_cast<uint64_t>(stream.length) == 0)
          at = random.Below(stream.recorded.size());
        log_size = std::log(0.5 + static_cast<double>(stream.recorded[at]));
        at = (at + 1) % stream.recorded.size();
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
