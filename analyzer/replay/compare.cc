#include "replay/compare.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace shapewise::replay {
namespace {

constexpr double kRoundings = 64;
/// Roundings for short types: kernels accumulate in a longer type and round the result.
constexpr double kRoundingsOfShort = 4;

double UsualTolerance(c10::ScalarType dtype) {
  switch (dtype) {
    case c10::kDouble:
    case c10::kComplexDouble:
      return kRoundings * std::numeric_limits<double>::epsilon();
    case c10::kHalf:
      return kRoundingsOfShort / 1024;
    case c10::kBFloat16:
      return kRoundingsOfShort / 128;
    case c10::kFloat:
    case c10::kComplexFloat:
      return kRoundings * std::numeric_limits<float>::epsilon();
    default:
      return 0;
  }
}

/// The largest of finite `magnitudes` that is not an outlier. The largest value is an outlier if
/// several elements have it, and so is any value above kOutlier times the lowest decile. Masks put
/// numbers such as -1e9 into tensors, relative to which any other difference would be small.
double UsualMagnitude(at::Tensor magnitudes) {
  // A tenth of normally distributed numbers is within an eighth of a standard deviation, so 40
  // times that is five standard deviations, which is hardly ever exceeded.
  constexpr double kOutlier = 40;
  magnitudes = magnitudes.masked_select(magnitudes != 0);
  if (magnitudes.numel() == 0) return 0;
  const at::Tensor is_largest = magnitudes == magnitudes.max();
  if (is_largest.sum().item().toLong() > 1) {
    magnitudes = magnitudes.masked_select(is_largest.logical_not());
    if (magnitudes.numel() == 0) return 0;
  }
  const at::Tensor least_tenth = std::get<0>(magnitudes.kthvalue(1 + magnitudes.numel() / 10));
  return std::min(magnitudes.max().item().toDouble(), kOutlier * least_tenth.item().toDouble());
}

at::Tensor AsHostTensor(const Value& value) {
  const at::Tensor tensor =
      value.IsTensor() ? value.AsTensor() : at::scalar_tensor(value.AsScalar(), c10::kDouble);
  return tensor.cpu();
}

}  // namespace

Comparison Compare(const Value& expected, const Value& got, std::optional<double> tolerance) {
  Comparison comparison;
  if (expected.IsNone() && got.IsNone()) return {true, true, {}, {}};
  const bool are_numbers =
      (expected.IsTensor() || expected.IsNumber()) && (got.IsTensor() || got.IsNumber());
  if (!are_numbers) {
    comparison.why = expected.KindName() + " beside " + got.KindName();
    return comparison;
  }
  const at::Tensor a = AsHostTensor(expected);
  const at::Tensor b = AsHostTensor(got);
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) {
    comparison.why = "another shape or dtype";
    return comparison;
  }
  if (a.numel() == 0) return {true, true, {}, {}};
  const auto wide = a.is_complex() ? c10::kComplexDouble : c10::kDouble;
  const at::Tensor x = a.to(wide);
  const at::Tensor y = b.to(wide);
  const at::Tensor same = (x == y).logical_or(at::isnan(x).logical_and(at::isnan(y)));
  const at::Tensor both_finite = at::isfinite(x).logical_and(at::isfinite(y));
  const at::Tensor error = at::where(both_finite, (x - y).abs(), at::zeros_like(x.abs()));
  const at::Tensor magnitude = at::where(at::isfinite(x), x.abs(), at::zeros_like(x.abs()));
  const double scale = std::max(1.0, UsualMagnitude(magnitude.flatten()));
  comparison.identical = same.all().item().toBool();
  if (both_finite.any().item().toBool()) {
    comparison.max_abs_error = error.max().item().toDouble();
  }
  const at::Tensor allowed =
      magnitude.clamp_min(scale) * tolerance.value_or(UsualTolerance(a.scalar_type()));
  const at::Tensor near = both_finite.logical_and(error <= allowed);
  comparison.equal = same.logical_or(near).all().item().toBool();
  return comparison;
}

}  // namespace shapewise::replay
