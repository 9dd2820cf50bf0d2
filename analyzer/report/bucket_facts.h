// Facts about a bucket plan shared by several formats: numbers in words, and which bucket serves
// which calls. The columns and axes of its drawings.

#ifndef SHAPEWISE_REPORT_BUCKET_FACTS_H_
#define SHAPEWISE_REPORT_BUCKET_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/report.h"
#include "result/bucket_report.h"

namespace shapewise {

/// Whether costs contain more than padding.
bool HasCosts(const BucketReport& report);

/// "3000 calls"; in a log of misses, "12 cache misses".
std::string CallsText(const BucketReport& report);

/// "128", "8x128"
std::string SizesText(const Sizes& sizes, size_t dims);

/// The names of the dims: "length", "batch x length"; "size" if unknown.
std::string DimsText(const BucketReport& report);

/// What one bucket of the plan serves.
struct BucketUse {
  Sizes sizes{1, 1, 1};
  std::optional<uint64_t> calls;
  std::optional<double> padding;  ///< within it; absent: unknown which calls it serves
};

/// One for each of report.boundaries. In one dim a call is served by the next larger bucket. In
/// several dims it is served by the smallest bucket that fits, which is only stated if it agrees
/// with the planner's counts.
std::vector<BucketUse> BucketUses(const BucketReport& report);

/// One for each of report.served.
std::vector<BucketUse> ServedUses(const BucketReport& report);

/// The median size of the calls in dim `dim`; 0: no calls.
int64_t MedianSize(const SizeHistogram& histogram, size_t dim);

/// The plan sorted by the cost of a call: a call runs at the first bucket that fits.
std::vector<Sizes> CheapestFirst(const BucketReport& report);

/// Mode kMixed: sizes with a static graph or a capture, ascending. Without report.served, all of
/// report.boundaries.
std::vector<int64_t> MixedBuckets(const BucketReport& report);

/// The ladder for comparison with the plan: the first one that our buckets match with fewer graphs;
/// null: none.
const LadderComparison* HeadlineLadder(const BucketReport& report);

/// The plan in one line: "11 buckets: 9.8 % padding (9.9 % on held-out calls)".
std::string HeadlineText(const BucketReport& report);

/// "vllm's 51 sizes have 10.1 %: same waste with 11 graphs instead of 51"; empty: no such ladder.
std::string LadderHeadline(const BucketReport& report);

/// Remarks on the whole plan outside of tables, one sentence each: held-out calls, drift,
/// incomplete logs, calls out of range.
std::vector<std::string> BucketNotes(const BucketReport& report);

/// One dim: a number; more: a list.
nlohmann::ordered_json SizesJson(size_t dims, const Sizes& sizes);
nlohmann::ordered_json ServedJson(const ServedSizes& served);

/// Columns of equal width on a linear or logarithmic axis of sizes.
class SizeAxis {
 public:
  /// An axis for dim `dim` of `report` with at most `columns` columns, and on a linear axis at most
  /// one per size. Logarithmic if the largest size is far above the median.
  SizeAxis(const BucketReport& report, size_t dim, size_t columns);

  bool is_logarithmic() const { return is_logarithmic_; }
  size_t columns() const { return columns_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

  /// Where `size` ends on the axis: above 0, at most columns().
  double End(int64_t size) const { return Place(static_cast<double>(size) + 1); }
  /// Where it begins, from 0.
  double Begin(int64_t size) const { return Place(static_cast<double>(size)); }
  /// The column in which `size` ends.
  size_t Column(int64_t size) const;

 private:
  double Place(double size) const;

  bool is_logarithmic_ = false;
  size_t columns_ = 1;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

/// The share of the calls in each column of `axis`; a size wider than a column is spread evenly
/// over its columns.
std::vector<double> CallShares(const SizeHistogram& histogram, size_t dim, const SizeAxis& axis);

/// The bounds of the plan in dim `dim`, ascending and distinct.
std::vector<int64_t> BoundsOfDim(const BucketReport& report, size_t dim);

/// An <svg> element with all input texts escaped. `id`: prefix of its ids, so that several can be
/// on one page, which then styles the class "plan"; empty: standalone. `style`: a <style> element,
/// or empty.
std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style);

/// Draws how often each size occurred and where the buckets end: bars over a line for one dim, a
/// map for two, and the last dim for three. Draws nothing if there are no calls.
void DrawBuckets(const BucketReport& report, const ReportOptions& options, Document& page);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_FACTS_H_
