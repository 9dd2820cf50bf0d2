// Draws padding by number of buckets as a curve in SVG.

#ifndef SHAPEWISE_REPORT_BUCKET_SVG_FRONTIER_H_
#define SHAPEWISE_REPORT_BUCKET_SVG_FRONTIER_H_

#include <string>

#include "shapewise/result/bucket_report.h"

namespace shapewise {

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

#endif  // SHAPEWISE_REPORT_BUCKET_SVG_FRONTIER_H_
