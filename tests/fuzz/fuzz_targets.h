// The fuzz targets of one program, by name.

#ifndef SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_
#define SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "fuzz/time_limit.h"

namespace shapewise {

/// One target, under its name in place of LLVMFuzzerTestOneInput.
struct FuzzTarget {
  std::string_view name;
  FuzzFunction run = nullptr;
  std::optional<size_t> head;  ///< bytes before its text; absent: its input is no text
};

/// All targets; defined in a file that tests/fuzz/CMakeLists.txt writes.
const std::vector<FuzzTarget>& FuzzTargets();

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_FUZZ_FUZZ_TARGETS_H_
