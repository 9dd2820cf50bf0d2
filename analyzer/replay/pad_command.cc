// shapewise-replay pad: runs a program with real and with padded inputs and compares the results.

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "replay/command.h"
#include "replay/inputs.h"

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, double> FillsOf(const PadArguments& arguments, const Program& program) {
  std::map<std::string, double> fills;
  for (const ProgramPadding& padding : program.padding) {
    if (padding.symbol != arguments.symbol) continue;
    for (const ProgramPadding::Fill& fill : padding.fills) fills[fill.input] = fill.value;
  }
  Bindings given;
  for (const std::string& text : arguments.fills) ReadBindings(text, given);
  for (const auto& [name, value] : given) {
    bool is_input = false;
    for (const ProgramInput& input : program.inputs) is_input = is_input || input.name == name;
    if (!is_input) throw std::runtime_error("the graph has no input " + name);
    fills[name] = value;
  }
  return fills;
}

std::string VerdictOf(const PadArguments& arguments, const Program& program) {
  for (const ProgramPadding& padding : program.padding) {
    if (padding.symbol == arguments.symbol) return padding.verdict;
  }
  return {};
}

/// The corner of `tensor` with the size `shape`.
at::Tensor Corner(at::Tensor tensor, at::IntArrayRef shape) {
  if (tensor.dim() != static_cast<int64_t>(shape.size())) return tensor;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.size(d) > shape[d]) tensor = tensor.narrow(d, 0, shape[d]);
  }
  return tensor;
}

/// `real` in the first corner of a tensor of the padded size; other elements are taken from
/// `made_up`, or are `fill`.
at::Tensor Pad(const at::Tensor& real, const at::Tensor& made_up, const double* fill) {
  at::Tensor padded = made_up.clone();
  if (fill != nullptr) padded.fill_(*fill);
  Corner(padded, real.sizes()).copy_(real);
  return padded;
}

RunInputs PadInputs(const Program& program, const RunInputs& real, const RunInputs& made_up,
                    const std::map<std::string, double>& fills) {
  RunInputs padded = made_up;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!real.values[i].IsTensor()) continue;
    const auto fill = fills.find(program.inputs[i].name);
    const at::Tensor& tensor = real.values[i].AsTensor();
    const bool grows = tensor.sizes() != made_up.values[i].AsTensor().sizes();
    padded.values[i] = grows ? Value::Of(Pad(tensor, made_up.values[i].AsTensor(),
                                             fill == fills.end() ? nullptr : &fill->second))
                             : Value::Of(tensor.clone());
  }
  padded.attributes = real.attributes;
  return padded;
}

RunInputs CopyOf(const RunInputs& inputs) {
  RunInputs copy = inputs;
  for (Value& value : copy.values) {
    if (value.IsTensor()) value = Value::Of(value.AsTensor().clone());
  }
  return copy;
}

std::vector<Value> OutputsOf(Session& session, const RunInputs& inputs) {
  const RunResult result = session.Run(inputs);
  for (const Failure& failure : result.failures) {
    if (!failure.is_consequence) throw std::runtime_error(Describe(session.program(), failure));
  }
  if (!result.outputs.IsSequence()) return {result.outputs};
  return result.outputs.items();
}

struct Comparison {
  bool identical = false;  ///< every bit of every element; NaN is NaN
  bool equal = false;      ///< within the tolerance
  /// Over elements that are finite on both sides; absent: none.
  std::optional<double> max_abs_error;
  std::string why;  ///< why results cannot be compared: different kinds or shapes
};

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

/// Compares tensors or numbers element by element. An element may differ by `tolerance` times the
/// largest of its own magnitude, the usual magnitude of `expected`, and 1; infinite ones must be
/// equal. The usual magnitude is the largest one without outliers such as mask values. `tolerance`
/// negative: 64 roundings of the dtype (about 8e-6 for float32), four for float16 and bfloat16
/// (4e-3, 3e-2).
Comparison Compare(const Value& expected, const Value& got, double tolerance) {
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
      magnitude.clamp_min(scale) * (tolerance < 0 ? UsualTolerance(a.scalar_type()) : tolerance);
  const at::Tensor near = both_finite.logical_and(error <= allowed);
  comparison.equal = same.logical_or(near).all().item().toBool();
  return comparison;
}

}  // namespace

int ComparePadded(const PadArguments& arguments) {
  // TF32's 10 bits of mantissa, the default for convolutions on a GPU, would make results of
  // different algorithms, which other sizes may select, differ even if padding changes nothing.
  at::globalContext().setAllowTF32CuDNN(false);
  Session session(arguments.session);
  const Program& program = session.program();
  const auto at_size = [&](int64_t size) {
    return session.Bind(BindTogether(arguments.symbol, size));
  };
  if (arguments.padded_size < arguments.size) throw std::runtime_error("--to is less than --size");
  const RunInputs real = session.Inputs(at_size(arguments.size));
  // Other numbers than those of the real inputs, which the same seed would generate.
  SessionOptions others = arguments.session;
  const RunInputs made_up = MakeInputs(program, at_size(arguments.padded_size), others.seed + 1);
  const RunInputs padded = PadInputs(program, real, made_up, FillsOf(arguments, program));

  const std::vector<Value> expected = OutputsOf(session, CopyOf(real));
  const std::vector<Value> got = OutputsOf(session, padded);
  bool are_equal = true;
  for (size_t i = 0; i < expected.size() && i < got.size(); ++i) {
    const bool are_tensors = expected[i].IsTensor() && got[i].IsTensor();
    const Value cut =
        are_tensors ? Value::Of(Corner(got[i].AsTensor(), expected[i].AsTensor().sizes())) : got[i];
    const Comparison comparison = Compare(expected[i], cut, arguments.tolerance);
    are_equal = are_equal && comparison.equal;
    Json json = {
        {"output", i},
        {"equal", comparison.equal},
        {"identical", comparison.identical},
        {"max_abs_error", comparison.max_abs_error ? Json(*comparison.max_abs_error) : Json()}};
    if (!comparison.why.empty()) json["why"] = comparison.why;
    std::cout << json.dump() << "\n";
  }
  const std::string verdict = VerdictOf(arguments, program);
  std::cout << Json({{"symbol", arguments.symbol},
                     {"size", arguments.size},
                     {"to", arguments.padded_size},
                     {"equal", are_equal},
                     {"verdict", verdict.empty() ? Json() : Json(verdict)}})
                   .dump()
            << "\n";
  return are_equal ? kDone : kDiffers;
}

}  // namespace shapewise::replay
