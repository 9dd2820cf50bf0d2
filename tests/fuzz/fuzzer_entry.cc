// What libFuzzer calls: a target under its time limit.

#include <cstddef>
#include <cstdint>

#include "fuzz/time_limit.h"

/// LLVMFuzzerTestOneInput of the target's source, which is compiled under this name.
extern "C" int RunFuzzTarget(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return shapewise::RunWithinTime(RunFuzzTarget, data, size);
}
