// A plan of buckets as a drawing: the sizes with the buckets' ends above, the frontier below.

#ifndef SHAPEWISE_REPORT_BUCKET_SVG_H_
#define SHAPEWISE_REPORT_BUCKET_SVG_H_

#include <string>
#include <string_view>

#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// An <svg> element in which every text of an input is escaped. `id`: what ids in it begin with, so
/// that several can stand on one page, which then styles the class "plan"; empty: it stands alone.
/// `style`: a <style> element, or nothing.
std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_SVG_H_
