// Prints a bucket plan as a picture: frequencies of sizes, bounds of buckets, and the effect of
// more or fewer buckets. Self-contained; follows light and dark mode.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/bucket_facts.h"
#include "report/formats.h"
#include "report/html_out.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

/// A part of the picture, in pixels.
struct SvgPanel {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  constexpr double Width() const { return right - left; }
  constexpr double Height() const { return bottom - top; }
};

constexpr double kDrawingWidth = 900;
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
  double free_ = kDrawingWidth;
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
    text += ": " + Joined(report.boundaries, ", ",
                          [&](const Sizes& sizes) { return SizesText(sizes, report.dims); });
  }
  return text + ". Below: the padding that is left with more or fewer buckets.";
}

/// Smaller padding is drawn at this value, because a logarithmic axis needs a lower end.
constexpr double kLeast = 1e-3;
constexpr double kLabelPitch = 14;  // pixels between two labels
constexpr double kLetter = 6.2;     // pixels, approximate
constexpr double kLegendLetter = 5.9;

/// The frontier of a report with the chosen point and the ladders, on logarithmic axes; empty if
/// there is nothing to show.
class FrontierDrawing {
 public:
  FrontierDrawing(const BucketReport& report, const SvgPanel& panel)
      : report_(report), panel_(panel) {
    for (const BucketPoint& point : report.frontier) {
      Reach(point.buckets, point.padding.train);
      if (point.padding.holdout) Reach(point.buckets, *point.padding.holdout);
    }
    if (most_buckets_ == 0) return;
    for (const LadderComparison& ladder : report.ladders) Reach(ladder.used, ladder.padding.train);
  }

  std::string Svg() {
    if (most_buckets_ == 0) return {};
    low_ = std::max(low_ / 1.15, kLeast);
    high_ = std::max(high_ * 1.15, low_ * 4);
    KeepMarksFree();
    return Grid() + Curve("later", true) + Curve("curve", false) + Ladders() + Chosen() + Legend();
  }

 private:
  void Reach(size_t buckets, double padding) {
    if (!std::isfinite(padding)) return;
    most_buckets_ = std::max(most_buckets_, buckets);
    const double drawn = std::max(padding, kLeast);
    low_ = is_empty_ ? drawn : std::min(low_, drawn);
    high_ = is_empty_ ? drawn : std::max(high_, drawn);
    is_empty_ = false;
  }

  double X(double buckets) const {
    const double span = std::log(std::max<double>(static_cast<double>(most_buckets_), 2));
    return panel_.left + std::log(std::max(buckets, 1.0)) / span * panel_.Width();
  }
  double Y(double padding) const {
    const double share = std::log(std::max(padding, low_) / low_) / std::log(high_ / low_);
    return panel_.bottom - std::min(share, 1.0) * panel_.Height();
  }

