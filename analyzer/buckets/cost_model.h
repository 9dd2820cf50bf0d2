// The cost of a call by size: from a formula, or measured.

#ifndef SHAPEWISE_BUCKETS_COST_MODEL_H_
#define SHAPEWISE_BUCKETS_COST_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost_curve.h"
#include "model/size_history.h"
#include "support/error.h"

namespace shapewise {

/// The cost of one call of a static graph on `rows` rows of `length` elements (a batch of
/// sequences). S is the length, E = rows * length, and E*S the growth of attention over each row.
///
///   padding             E
///   linear[:A,B]        A + B*E                A, B in seconds; without them: E
///   quadratic:A,B,C     A + B*E + C*E*S
///   tile:A,B,C,T        A + B*ceil(E/T)*T + C*E*S       work is done in tiles of T elements
///   a measured curve    linear between the points (one dim only)
class CostModel {
 public:
  /// Counts padding only.
  CostModel() = default;
  /// Parses one of the formulas above. Error: names the nearest form, or the part that is not a
  /// number.
  static Expected<CostModel> Parse(std::string_view text);
  /// Interpolates between measured points. Below the first point the cost is constant; beyond the
  /// last it continues the line through the last two. Error: no points, or one that is not positive
  /// and finite.
  static Expected<CostModel> OfCurve(CostCurve curve);

  /// Seconds, or a relative cost if !IsInSeconds(). A measured curve ignores `rows`: they are the
  /// rows it was measured with.
  double Of(int64_t rows, int64_t length) const;
  /// The same for `dims` sizes: the last is the length, the product of the others the rows; one
  /// size is a length of `rows` rows.
  double Of(const Sizes& sizes, size_t dims, int64_t rows = 1) const;
  bool IsInSeconds() const { return in_seconds_; }
  /// Whether costs are counts of elements, which are whole numbers.
  bool IsPaddingOnly() const { return kind_ == Kind::kPadding; }
  /// The points of a measured curve. Costs may fall only between and beyond them. Empty: costs
  /// never fall.
  const std::vector<CostPoint>& points() const { return curve_.points; }
  /// For people: "quadratic: 0.001 s + ...".
  std::string Describe() const;

 private:
  enum class Kind : uint8_t { kPadding, kLinear, kQuadratic, kTile, kCurve };
  Kind kind_ = Kind::kPadding;
  bool in_seconds_ = false;
  double constant_ = 0;
  double per_element_ = 1;
  double per_square_ = 0;
  double tile_ = 1;
  CostCurve curve_;
};

/// The relative error of measured costs.
struct CostNoise {
  double share = 0;          ///< 0.06: up to 6 %; 0: no sign of any error
  bool is_reported = false;  ///< given with the measurements; else estimated from costs that fall
};

/// Returns the median of the spreads given with the points. If none are given, the estimate rests
/// on the fact that a larger call does not take less time: a monotone curve is fitted to the
/// logarithms of the costs of each mode (least squares), and the largest distance of a point from
/// it is a lower bound of the error, at most 100 %. Falls of up to 1 % are ignored.
CostNoise NoiseOf(const CostCurve& curve);

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_COST_MODEL_H_
