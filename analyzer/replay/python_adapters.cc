#include "replay/python_adapters.h"

#include <ATen/core/Reduction.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "replay/constants.h"

namespace shapewise::replay {
namespace {

struct Parameter {
  std::string name;
  Value default_value;  ///< missing: no default
};

struct Signature {
  std::vector<Parameter> parameters;
  size_t num_single = 0;    ///< parameters that take one positional argument each
  bool takes_many = false;  ///< followed by "*rest": a tuple of all others
};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    parts.push_back(Trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

/// Parses "None", "True", "0.5", "1", "'mean'".
Value DefaultValue(std::string_view text) {
  if (text.starts_with('\'')) return Value::Text(std::string(text.substr(1, text.size() - 2)));
  int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return Value::Int(integer);
  static const DeviceChoice as_given("");
  const Value constant = ParseConstant(text, as_given);
  if (constant.kind() != Value::Kind::kName) return constant;
  return Value::Float(std::stod(std::string(text)));
}

Signature ParseSignature(std::string_view text) {
  Signature signature;
  for (std::string_view parameter : SplitAtCommas(text)) {
    if (parameter.starts_with('*')) {
      signature.takes_many = true;
      parameter.remove_prefix(1);
    } else if (!signature.takes_many) {
      ++signature.num_single;
    }
    const size_t equals = parameter.find('=');
    Value value;
    if (equals != std::string_view::npos) value = DefaultValue(parameter.substr(equals + 1));
    signature.parameters.push_back({std::string(parameter.substr(0, equals)), std::move(value)});
  }
  return signature;
}

const Signature& SignatureOf(const PythonAdapter& adapter) {
  static std::unordered_map<const PythonAdapter*, Signature> known;
  const auto [entry, is_new] = known.try_emplace(&adapter);
  if (is_new) entry->second = ParseSignature(adapter.parameters);
  return entry->second;
}

/// "name(inside)" as both parts.
std::pair<std::string_view, std::string_view> SplitCall(std::string_view text) {
  text = Trimmed(text);
  const size_t open = text.find('(');
  return {text.substr(0, open), text.substr(open + 1, text.size() - open - 2)};
}

/// The adapters in python_functions.txt.
std::vector<PythonAdapter> ReadPythonFunctions() {
  std::vector<PythonAdapter> adapters;
  std::string_view text = PythonFunctions();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with(' ')) {
      adapters.back().call = Trimmed(line);
    } else {
      const auto [target, parameters] = SplitCall(line);
      adapters.push_back({.target = target, .parameters = parameters});
    }
  }
  return adapters;
}

std::unordered_map<std::string_view, const PythonAdapter*> AllAdapters() {
  static const std::vector<PythonAdapter> functions = ReadPythonFunctions();
  std::unordered_map<std::string_view, const PythonAdapter*> by_target;
  for (const std::span<const PythonAdapter> table :
       {std::span(functions), FunctionalAdapters(), TensorAdapters()}) {
    for (const PythonAdapter& adapter : table) by_target[adapter.target] = &adapter;
  }
  return by_target;
}

}  // namespace

const PythonAdapter* FindPythonAdapter(std::string_view target) {
  static const auto by_target = AllAdapters();
  // torch.norm is torch.functional.norm.
  constexpr std::string_view kFunctional = "torch.functional.";
  const std::string name = target.starts_with(kFunctional)
                               ? "torch." + std::string(target.substr(kFunctional.size()))
                               : std::string(target);
  const auto found = by_target.find(name);
  return found == by_target.end() ? nullptr : found->second;
}

std::vector<ProgramArgument> BindToSignature(const PythonAdapter& adapter,
                                             const ProgramNode& node) {
  const Signature& signature = SignatureOf(adapter);
  const std::vector<Parameter>& parameters = signature.parameters;
  std::vector<ProgramArgument> bound;
  for (const Parameter& parameter : parameters) {
    bound.push_back(ProgramArgument::Constant(parameter.default_value));
  }
  const size_t num_single = std::min(signature.num_single, node.args.size());
  std::copy_n(node.args.begin(), num_single, bound.begin());
  if (signature.takes_many) {
    ProgramArgument& rest = bound[signature.num_single];
    rest.kind = ProgramArgument::Kind::kTuple;
    rest.children.assign(node.args.begin() + static_cast<ptrdiff_t>(num_single), node.args.end());
  } else if (node.args.size() > num_single) {
    throw std::runtime_error("too many arguments for " + std::string(adapter.target));
  }
  for (const auto& [keyword, argument] : node.kwargs) {
    const auto parameter = std::ranges::find(parameters, keyword, &Parameter::name);
    if (parameter == parameters.end()) {
      throw std::runtime_error("argument " + keyword + " of " + std::string(adapter.target) +
                               " is not understood");
    }
    bound[static_cast<size_t>(parameter - parameters.begin())] = argument;
  }
  return bound;
}

OperatorCall CallOf(const PythonAdapter& adapter, const std::vector<ProgramArgument>& bound,
                    const Frame& frame) {
  const std::vector<Parameter>& parameters = SignatureOf(adapter).parameters;
  const auto find = [&](std::string_view name) -> const ProgramArgument* {
    const auto parameter = std::ranges::find(parameters, name, &Parameter::name);
    return parameter == parameters.end() ? nullptr : &bound[parameter - parameters.begin()];
  };
  const auto value_of = [&](std::string_view name) {
    const ProgramArgument* argument = find(name);
    return argument == nullptr ? Value::None() : EvaluateArgument(*argument, frame);
  };
  const auto [name, operands] = SplitCall(adapter.call);
  OperatorCall call{.name = std::string(name), .arguments = {}};
  if (value_of("inplace").AsBool()) call.name += '_';
  for (const std::string_view operand : SplitAtCommas(operands)) {
    const ProgramArgument* parameter = find(operand);
    if (operand == "reduction") {
      call.arguments.positional.push_back(ProgramArgument::Constant(
          Value::Int(Reduction(value_of(operand), value_of("size_average"), value_of("reduce")))));
    } else {
      call.arguments.positional.push_back(
          parameter != nullptr ? *parameter : ProgramArgument::Constant(DefaultValue(operand)));
    }
  }
  return call;
}

/// Converts "none", "mean" and "sum" to at::Reduction; size_average and reduce take precedence.
int64_t Reduction(const Value& name, const Value& size_average, const Value& reduce) {
  if (!size_average.IsNone() || !reduce.IsNone()) {
    const bool reduces = reduce.IsNone() || reduce.AsBool();
    const bool averages = size_average.IsNone() || size_average.AsBool();
    return !reduces ? at::Reduction::None : averages ? at::Reduction::Mean : at::Reduction::Sum;
  }
  const std::string& text = name.AsText();
  if (text == "none") return at::Reduction::None;
  if (text == "mean") return at::Reduction::Mean;
  TORCH_CHECK(text == "sum", "the reduction '", text, "' is not known");
  return at::Reduction::Sum;
}

}  // namespace shapewise::replay
