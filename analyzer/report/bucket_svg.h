// Draws a bucket plan: sizes and bounds of buckets on top, the frontier below.

#ifndef SHAPEWISE_REPORT_BUCKET_SVG_H_
#define SHAPEWISE_REPORT_BUCKET_SVG_H_

#include <string>
#include <string_view>

#include "result/bucket_report.h"

namespace shapewise {

/// An <svg> element with all input texts escaped. `id`: prefix of its ids, so that several can be
/// on one page, which then styles the class "plan"; empty: standalone. `style`: a <style> element,
/// or empty.
std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style);

/// A part of the picture, in pixels.
struct SvgPanel {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  constexpr double Width() const { return right - left; }
  constexpr double Height() const { return bottom - top; }
};

/// The frontier of `report` with the chosen point and the ladders, on logarithmic axes; empty if
/// there is nothing to show.
std::string SvgFrontier(const BucketReport& report, const SvgPanel& panel);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_SVG_H_
