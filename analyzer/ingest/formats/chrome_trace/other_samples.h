// What other processes and the kernel were seen doing, from the samples of a profile.

#ifndef SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_OTHER_SAMPLES_H_
#define SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_OTHER_SAMPLES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {

/// Joins the samples and spans of one function in one process into stretches: a sampling profiler
/// shows a call of 400 ms as hundreds of samples.
class OtherSamples {
 public:
  /// A function that ran in a process, without a pause of more than kMaxPauseUs.
  struct Stretch {
    uint32_t process = 0;
    std::string_view function;  ///< lives as long as this object
    double begin_us = 0;
    double end_us = 0;
    uint64_t line = 0;  ///< of its first sample
  };

  /// Two samples further apart are two stretches.
  static constexpr double kMaxPauseUs = 20'000;

  /// False if there is no more room: for another function, or for another stretch.
  bool Add(uint32_t process, std::string_view function, double begin_us, double end_us,
           uint64_t line);

  /// All stretches, ordered by process, function and time. Nothing may be added afterwards.
  std::vector<Stretch> Take();

 private:
  llvm::StringMap<uint32_t> functions_;
  std::vector<std::string_view> names_;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> open_;  // (process, function) -> index
  std::vector<Stretch> stretches_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_CHROME_TRACE_OTHER_SAMPLES_H_
