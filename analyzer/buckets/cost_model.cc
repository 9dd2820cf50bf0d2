#include "buckets/cost_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "support/median.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kForms =
    "padding, linear, linear:A,B, quadratic:A,B,C or tile:A,B,C,T (numbers not negative)";

Error BadModel(std::string_view text, const std::string& why) {
  return MakeError("'" + std::string(text) + "' is no cost model: " + why + "; expected " +
                   std::string(kForms));
}

/// The numbers in "1,2.5,3"; empty if one is negative or not finite.
std::vector<double> NumbersOf(std::string_view text) {
  std::vector<double> numbers;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view part = Trim(text.substr(0, end));
    double number = 0;
    if (llvm::StringRef(part.data(), part.size()).getAsDouble(number) || !std::isfinite(number) ||
        number < 0) {
      return {};
    }
    numbers.push_back(number);
    if (end == text.size()) return numbers;
    text.remove_prefix(end + 1);
  }
}

std::string NumberText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

/// Costs with larger errors are meaningless.
constexpr double kMostNoise = 1;
/// Smaller falls are not evidence of noise.
constexpr double kSmallFall = 0.01;

/// Adjacent points with equal values on the monotone curve.
struct Level {
  double sum = 0;
  size_t points = 0;
  double Mean() const { return sum / static_cast<double>(points); }
};

/// The largest distance of a value from the closest monotone curve; 0 if no value falls by more
/// than the tolerance. The curve is found by the pool-adjacent-violators algorithm (Ayer et al.,
/// 1955): falling neighbours are replaced by their mean until none is left.
double ResidualOf(const std::vector<double>& values) {
  double highest = values.empty() ? 0 : values.front();
  double fall = 0;
  std::vector<Level> levels;
  for (const double value : values) {
    highest = std::max(highest, value);
    fall = std::max(fall, highest - value);
    levels.push_back({.sum = value, .points = 1});
    while (levels.size() > 1 && levels[levels.size() - 2].Mean() > levels.back().Mean()) {
      const Level last = levels.back();
      levels.pop_back();
      levels.back().sum += last.sum;
      levels.back().points += last.points;
    }
  }
  if (fall <= -std::log1p(-kSmallFall)) return 0;
  double residual = 0;
  size_t at = 0;
  for (const Level& level : levels) {
    for (size_t i = 0; i < level.points; ++i, ++at) {
      residual = std::max(residual, std::abs(values[at] - level.Mean()));
    }
  }
  return residual;
}

}  // namespace

Expected<CostModel> CostModel::Parse(std::string_view text) {
  const std::string_view all = Trim(text);
  const size_t colon = std::min(all.find(':'), all.size());
  const std::string_view name = all.substr(0, colon);
  CostModel model;
  size_t expected = 0;
  if (name == "padding") {
    model.kind_ = Kind::kPadding;
  } else if (name == "linear") {
    model.kind_ = Kind::kLinear;
    expected = 2;
  } else if (name == "quadratic") {
    model.kind_ = Kind::kQuadratic;
    expected = 3;
  } else if (name == "tile") {
    model.kind_ = Kind::kTile;
    expected = 4;
  } else {
    return BadModel(text, "there is no '" + std::string(name) + "'");
  }
  if (colon == all.size()) {
    if (expected > 2) return BadModel(text, "its numbers are missing");
    return model;
  }
  const std::vector<double> numbers = NumbersOf(all.substr(colon + 1));
  if (numbers.empty()) return BadModel(text, "a part of it is no number");
  if (numbers.size() != expected) {
    return BadModel(text, "it takes " + std::to_string(expected) + " numbers, not " +
                              std::to_string(numbers.size()));
  }
  model.in_seconds_ = true;
  model.constant_ = numbers[0];
  model.per_element_ = numbers[1];
  if (expected > 2) model.per_square_ = numbers[2];
  if (expected > 3) model.tile_ = numbers[3];
  if (model.tile_ < 1) return BadModel(text, "a tile has at least one element");
  if (numbers[0] + numbers[1] + model.per_square_ <= 0) return BadModel(text, "it costs nothing");
  return model;
}

