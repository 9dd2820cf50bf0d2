// The stops of a line where buckets may be, as the solvers read them: one array a member, running
// sums of weights.

#ifndef SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_
#define SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shapewise/buckets/frontier.h"
#include "shapewise/buckets/size_line.h"

namespace shapewise {

/// Relative difference of two sums that may be rounding alone.
inline constexpr double kRounding = 1e-14;

/// Element j of every array tells of the first j stops that may end, or of the last of them. Calls
/// at a stop that may not are counted at the next.
struct StopArrays {
  explicit StopArrays(const SizeLine& line);

  size_t size() const { return weight.size() - 1; }

  /// How much two sums near `sum` may differ by rounding alone.
  double Rounding(double sum) const;
  bool IsLess(double sum, double than) const { return sum < than - Rounding(than); }
  /// Added to `price`, decides between sets of equal cost for the one of fewer buckets: for all
  /// buckets together less than what whole costs differ by, or about what rounding makes.
  double Trace(double price) const;
  /// No bucket saves more.
  double MostSaved() const { return weight.back() * most_cost; }

  std::vector<double> weight;     ///< sum over the first j stops
  std::vector<double> cost;       ///< at the last of them
  std::vector<uint8_t> must_end;  ///< it has to be a bucket: none holds calls of both sides
  std::vector<uint32_t> stop;     ///< its number in the line, from 0; element 0 is not looked at
  double most_cost = 0;           ///< at any stop
  double least_total = 0;         ///< cost of all calls, were each stop a bucket
  size_t fewest = 0;              ///< buckets of the smallest set that is allowed
  bool is_monotone = true;
  bool is_whole = true;  ///< all weights and costs are whole numbers: sums are exact
};

/// The set whose buckets are at these stops (numbers from 1 of those that may end, ascending).
BucketSet SetOfEnds(const SizeLine& line, const StopArrays& stops,
                    const std::vector<uint32_t>& ends);

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_BUCKETS_STOP_ARRAYS_H_
