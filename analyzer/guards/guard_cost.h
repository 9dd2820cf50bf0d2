// Estimates the cost of a compiled function's guards per call from what a trace shows.

#ifndef SHAPEWISE_GUARDS_GUARD_COST_H_
#define SHAPEWISE_GUARDS_GUARD_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/compilation.h"
#include "model/session.h"
#include "result/run_page.h"

namespace shapewise {

/// Microseconds that a call of a compiled function spends before its graph runs, estimated from
/// guard counts.
///
/// A model, not a measurement. Its constants are medians of runs on one x86-64 server core with
/// warm caches (analyzer/docs/guard-cost.md) and are accurate within a factor of about two.
struct GuardEstimate {
  double call_us = 0;     ///< entering compiled code, without guards
  double guards_us = 0;   ///< evaluating the guards of the matching entry
  bool has_tree = false;  ///< counted from the printed tree; else from the number of guards alone
  bool has_symbols = false;  ///< includes guards on symbolic sizes

  double total_us() const { return call_us + guards_us; }
};

/// The estimate for an entry that is first in the cache. Absent: guards are unknown.
std::optional<GuardEstimate> EstimateGuards(const Compilation& compilation,
                                            const StringPool& strings);

/// The same if only the guards are known, as in a text log. Absent: they are unknown.
std::optional<GuardEstimate> EstimateGuards(const GuardTally& guards, const StringPool& strings);

/// The share of `estimate` that one leaf guard takes.
double LeafGuardUs(const GuardEstimate& estimate);

/// Whether the guards can explain the latency that PyTorch measured at compile time: at most three
/// times the sum of 100 us and ten times the estimate, which allows for cold caches
/// (analyzer/docs/guard-cost.md). PyTorch measures once, and a busy machine increases the value.
bool IsLikelyLatency(double latency_us, const GuardEstimate& estimate);

/// Microseconds until `entries_in_front` cache entries have failed and the next one is tried.
double CacheDepthUs(uint64_t entries_in_front);

/// The kind of most guards of a compilation.
enum class GuardOffender : uint8_t {
  kPython,  ///< "python": conditions evaluated in Python at the root of the tree
  kLayers,  ///< "layers": the same guards repeated for each of many layers
  kMany,    ///< "many": no dominant kind
};
/// The word of it in results.
std::string_view GuardOffenderName(GuardOffender offender);

/// The kind that makes up at least half of the leaf guards in `guards`.
GuardOffender FindOffender(const GuardTally& guards);

/// The subject of a condition that is evaluated in Python, derived from its text
/// (GuardTally::root_lambdas).
enum class LambdaKind : uint8_t {
  kSymbolicSize,  ///< "sizes": a relation on symbolic sizes or strides, or a range
  kNotANumber,    ///< "NaN checks"
  kNumber,        ///< "comparisons of numbers": of a float or int with a constant
  kSameObject,    ///< "identities of objects": two names for one object, including modules and
                  ///< imports
  kOther,         ///< "other conditions"
};
/// The word of it in results.
std::string_view LambdaKindName(LambdaKind kind);
LambdaKind KindOfLambda(std::string_view text);

/// One row per function with guard trees in `session`, most expensive first, then by place. If a
/// trace and a log cover the same function, the trace is used. Empty: no guard tree was read.
std::vector<GuardHeat> FindGuardHeat(const Session& session);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_GUARD_COST_H_