Expected<CostModel> CostModel::OfCurve(CostCurve curve) {
  if (curve.points.empty()) return MakeError("a cost curve without a point");
  for (size_t i = 0; i < curve.points.size(); ++i) {
    const CostPoint& point = curve.points[i];
    if (!std::isfinite(point.seconds) || point.seconds <= 0) {
      return MakeError("the cost of size " + std::to_string(point.size) +
                       " is no positive number of seconds");
    }
    if (i > 0 && point.size <= curve.points[i - 1].size) {
      return MakeError("the sizes of a cost curve have to ascend");
    }
  }
  CostModel model;
  model.kind_ = Kind::kCurve;
  model.in_seconds_ = true;
  model.curve_ = std::move(curve);
  return model;
}

double CostModel::Of(int64_t rows, int64_t length) const {
  const auto elements = static_cast<double>(rows) * static_cast<double>(length);
  const double square = elements * static_cast<double>(length);
  switch (kind_) {
    case Kind::kPadding:
    case Kind::kLinear:
      return constant_ + (per_element_ * elements);
    case Kind::kQuadratic:
      return constant_ + (per_element_ * elements) + (per_square_ * square);
    case Kind::kTile:
      return constant_ + (per_element_ * std::ceil(elements / tile_) * tile_) +
             (per_square_ * square);
    case Kind::kCurve:
      break;
  }
  const std::vector<CostPoint>& points = curve_.points;
  const auto after = std::ranges::lower_bound(points, length, {}, &CostPoint::size);
  if (after == points.begin()) return points.front().seconds;
  if (after == points.end() && points.size() == 1) return points.back().seconds;
  const auto right = after == points.end() ? std::prev(after) : after;
  const auto left = std::prev(right);
  const double share =
      static_cast<double>(length - left->size) / static_cast<double>(right->size - left->size);
  // Clamped, so that rounding cannot exceed either end.
  const double seconds = std::lerp(left->seconds, right->seconds, share);
  // A falling line would become negative beyond the last point, so no call is assumed cheaper than
  // the last measured one.
  return after == points.end() ? std::max(seconds, points.back().seconds) : seconds;
}

double CostModel::Of(const Sizes& sizes, size_t dims, int64_t rows) const {
  if (dims > 1) rows = 1;
  for (size_t dim = 0; dim + 1 < dims; ++dim) rows *= sizes[dim];
  return Of(rows, sizes[dims - 1]);
}

std::string CostModel::Describe() const {
  const std::string constant = NumberText(constant_) + " s";
  const std::string linear = constant + " + " + NumberText(per_element_) + " s an element";
  const std::string square = " + " + NumberText(per_square_) + " s an element and length";
  switch (kind_) {
    case Kind::kPadding:
      return "padding only: every element costs the same";
    case Kind::kLinear:
      return in_seconds_ ? "linear: " + linear : "linear: every element costs the same";
    case Kind::kQuadratic:
      return "quadratic: " + linear + square;
    case Kind::kTile:
      return "tiles of " + NumberText(tile_) + " elements: " + linear + square;
    case Kind::kCurve:
      return "measured at " + Counted(curve_.points.size(), "size");
  }
  return {};
}

CostNoise NoiseOf(const CostCurve& curve) {
  std::vector<double> spreads;
  for (const CostPoint& point : curve.points) {
    if (point.spread) spreads.push_back(*point.spread);
  }
  if (!spreads.empty()) return {.share = MedianOf(spreads), .is_reported = true};
  const auto residual_of = [&](const auto& cost_of) {
    std::vector<double> logarithms;
    for (const CostPoint& point : curve.points) {
      const std::optional<double> cost = cost_of(point);
      if (cost && *cost > 0) logarithms.push_back(std::log(*cost));
    }
    return ResidualOf(logarithms);
  };
  double residual =
      residual_of([](const CostPoint& point) { return std::optional(point.seconds); });
  for (const auto column :
       {&CostPoint::dynamic, &CostPoint::aligned, &CostPoint::captured, &CostPoint::eager}) {
    residual =
        std::max(residual, residual_of([&](const CostPoint& point) { return point.*column; }));
  }
  return {.share = std::min(std::expm1(residual), kMostNoise), .is_reported = false};
}

}  // namespace shapewise
