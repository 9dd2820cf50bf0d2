// What the guards of a compiled function cost at every call, as far as a trace tells.

#ifndef SHAPEWISE_GUARDS_GUARD_COST_H_
#define SHAPEWISE_GUARDS_GUARD_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "shapewise/model/compilation.h"

namespace shapewise {

/// Microseconds of one call of a compiled function before its graph runs, from counts of guards.
///
/// A model, not a measurement: its constants are medians of runs on one x86-64 server core with
/// warm caches (analyzer/docs/guard-cost.md), and hold to about a factor of two.
struct GuardEstimate {
  double call_us = 0;        ///< entering compiled code, whatever its guards
  double guards_us = 0;      ///< evaluating the guards of the entry that fits
  bool has_tree = false;     ///< counted in the printed tree; else from the number of guards alone
  bool has_symbols = false;  ///< guards on symbolic sizes are among them

  double total_us() const { return call_us + guards_us; }
};

/// The estimate for an entry that is found first in the cache. Absent: no guards are told.
std::optional<GuardEstimate> EstimateGuards(const Compilation& compilation,
                                            const StringPool& strings);

/// The same where nothing but the guards is told, as in a text log. Absent: none are.
std::optional<GuardEstimate> EstimateGuards(const GuardTally& guards, const StringPool& strings);

/// Of `estimate`, what one leaf guard takes.
double LeafGuardUs(const GuardEstimate& estimate);

/// Whether the guards can have taken the time that PyTorch measured when it compiled: no more than
/// three times what 100 us and ten times the estimate come to, which is what empty caches make of
/// it (analyzer/docs/guard-cost.md). It is measured once, and a busy machine makes it longer.
bool IsLikelyLatency(double latency_us, const GuardEstimate& estimate);

/// Microseconds that `entries_in_front` cache entries take to fail before one fits.
double CacheDepthUs(uint64_t entries_in_front);

/// What makes the guards of one compilation many.
enum class GuardOffender : uint8_t {
  kPython,  ///< "python": conditions that are evaluated in Python at the root of the tree
  kLayers,  ///< "layers": the same guards again for each of many layers
  kMany,    ///< "many": neither stands out
};
/// The word of it, as results have it.
std::string_view GuardOffenderName(GuardOffender offender);

/// What stands out in `guards`: half of its leaf guards, or more.
GuardOffender FindOffender(const GuardTally& guards);

/// What a condition evaluated in Python is about; by its text (GuardTally::root_lambdas).
enum class LambdaKind : uint8_t {
  kSymbolicSize,  ///< "sizes": a relation on symbolic sizes or strides, or a range
  kNotANumber,    ///< "NaN checks"
  kNumber,        ///< "comparisons of numbers": of a float or an int with a constant
  kSameObject,  ///< "identities of objects": two names for one object, modules and imports as well
  kOther,       ///< "other conditions"
};
/// The word of it, as results have it.
std::string_view LambdaKindName(LambdaKind kind);
LambdaKind KindOfLambda(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARD_COST_H_
