// Pooling, sampling and interpolation of torch.nn.functional. Source: torch/nn/functional.py,
// releases 2.0 to 2.13.

#include <ATen/ATen.h>

#include <cmath>

#include "replay/operator_lookup.h"
#include "replay/python_adapters.h"
#include "replay/size_expression.h"

namespace shapewise::replay {
namespace {

using Arguments = std::vector<Value>;

/// One number per spatial dim; a single number applies to all.
std::vector<double> PerDim(const Value& value, int64_t dims) {
  if (!value.IsSequence()) return std::vector<double>(dims, value.AsFloat());
  std::vector<double> numbers;
  for (const Value& item : value.items()) numbers.push_back(item.AsFloat());
  return numbers;
}

std::vector<int64_t> IntsPerDim(const Value& value, int64_t dims) {
  if (value.IsSequence()) return value.AsInts();
  return std::vector<int64_t>(dims, value.AsInt());
}

/// Either the size or the scale factors.
struct Target {
  std::vector<int64_t> size;
  std::vector<double> factors;

  at::OptionalIntArrayRef Size() const {
    return size.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(size);
  }
  std::optional<at::ArrayRef<double>> Factors() const {
    return factors.empty() ? std::nullopt : std::optional<at::ArrayRef<double>>(factors);
  }
};

at::Tensor Nearest(const at::Tensor& input, const Target& target, bool is_exact) {
  switch (input.dim()) {
    case 3:
      return is_exact ? at::_upsample_nearest_exact1d(input, target.Size(), target.Factors())
                      : at::upsample_nearest1d(input, target.Size(), target.Factors());
    case 4:
      return is_exact ? at::_upsample_nearest_exact2d(input, target.Size(), target.Factors())
                      : at::upsample_nearest2d(input, target.Size(), target.Factors());
    default:
      return is_exact ? at::_upsample_nearest_exact3d(input, target.Size(), target.Factors())
                      : at::upsample_nearest3d(input, target.Size(), target.Factors());
  }
}

at::Tensor Area(const at::Tensor& input, const std::vector<int64_t>& size) {
  switch (input.dim()) {
    case 3:
      return at::adaptive_avg_pool1d(input, size);
    case 4:
      return at::adaptive_avg_pool2d(input, size);
    default:
      return at::adaptive_avg_pool3d(input, size);
  }
}

Value Interpolate(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  const std::string& mode = a[3].AsText();
  const bool aligns = a[4].AsBool();
  const bool smooths = a[6].AsBool();
  const int64_t dims = input.dim() - 2;
  TORCH_CHECK(dims >= 1 && dims <= 3, "interpolation of ", input.dim(), " dims");
  Target target;
  if (!a[1].IsNone()) target.size = IntsPerDim(a[1], dims);
  if (!a[2].IsNone()) target.factors = PerDim(a[2], dims);
  if (target.size.empty() && (mode == "area" || a[5].AsBool())) {
    for (int64_t d = 0; d < dims; ++d) {
      const auto size = static_cast<double>(input.size(d + 2));
      const std::optional<int64_t> scaled = IntegerOf(std::trunc(size * target.factors.at(d)));
      TORCH_CHECK(scaled.has_value(), "a scaled size overflows 64 bits");
      target.size.push_back(*scaled);
    }
    target.factors.clear();
  }
  if (mode == "nearest") return Value::Of(Nearest(input, target, /*is_exact=*/false));
  if (mode == "nearest-exact") return Value::Of(Nearest(input, target, /*is_exact=*/true));
  if (mode == "area") return Value::Of(Area(input, target.size));
  if (mode == "linear") {
    return Value::Of(at::upsample_linear1d(input, target.Size(), aligns, target.Factors()));
  }
  if (mode == "trilinear") {
    return Value::Of(at::upsample_trilinear3d(input, target.Size(), aligns, target.Factors()));
  }
  if (mode == "bilinear") {
    return Value::Of(
        smooths ? at::_upsample_bilinear2d_aa(input, target.Size(), aligns, target.Factors())
                : at::upsample_bilinear2d(input, target.Size(), aligns, target.Factors()));
  }
  TORCH_CHECK(mode == "bicubic", "interpolation '", mode, "' is not known");
  return Value::Of(smooths
                       ? at::_upsample_bicubic2d_aa(input, target.Size(), aligns, target.Factors())
                       : at::upsample_bicubic2d(input, target.Size(), aligns, target.Factors()));
}

template <typename Choices>
int64_t Position(const Value& name, const Choices& choices) {
  int64_t position = 0;
  for (const char* choice : choices) {
    if (name.AsText() == choice) return position;
    ++position;
  }
  TORCH_CHECK(false, "the mode '", name.AsText(), "' is not known");
}

Value GridSample(const Arguments& a) {
  constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kBorders[] = {"zeros", "border", "reflection"};
  return Value::Of(at::grid_sampler(a[0].AsTensor(), a[1].AsTensor(), Position(a[2], kModes),
                                    Position(a[3], kBorders), a[4].AsBool()));
}

Value AffineGrid(const Arguments& a) {
  return Value::Of(at::affine_grid_generator(a[0].AsTensor(), a[1].AsInts(), a[2].AsBool()));
}

Value Unfold(const Arguments& a) {
  return Value::Of(at::im2col(a[0].AsTensor(), IntsPerDim(a[1], 2), IntsPerDim(a[2], 2),
                              IntsPerDim(a[3], 2), IntsPerDim(a[4], 2)));
}

Value Fold(const Arguments& a) {
  return Value::Of(at::col2im(a[0].AsTensor(), IntsPerDim(a[1], 2), IntsPerDim(a[2], 2),
                              IntsPerDim(a[3], 2), IntsPerDim(a[4], 2), IntsPerDim(a[5], 2)));
}

Value StrideOrNone(const Value& stride) { return stride.IsNone() ? Value::List({}) : stride; }

/// (input, kernel_size, stride, padding, dilation, ceil_mode, return_indices).
Value MaxPool(const char* dims, const Arguments& a) {
  const bool returns_indices = a[6].AsBool();
  const std::string name = std::string("aten::max_pool") + dims;
  return CallOperator(returns_indices ? name + "_with_indices" : name,
                      {a[0], a[1], StrideOrNone(a[2]), a[3], a[4], a[5]});
}

Value MaxPool1d(const Arguments& a) { return MaxPool("1d", a); }
Value MaxPool2d(const Arguments& a) { return MaxPool("2d", a); }
Value MaxPool3d(const Arguments& a) { return MaxPool("3d", a); }

/// None means the size of the input.
Value AdaptiveSize(const at::Tensor& input, const Value& size, int64_t dims) {
  if (!size.IsSequence()) return Value::List(std::vector<Value>(dims, size));
  std::vector<Value> sizes = size.items();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d].IsNone()) {
      sizes[d] = Value::Int(input.size(input.dim() - static_cast<int64_t>(sizes.size() - d)));
    }
  }
  return Value::List(std::move(sizes));
}

