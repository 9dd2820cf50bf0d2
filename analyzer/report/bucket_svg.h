// Draws a bucket plan: sizes and bounds of buckets on top, the frontier below.

#ifndef SHAPEWISE_REPORT_BUCKET_SVG_H_
#define SHAPEWISE_REPORT_BUCKET_SVG_H_

#include <string>
#include <string_view>

#include "shapewise/result/bucket_report.h"

namespace shapewise {

/// An <svg> element with all input texts escaped. `id`: prefix of its ids, so that several can be
/// on one page, which then styles the class "plan"; empty: standalone. `style`: a <style> element,
/// or empty.
std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_SVG_H_
