// A limit on the time that one input may take, as a law of every fuzz target.

#ifndef SHAPEWISE_TESTS_FUZZ_TIME_LIMIT_H_
#define SHAPEWISE_TESTS_FUZZ_TIME_LIMIT_H_

#include <cstddef>
#include <cstdint>

namespace shapewise {

/// A fuzz target: aborts where its law does not hold.
using FuzzFunction = int (*)(const uint8_t* data, size_t size);

/// Seconds of CPU time that an input may take: a fixed part and a part that grows with its size.
struct TimeLimit {
  double base = 1.0;
  double per_kib = 0.01;

  double SecondsFor(size_t bytes) const {
    return base + per_kib * static_cast<double>(bytes) / 1024;
  }
};

/// Runs `target`. An input that takes longer than `limit` runs again, and aborts where it is at
/// that moment if it is too slow the second time as well: the stack trace then shows what is slow.
/// One that takes twice the limit aborts the first time, since it may be endless. CPU time
/// of the process counts, so other processes on the machine do not matter.
int RunWithinTime(FuzzFunction target, const uint8_t* data, size_t size,
                  const TimeLimit& limit = {});

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_FUZZ_TIME_LIMIT_H_
