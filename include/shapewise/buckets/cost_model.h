// What a call of a size costs: assumed by a formula, or measured.

#ifndef SHAPEWISE_BUCKETS_COST_MODEL_H_
#define SHAPEWISE_BUCKETS_COST_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/model/cost_curve.h"
#include "shapewise/model/size_history.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The cost of one call of a static graph of `rows` rows of `length` elements (a batch of
/// sequences): S is the length, E = rows * length, and E*S what attention over each row grows with.
///
///   padding             E
///   linear[:A,B]        A + B*E                A, B in seconds; without them: E
///   quadratic:A,B,C     A + B*E + C*E*S
///   tile:A,B,C,T        A + B*ceil(E/T)*T + C*E*S       work comes in tiles of T elements
///   a measured curve    linear between the points (one dim only)
class CostModel {
 public:
  /// Padding only.
  CostModel() = default;
  /// One of the formulas above. Error: names the nearest form, or the part that is no number.
  static Expected<CostModel> Parse(std::string_view text);
  /// Interpolates between measured points; below the first its cost, beyond the last on along the
  /// line of the last two. Error: no point, or one that is not positive and finite.
  static Expected<CostModel> OfCurve(CostCurve curve);

  /// Seconds, or a relative cost if !IsInSeconds(). A measured curve was measured at its own rows:
  /// it looks at the length only.
  double Of(int64_t rows, int64_t length) const;
  /// The same where the last of `dims` sizes is the length, the product of the others the rows.
  double Of(const Sizes& sizes, size_t dims) const;
  bool IsInSeconds() const { return in_seconds_; }
  /// Nothing but elements is counted: costs are whole numbers.
  bool IsPaddingOnly() const { return kind_ == Kind::kPadding; }
  /// Of a measured curve: only between and beyond these may costs fall. Empty: they never do.
  const std::vector<CostPoint>& points() const { return curve_.points; }
  /// As a person reads it: "quadratic: 0.001 s + ...".
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

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_COST_MODEL_H_
