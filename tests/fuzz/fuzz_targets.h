// The fuzz targets of one program, by name.

#ifndef SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_
#define SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace shapewise {

/// One target, under its name in place of LLVMFuzzerTestOneInput.
struct FuzzTarget {
  std::string_view name;
  int (*run)(const uint8_t* data, size_t size);  ///< aborts where its law does not hold
};

/// All targets; defined in a file that tests/fuzz/CMakeLists.txt writes.
const std::vector<FuzzTarget>& FuzzTargets();

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_