Value AdaptiveAveragePool(const char* name, int64_t dims, const Arguments& a) {
  return CallOperator(name, {a[0], AdaptiveSize(a[0].AsTensor(), a[1], dims)});
}

Value AdaptiveAveragePool1d(const Arguments& a) {
  return AdaptiveAveragePool("aten::adaptive_avg_pool1d", 1, a);
}
Value AdaptiveAveragePool2d(const Arguments& a) {
  return AdaptiveAveragePool("aten::adaptive_avg_pool2d", 2, a);
}
Value AdaptiveAveragePool3d(const Arguments& a) {
  return AdaptiveAveragePool("aten::adaptive_avg_pool3d", 3, a);
}

Value AdaptiveMaxPool(const char* name, int64_t dims, const Arguments& a) {
  const Value both = CallOperator(name, {a[0], AdaptiveSize(a[0].AsTensor(), a[1], dims)});
  return a[2].AsBool() ? both : both.AsSequence().at(0);
}

Value AdaptiveMaxPool1d(const Arguments& a) {
  return AdaptiveMaxPool("aten::adaptive_max_pool1d", 1, a);
}
Value AdaptiveMaxPool2d(const Arguments& a) {
  return AdaptiveMaxPool("aten::adaptive_max_pool2d", 2, a);
}

/// (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override).
Value AveragePool(const char* name, const Arguments& a, size_t num_arguments) {
  Arguments operands(a.begin(), a.begin() + static_cast<ptrdiff_t>(num_arguments));
  operands[2] = StrideOrNone(a[2]);
  return CallOperator(name, operands);
}

Value AveragePool1d(const Arguments& a) { return AveragePool("aten::avg_pool1d", a, 6); }
Value AveragePool2d(const Arguments& a) { return AveragePool("aten::avg_pool2d", a, 7); }
Value AveragePool3d(const Arguments& a) { return AveragePool("aten::avg_pool3d", a, 7); }

constexpr const char* kMaxPool =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False";
constexpr const char* kAveragePool =
    "input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=None";
constexpr const char* kAdaptiveMaxPool = "input, output_size, return_indices=False";

constexpr PythonAdapter kImages[] = {
    {"torch.nn.functional.interpolate",
     "input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
     "recompute_scale_factor=None, antialias=False",
     Interpolate},
    {"torch.nn.functional.grid_sample",
     "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None", GridSample},
    {"torch.nn.functional.affine_grid", "theta, size, align_corners=None", AffineGrid},
    {"torch.nn.functional.unfold", "input, kernel_size, dilation=1, padding=0, stride=1", Unfold},
    {"torch.nn.functional.fold", "input, output_size, kernel_size, dilation=1, padding=0, stride=1",
     Fold},
    {"torch.nn.functional.max_pool1d", kMaxPool, MaxPool1d},
    {"torch.nn.functional.max_pool2d", kMaxPool, MaxPool2d},
    {"torch.nn.functional.max_pool3d", kMaxPool, MaxPool3d},
    {"torch.nn.functional.adaptive_avg_pool1d", "input, output_size", AdaptiveAveragePool1d},
    {"torch.nn.functional.adaptive_avg_pool2d", "input, output_size", AdaptiveAveragePool2d},
    {"torch.nn.functional.adaptive_avg_pool3d", "input, output_size", AdaptiveAveragePool3d},
    {"torch.nn.functional.adaptive_max_pool1d", kAdaptiveMaxPool, AdaptiveMaxPool1d},
    {"torch.nn.functional.adaptive_max_pool2d", kAdaptiveMaxPool, AdaptiveMaxPool2d},
    {"torch.nn.functional.avg_pool1d", kAveragePool, AveragePool1d},
    {"torch.avg_pool1d", kAveragePool, AveragePool1d},
    {"torch._C._nn.avg_pool2d", kAveragePool, AveragePool2d},
    {"torch._C._nn.avg_pool3d", kAveragePool, AveragePool3d},
    {"torch.nn.functional.avg_pool2d", kAveragePool, AveragePool2d},
    {"torch.nn.functional.avg_pool3d", kAveragePool, AveragePool3d},
};

}  // namespace

std::span<const PythonAdapter> ImageAdapters() { return kImages; }

}  // namespace shapewise::replay
