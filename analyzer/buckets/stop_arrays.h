// The stops of a line where buckets are possible, as arrays for the solvers: one array per member,
// with running sums of weights.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_
#define SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "buckets/frontier.h"
#include "buckets/size_line.h"

namespace shapewise {

/// Relative difference of two sums that may be due to rounding.
inline constexpr double kRounding = 1e-14;

/// Element j of every array describes the first j stops with may_end, or the last of them. Calls at
/// other stops count at the next one.
struct StopArrays {
  explicit StopArrays(const SizeLine& line);

  size_t size() const { return weight.size() - 1; }

  /// The rounding error of sums near `sum`.
  double Rounding(double sum) const;
  bool IsLess(double sum, double than) const { return sum < than - Rounding(than); }
  /// Added to `price` to break ties in favor of fewer buckets: for all buckets together less than
  /// the smallest difference of integer costs, or about the rounding error.
  double Trace(double price) const;
  /// Upper bound for the savings of a bucket.
  double MostSaved() const { return weight.back() * most_cost; }

  std::vector<double> weight;     ///< sum over the first j stops
  std::vector<double> cost;       ///< at the last of them
  std::vector<uint8_t> must_end;  ///< must be a bucket: no bucket serves calls of both sides
  std::vector<uint32_t> stop;     ///< its index in the line; element 0 is unused
  double most_cost = 0;           ///< at any stop
  double least_total = 0;         ///< cost of all calls if each stop were a bucket
  size_t fewest = 0;              ///< size of the smallest allowed set
  bool is_monotone = true;
  bool is_whole = true;  ///< all weights and costs are integers, so sums are exact
};

/// The set whose buckets are at these stops (numbers from 1 of stops with may_end, ascending).
BucketSet SetOfEnds(const SizeLine& line, const StopArrays& stops,
                    const std::vector<uint32_t>& ends);

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_
