// What several forms of a plan of buckets tell: numbers in words, and who serves which calls.

#ifndef SHAPEWISE_REPORT_BUCKET_FACTS_H_
#define SHAPEWISE_REPORT_BUCKET_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// A share in words: "0.33 %", "9.8 %", "412 %"; "unknown" if it is no finite number.
std::string PercentText(double share);
std::string PercentText(const std::optional<double>& share);  ///< empty if absent

/// How many times as much: "1.25x", "12.3x", "7028x"; "unknown" if it is no finite number.
std::string FactorText(double factor);

/// Seconds in words, from "3.2 us" to "4.5 days"; "unknown" if it is no finite number.
std::string DurationText(double seconds);
std::string DurationText(const std::optional<double>& seconds);  ///< empty if absent

/// Whether costs say more than padding does.
bool HasCosts(const BucketReport& report);

/// "128", "8x128"
std::string SizesText(const Sizes& sizes, size_t dims);

/// What the dims are called: "length", "batch x length"; "size" where no name is known.
std::string DimsText(const BucketReport& report);

/// What one bucket of the plan serves.
struct BucketUse {
  Sizes sizes{1, 1, 1};
  std::optional<uint64_t> calls;
  std::optional<double> padding;  ///< within it; absent: who serves which call is not told
};

/// One for each of report.boundaries. In one dim a call is served by the next larger bucket; in
/// more dims by the smallest one that holds it, which is told only where the planner's own counts
/// agree.
std::vector<BucketUse> BucketUses(const BucketReport& report);

/// The size that half of the calls do not exceed in dim `dim`; 0: no call.
int64_t MedianSize(const SizeHistogram& histogram, size_t dim);

/// The plan by the cost of a call, ascending: a call runs at the first bucket that holds it.
std::vector<Sizes> CheapestFirst(const BucketReport& report);

/// Whether what is served so is padded to the last of its sizes.
bool IsPadded(ServingKind kind);

/// Mode kMixed: the sizes that have a static graph or a capture, ascending. Where report.served
/// does not tell, all of report.boundaries.
std::vector<int64_t> MixedBuckets(const BucketReport& report);

/// The ladder that the plan is best told against: the first of those that our buckets equal with
/// fewer graphs; null: there is none.
const LadderComparison* HeadlineLadder(const BucketReport& report);

/// The plan in one line: "11 buckets: 9.8 % padding (9.9 % on held-out calls)".
std::string HeadlineText(const BucketReport& report);

/// "vllm's 51 sizes have 10.1 %: same waste with 11 graphs instead of 51"; empty: not so.
std::string LadderHeadline(const BucketReport& report);

/// What holds of the whole but is no table: held-out calls, drift, censored, calls out of range.
/// One sentence each.
std::vector<std::string> BucketNotes(const BucketReport& report);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_FACTS_H_
