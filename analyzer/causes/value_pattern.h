// How the values of a culprit change.

#ifndef SHAPEWISE_CAUSES_VALUE_PATTERN_H_
#define SHAPEWISE_CAUSES_VALUE_PATTERN_H_

#include <cstdint>
#include <set>
#include <string_view>

#include "causes/cause.h"
#include "causes/value_history.h"
#include "model/source_ref.h"

namespace shapewise {

/// The evidence for a pattern: one culprit in one process.
struct PatternEvidence {
  GuardClass guard_class = GuardClass::kOther;
  PythonType value_type = PythonType::kUnknown;
  SourceRef source;
  int32_t dim = -1;
  bool is_library_function = false;  ///< and not a wrapper around a user's module
  bool is_package_function = false;  ///< the library is neither PyTorch nor Python
  uint64_t num_strikes = 0;          ///< compiles it forced, or would have forced past the limit
  /// Entries with different guards on it in a single record: the function was compiled for each.
  uint64_t num_entries = 0;
  bool limit_hit = false;
  bool is_incremented = false;  ///< the printed line adds to the value: `self.steps += 1`
  bool picks_callable = false;  ///< the printed line calls the item that the value picks
  ValueHistories histories;
};

/// The first pattern, in this order, that the evidence supports: none, enumeration, counter,
/// growing, parameter set, toggle, once, new object, varying.
///
/// The two states of a bool, of grad mode and the like are a toggle from the first change on: after
/// both are compiled, no further change is needed as evidence.
ValuePattern JudgePattern(const PatternEvidence& evidence);

/// Whether a culprit of this class with these values has two states, as a bool or grad mode has, or
/// is several settings of the process that have two states each.
bool HasTwoStates(GuardClass guard_class, const std::vector<std::string_view>& values);

/// Whether these are at least three sizes of one ladder, each the smallest times a power of two,
/// such as the widths of a network's layers or a set of buckets: a fixed set, not sizes that depend
/// on data. The channels of an image, 1 to 4, may come before the smallest.
bool IsSizeLadder(const std::set<int64_t>& sizes);

/// Whether `source` is an int that numbers layers or blocks, such as `self.layer_idx` or
/// `self._modules['attn'].idx`, rather than steps.
bool NamesLayer(const SourceRef& source);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_VALUE_PATTERN_H_
