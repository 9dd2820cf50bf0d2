// All sets of buckets of a small problem, straight from its definition: what the solvers are held
// against. Shares nothing with them.

#ifndef SHAPEWISE_TESTS_UNIT_BUCKETS_EVERY_SET_H_
#define SHAPEWISE_TESTS_UNIT_BUCKETS_EVERY_SET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "buckets/cost_model.h"
#include "buckets/frontier.h"
#include "buckets/size_line.h"
#include "model/size_history.h"

namespace shapewise {

/// Calls, costs and limits, as MakeSizeLine takes them.
struct SmallProblem {
  SizeHistogram calls;
  CostModel cost;
  BucketLimits limits;
  bool mix_tail = false;
};

enum class CostKind : uint8_t { kPadding, kLinear, kQuadratic, kTile, kRisingCurve, kWildCurve };

/// At most about ten sizes that may be buckets; sometimes with forced and forbidden ones, minimum,
/// maximum, rows and tail.
SmallProblem RandomProblem(std::mt19937_64& random, CostKind kind);

/// Sizes that may be buckets, up to the one that serves the maximum.
std::vector<int64_t> PossibleSizes(const SmallProblem& problem);

/// How often a call of a size is expected: the calls, or the calls and the tail.
std::map<int64_t, double> ExpectedCalls(const SmallProblem& problem);

/// What all expected calls cost, each at the smallest of `buckets` that holds it.
double DirectCost(const SmallProblem& problem, const std::map<int64_t, double>& expected,
                  const std::vector<int64_t>& buckets);

/// The least cost of all sets of exactly so many buckets, by their number.
std::map<size_t, double> LeastCosts(const SmallProblem& problem);

/// The same for a line: sets of its stops.
std::map<size_t, double> LeastCosts(const SizeLine& line);

/// A line of `stops` stops. Weights and costs are whole numbers up to `range`, or not.
SizeLine RandomLine(std::mt19937_64& random, size_t stops, int range, bool is_whole,
                    bool is_monotone);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_BUCKETS_EVERY_SET_H_
