// Drawings of a bucket plan: how often each size occurred, where buckets end, and the frontier.

#ifndef SHAPEWISE_REPORT_BUCKET_DRAWING_H_
#define SHAPEWISE_REPORT_BUCKET_DRAWING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "report/report.h"
#include "result/bucket_report.h"

namespace shapewise {

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

#endif  // SHAPEWISE_REPORT_BUCKET_DRAWING_H_
