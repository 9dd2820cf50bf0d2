#include "replay/compare.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <limits>

namespace shapewise::replay {
namespace {

constexpr double kRoundings = 64;
/// Of types that are so short that kernels add up in a longer one, and round what comes out.
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
  comparison.identical = same.all().item().toBool();
  if (both_finite.any().item().toBool()) {
    comparison.max_abs_error = error.max().item().toDouble();
  }
  const double allowed = tolerance.value_or(UsualTolerance(a.scalar_type())) *
                         std::max(1.0, magnitude.max().item().toDouble());
  comparison.equal = same.logical_or(both_finite).all().item().toBool() &&
                     comparison.max_abs_error.value_or(0) <= allowed;
  return comparison;
}

}  // namespace shapewise::replay