  std::string Grid() {
    std::string svg;
    double last = panel_.bottom + 2 * kLabelPitch;
    for (double decade = 1e-3; decade < 1e6; decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        const double padding = decade * step;
        if (padding < low_ || padding > high_) continue;
        const double y = Y(padding);
        if (last - y < 1.5 * kLabelPitch) continue;
        last = y;
        svg += SvgLine("grid", panel_.left, y, panel_.right, y);
        svg += SvgLabel("small", panel_.left - 8, y + 4, "end", Coordinate(padding * 100) + " %");
      }
    }
    svg += SvgLine("axis", panel_.left, panel_.bottom, panel_.right, panel_.bottom);
    double free = panel_.left - 1;
    for (double buckets = 1; buckets <= static_cast<double>(most_buckets_); buckets *= 2) {
      const double x = X(buckets);
      if (x < free) continue;
      svg += SvgLine("axis", x, panel_.bottom, x, panel_.bottom + 5);
      svg += SvgLabel("small", x, panel_.bottom + 18, "middle", Coordinate(buckets));
      free = x + 3 * kLetter;
    }
    return svg;
  }

  std::string Curve(std::string_view style, bool is_holdout) const {
    std::string points;
    for (const BucketPoint& point : report_.frontier) {
      if (is_holdout && !point.padding.holdout) continue;
      const double padding = is_holdout ? *point.padding.holdout : point.padding.train;
      if (!std::isfinite(padding)) continue;
      points += (points.empty() ? "" : " ") + Coordinate(X(static_cast<double>(point.buckets))) +
                "," + Coordinate(Y(padding));
    }
    if (points.empty()) return {};
    return "<polyline class=\"" + std::string(style) + "\" points=\"" + points + "\"/>\n";
  }

  const BucketPoint* ChosenPoint() const {
    if (report_.chosen >= report_.frontier.size() || report_.boundaries.empty()) return nullptr;
    return &report_.frontier[report_.chosen];
  }

  /// Labels must not cover marks.
  void KeepMarksFree() {
    const auto keep = [&](size_t buckets, double padding) {
      labels_.push_back({X(static_cast<double>(buckets)) - 5, Y(padding) + 4, 10});
    };
    for (const LadderComparison& ladder : report_.ladders) keep(ladder.used, ladder.padding.train);
    if (const BucketPoint* point = ChosenPoint()) keep(point->buckets, point->padding.train);
  }

  std::string Chosen() {
    const BucketPoint* chosen = ChosenPoint();
    if (chosen == nullptr) return {};
    const BucketPoint& point = *chosen;
    const double x = X(static_cast<double>(point.buckets));
    const double y = Y(point.padding.train);
    return "<circle class=\"chosen\" cx=\"" + Coordinate(x) + "\" cy=\"" + Coordinate(y) +
           "\" r=\"5\"/>\n" +
           Label(
               "mark", x, y,
               "plan: " + std::to_string(point.buckets) + ", " + PercentText(point.padding.train));
  }

  std::string Ladders() {
    std::string svg;
    for (const LadderComparison& ladder : report_.ladders) {
      if (!std::isfinite(ladder.padding.train) || ladder.used == 0) continue;
      const double x = X(static_cast<double>(ladder.used));
      const double y = Y(ladder.padding.train);
      svg += "<path class=\"ladder\" d=\"M" + Coordinate(x) + " " + Coordinate(y - 5) +
             "l5 5l-5 5l-5-5z\"/>\n";
      constexpr size_t kMaxName = 24;
      std::string name = ladder.name.substr(0, kMaxName);
      svg += Label(
          "given", x, y,
          name + ": " + std::to_string(ladder.used) + ", " + PercentText(ladder.padding.train));
    }
    return svg;
  }

  /// Places a label right of and above a mark, moved up until it covers no other mark; at the right
  /// end, directly above it.
  std::string Label(std::string_view style, double x, double y, const std::string& text) {
    const double width = static_cast<double>(text.size()) * kLetter;
    const bool is_left = x + width + 10 > panel_.right;
    // The curve falls, so it is higher on the left of a mark.
    Box box{is_left ? panel_.right - width : x + 9, is_left ? y - 1.8 * kLabelPitch : y - 6, width};
    const auto overlaps = [&](const Box& other) {
      return box.x < other.x + other.width && other.x < box.x + box.width &&
             std::abs(box.y - other.y) < kLabelPitch;
    };
    while (std::ranges::any_of(labels_, overlaps) && box.y > panel_.top - kLabelPitch)
      box.y -= kLabelPitch;
    labels_.push_back(box);
    return SvgLabel(style, is_left ? panel_.right : x + 9, box.y, is_left ? "end" : "start", text);
  }

  std::string Legend() const {
    const bool has_holdout = std::ranges::any_of(report_.frontier, [](const BucketPoint& point) {
      return point.padding.holdout.has_value();
    });
    const double y = panel_.top - 30;
    std::string svg;
    double x = panel_.right;
    const auto add = [&](std::string_view style, const std::string& text) {
      svg += SvgLabel("small", x, y + 4, "end", text);
      x -= static_cast<double>(text.size()) * kLegendLetter + 34;
      svg += SvgLine(style, x, y, x + 26, y);
      x -= 18;
    };
    if (has_holdout) add("later", "held-out calls");
    add("curve", "planned on");
    return svg;
  }

  struct Box {
    double x = 0;
    double y = 0;
    double width = 0;
  };

  const BucketReport& report_;
  const SvgPanel& panel_;
  size_t most_buckets_ = 0;
  bool is_empty_ = true;
  double low_ = 0;  // padding at the ends of the axis
  double high_ = 0;
  std::vector<Box> labels_;
};

}  // namespace

std::string BucketSvg(const BucketReport& report, std::string_view id, std::string_view style) {
  const std::string prefix(id);
  const std::string headline = HeadlineText(report);
  const size_t dim = std::clamp<size_t>(report.dims, 1, kMaxSizeDims) - 1;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    Coordinate(kDrawingWidth) + " " + Coordinate(kHeight) + "\" width=\"" +
                    Coordinate(kDrawingWidth) + "\" height=\"" + Coordinate(kHeight) +
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
  return svg + FrontierDrawing(report, kFrontier).Svg() + "</svg>\n";
}

void WriteBucketSvg(const BucketReport& report, const ReportOptions& /*options*/,
                    llvm::raw_ostream& out) {
  out << BucketSvg(report, "", kStyle);
}

}  // namespace shapewise
