// Reproducible random numbers: for resampling, never for secrets.

#ifndef SHAPEWISE_SUPPORT_RANDOM_H_
#define SHAPEWISE_SUPPORT_RANDOM_H_

#include <cstddef>
#include <cstdint>

namespace shapewise {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }

  /// Uniform in [0, end); `end` is far below 2^64, so the bias is negligible.
  uint64_t Below(uint64_t end) { return Next() % end; }

  /// Uniform in [0, 1).
  double Share() { return static_cast<double>(Next() >> 11U) * 0x1p-53; }

  /// Normal with mean 0 and deviation 1, as a sum of twelve uniform numbers: reproducible on every
  /// machine, and bounded by 6.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Share();
    return sum;
  }

 private:
  uint64_t state_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SUPPORT_RANDOM_H_
