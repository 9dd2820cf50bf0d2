// Prints a bucket plan as a picture: frequencies of sizes, bounds of buckets, and the effect of
// more or fewer buckets. Self-contained; follows light and dark mode.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/bucket_axis.h"
#include "report/bucket_facts.h"
#include "report/bucket_svg.h"
#include "report/formats.h"
#include "report/svg_text.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 600;
constexpr SvgPanel kSizes = {64, 108, 872, 300};
constexpr SvgPanel kFrontier = {64, 384, 872, 552};
constexpr size_t kBins = 160;
constexpr size_t kPictureMapRows = 20;
constexpr size_t kMapColumns = 64;
constexpr double kDigit = 6.6;  // pixels, approximate

/// Classes instead of variables, which some SVG viewers do not support.
constexpr std::string_view kStyle = R"(<style>
text{font:12px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1f2328}
.paper{fill:#fff}.head{font-size:17px;font-weight:600}.sub{font-size:13px;fill:#59636e}
.name{font-weight:600}.small{font-size:11px;fill:#59636e}.mark{font-size:11px;fill:#b42318}
.even{fill:#2f6fb3}.odd{fill:#7fb2e5}.cell{fill:#2f6fb3}
.axis{stroke:#8c959f}.grid{stroke:#d8dee4}.bound{stroke:#b42318;stroke-width:1;opacity:.55}
.corner{fill:none;stroke:#b42318;stroke-width:1.6}
.curve{fill:none;stroke:#2f6fb3;stroke-width:2}.later{fill:none;stroke:#59636e;stroke-width:1.5;stroke-dasharray:5 4}
.point{fill:#2f6fb3}.chosen{fill:#b42318}.ladder{fill:#9a6700}.given{font-size:11px;fill:#7d5300}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#0d1117}.sub,.small{fill:#9198a1}.mark{fill:#ff8f85}
.even,.cell{fill:#58a6ff}.odd{fill:#2c5a94}.axis{stroke:#656c76}.grid{stroke:#2a313c}
.bound,.corner{stroke:#ff8f85}.curve{stroke:#58a6ff}.later{stroke:#9198a1}.point{fill:#58a6ff}
.chosen{fill:#ff8f85}.ladder{fill:#d29922}.given{fill:#e3b341}}
</style>
)";

/// Labels along an axis, placed from the right as space permits.
class RoomyLabels {
 public:
  explicit RoomyLabels(double y) : y_(y) {}

  void Add(double x, const std::string& text, std::string& svg) {
    const double half = static_cast<double>(text.size()) * kDigit / 2;
    if (x + half > free_) return;
    svg += SvgLabel("mark", x, y_, "middle", text);
    free_ = x - half - kDigit;
  }

 private:
  double y_;
  double free_ = kWidth;
};

std::string AxisNote(const SizeAxis& axis) {
  return axis.is_logarithmic() ? ", logarithmic axis" : "";
}

std::string Histogram(const BucketReport& report, size_t dim) {
  const SizeAxis axis(report, dim, kBins);
  const std::vector<double> shares = CallShares(report.histogram, dim, axis);
  const std::vector<int64_t> bounds = BoundsOfDim(report, dim);
  const double peak = shares.empty() ? 0 : *std::ranges::max_element(shares);
  std::string svg =
      SvgLabel("small", kSizes.left, kSizes.top - 8, "start",
               "highest bar: " + PercentText(peak) + " of the calls" + AxisNote(axis));
  std::vector<size_t> ends;
  for (const int64_t bound : bounds) ends.push_back(axis.Column(bound));
  const double column = kSizes.Width() / static_cast<double>(axis.columns());
  // One path each for even and odd buckets keeps the file small.
  std::string paths[2];
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0 || peak <= 0) continue;
    const auto bucket = static_cast<size_t>(std::ranges::lower_bound(ends, i) - ends.begin());
    const double height = std::max(shares[i] / peak * kSizes.Height(), 1.0);
    paths[bucket % 2] += "M" + Coordinate(kSizes.left + static_cast<double>(i) * column) + " " +
                         Coordinate(kSizes.bottom) + "v" + Coordinate(-height) + "h" +
                         Coordinate(column * 0.92) + "v" + Coordinate(height) + "z";
  }
  if (!paths[0].empty()) svg += "<path class=\"even\" d=\"" + paths[0] + "\"/>\n";
  if (!paths[1].empty()) svg += "<path class=\"odd\" d=\"" + paths[1] + "\"/>\n";
  svg += SvgLine("axis", kSizes.left, kSizes.bottom, kSizes.right, kSizes.bottom);
  RoomyLabels labels(kSizes.bottom + 18);
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    const double x = kSizes.left + axis.End(*bound) * column;
    svg += SvgLine("bound", x, kSizes.top, x, kSizes.bottom + 5);
    labels.Add(x, std::to_string(*bound), svg);
  }
  return svg;
}

/// Two dims: the first upwards, the second to the right; a bucket covers what is below and left of
/// its corner.
std::string Map(const BucketReport& report) {
  const SizeAxis rows(report, 0, kPictureMapRows);
  const SizeAxis columns(report, 1, kMapColumns);
  std::vector<std::vector<double>> cells(rows.columns(), std::vector<double>(columns.columns()));
  double peak = 0;
  for (const SizeCount& count : report.histogram.counts) {
    double& cell = cells[rows.Column(count.sizes[0])][columns.Column(count.sizes[1])];
    cell += static_cast<double>(count.calls);
    peak = std::max(peak, cell);
  }
  const double width = kSizes.Width() / static_cast<double>(columns.columns());
  const double height = kSizes.Height() / static_cast<double>(rows.columns());
  const std::string note = columns.is_logarithmic() || rows.is_logarithmic()
                               ? ", logarithmic where the sizes reach far"
                               : "";
  std::string svg =
      SvgLabel("small", kSizes.left, kSizes.top - 8, "start",
               "the stronger, the more calls; a bucket holds what is below and left of it" + note);
  for (size_t row = 0; row < cells.size(); ++row) {
    for (size_t column = 0; column < cells[row].size(); ++column) {
      if (cells[row][column] <= 0) continue;
      svg += "<rect class=\"cell\" x=\"" +
             Coordinate(kSizes.left + static_cast<double>(column) * width) + "\" y=\"" +
             Coordinate(kSizes.bottom - static_cast<double>(row + 1) * height) + "\" width=\"" +
             Coordinate(width) + "\" height=\"" + Coordinate(height) + "\" opacity=\"" +
             Coordinate(0.12 + 0.88 * std::sqrt(cells[row][column] / peak)) + "\"/>\n";
    }
  }
  std::string corners;
  for (const Sizes& sizes : report.boundaries) {
    const double x = kSizes.left + columns.End(sizes[1]) * width;
    const double y = kSizes.bottom - rows.End(sizes[0]) * height;
    corners += "M" + Coordinate(x - 9) + " " + Coordinate(y) + "h9v9";
  }
  if (!corners.empty()) svg += "<path class=\"corner\" d=\"" + corners + "\"/>\n";
  svg += SvgLine("axis", kSizes.left, kSizes.bottom, kSizes.right, kSizes.bottom);
  svg += SvgLine("axis", kSizes.left, kSizes.top, kSizes.left, kSizes.bottom);
  RoomyLabels labels(kSizes.bottom + 18);
  const std::vector<int64_t> bounds = BoundsOfDim(report, 1);
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    labels.Add(kSizes.left + columns.End(*bound) * width, std::to_string(*bound), svg);
  }
  double free = 0;  // free space below the previous label
  const std::vector<int64_t> heights = BoundsOfDim(report, 0);
  for (auto bound = heights.rbegin(); bound != heights.rend(); ++bound) {
    const double y = kSizes.bottom - rows.End(*bound) * height + 4;
    if (y < free) continue;
    svg += SvgLabel("mark", kSizes.left - 6, y, "end", std::to_string(*bound));
    free = y + 13;
  }
  return svg;
}

/// A description of the picture for screen readers.
std::string Description(const BucketReport& report) {
  std::string text = "Above: how often which " + DimsText(report) + " came in " +
                     Counted(report.histogram.calls, "call") + ", and where ";
  text += Counted(report.boundaries.size(), "bucket") + " end";
  constexpr size_t kMaxListed = 64;
  if (!report.boundaries.empty() && report.boundaries.size() <= kMaxListed) {
    text += ": ";
    for (size_t i = 0; i < report.boundaries.size(); ++i) {
      text += (i == 0 ? "" : ", ") + SizesText(report.boundaries[i], report.dims);
    }
  }
  return text + ". Below: the padding that is left with more or fewer buckets.";
}

}  // namespace

std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style) {
  const std::string prefix(id);
  const std::string headline = HeadlineText(report);
  const size_t dim = std::clamp<size_t>(report.dims, 1, kMaxSizeDims) - 1;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    Coordinate(kWidth) + " " + Coordinate(kHeight) + "\" width=\"" +
                    Coordinate(kWidth) + "\" height=\"" + Coordinate(kHeight) +
                    "\" role=\"img\" aria-labelledby=\"" + prefix + "title " + prefix + "desc\"" +
                    (id.empty() ? "" : " class=\"plan\"") + ">\n";
  svg += "<title id=\"" + prefix + "title\">" + XmlText(headline) + "</title>\n";
  svg += "<desc id=\"" + prefix + "desc\">" + XmlText(Description(report)) + "</desc>\n";
  svg += style;
  svg += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  svg += SvgLabel("head", 28, 36, "start", headline);
  svg += SvgLabel("sub", 28, 58, "start", LadderHeadline(report));
  svg += SvgLabel("name", 28, kSizes.top - 26, "start",
                  Counted(report.histogram.calls, "call") + " by " + DimsText(report));
  if (!report.histogram.counts.empty()) {
    svg += report.dims == 2 ? Map(report) : Histogram(report, dim);
  }
  svg += SvgLabel("name", 28, kFrontier.top - 26, "start", "Padding by number of buckets");
  return svg + SvgFrontier(report, kFrontier) + "</svg>\n";
}

void WriteBucketSvg(const BucketReport& report, const ReportOptions& /*options*/,
                    llvm::raw_ostream& out) {
  out << BucketSvg(report, "", kStyle);
}

}  // namespace shapewise
