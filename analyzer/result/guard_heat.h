// Numbers of guards of compiled functions, for a heat map.

#ifndef SHAPEWISE_RESULT_GUARD_HEAT_H_
#define SHAPEWISE_RESULT_GUARD_HEAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/place.h"

namespace shapewise {

/// Guards that repeat for each index of a list, for example for each layer.
struct GuardFamilyHeat {
  std::string source;    ///< "L['self'].layers[*].scale"
  uint64_t guards = 0;   ///< total over all indices
  uint64_t members = 0;  ///< distinct indices
};

/// The guards of one function: those of its most expensive entry.
struct GuardHeat {
  Place where;
  int32_t rank = -1;       ///< -1: unknown
  std::string compile_id;  ///< of that entry; empty: not printed
  uint64_t entries = 0;    ///< entries with known guards
  uint64_t guards = 0;     ///< leaf guards
  uint64_t managers = 0;   ///< inner nodes: attributes, keys and items on the path to a guard
  double guards_us = 0;    ///< one evaluation, estimated (analyzer/docs/guard-cost.md)
  double leaf_us = 0;      ///< part of it per leaf guard
  double call_us = 0;      ///< in addition: entering compiled code
  /// With cold caches, by PyTorch; absent: unknown or implausible.
  std::optional<double> measured_us;
  std::vector<std::pair<std::string, uint64_t>> kinds;    ///< leaf guards by kind, most first
  std::vector<std::pair<std::string, uint64_t>> lambdas;  ///< evaluated in Python, by their text
  std::vector<GuardFamilyHeat> families;                  ///< most guards first
};

}  // namespace shapewise

#endif  // SHAPEWISE_RESULT_GUARD_HEAT_H_
