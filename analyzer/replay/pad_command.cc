// shapewise-replay pad: runs a program with real and with padded inputs and compares the results.

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "replay/command.h"
#include "replay/compare.h"
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
  const std::optional<double> tolerance =
      arguments.tolerance < 0 ? std::nullopt : std::optional(arguments.tolerance);
  bool are_equal = true;
  for (size_t i = 0; i < expected.size() && i < got.size(); ++i) {
    const bool are_tensors = expected[i].IsTensor() && got[i].IsTensor();
    const Value cut =
        are_tensors ? Value::Of(Corner(got[i].AsTensor(), expected[i].AsTensor().sizes())) : got[i];
    const Comparison comparison = replay::Compare(expected[i], cut, tolerance);
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
