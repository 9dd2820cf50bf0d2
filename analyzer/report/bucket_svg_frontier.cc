#include "report/bucket_svg.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/bucket_facts.h"
#include "report/svg_text.h"

namespace shapewise {
namespace {

/// Smaller padding is drawn at this value, because a logarithmic axis needs a lower end.
constexpr double kLeast = 1e-3;
constexpr double kLine = 14;     // pixels between two labels
constexpr double kLetter = 6.2;  // pixels, approximate
constexpr double kLegendLetter = 5.9;

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
    double last = panel_.bottom + 2 * kLine;
    for (double decade = 1e-3; decade < 1e6; decade *= 10) {
      for (const double step : {1.0, 2.0, 5.0}) {
        const double padding = decade * step;
        if (padding < low_ || padding > high_) continue;
        const double y = Y(padding);
        if (last - y < 1.5 * kLine) continue;
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
    Box box{is_left ? panel_.right - width : x + 9, is_left ? y - 1.8 * kLine : y - 6, width};
    const auto overlaps = [&](const Box& other) {
      return box.x < other.x + other.width && other.x < box.x + box.width &&
             std::abs(box.y - other.y) < kLine;
    };
    while (std::ranges::any_of(labels_, overlaps) && box.y > panel_.top - kLine) box.y -= kLine;
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

std::string SvgFrontier(const BucketReport& report, const SvgPanel& panel) {
  return FrontierDrawing(report, panel).Svg();
}

}  // namespace shapewise
