#include "replay/inputs.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>

namespace shapewise::replay {
namespace {

/// Range of integers that are not indices: 0 and 1 are valid almost everywhere.
constexpr int64_t kRangeOfOthers = 2;
/// Value for a float that is a parameter of the program: a probability, an epsilon, an exponent.
constexpr double kFloatNumber = 0.5;

bool DependsOnSymbol(const SizeExpression& size) {
  if (size.kind == SizeExpression::Kind::kSymbol) return true;
  return std::ranges::any_of(size.operands, DependsOnSymbol);
}

/// Whether a tensor may be a weight by its shape: no dim of it is dynamic.
bool LooksLikeWeight(const ProgramInput& input) {
  if (input.kind == "parameter" || input.kind == "buffer" || input.kind == "constant") return true;
  if (input.kind != "input" && input.kind != "saved") return false;
  return input.type.shape &&
         std::none_of(input.type.shape->begin(), input.type.shape->end(), DependsOnSymbol);
}

/// Elements of a float tensor. Weights with one dim are scales, shifts or variances: near 1. Others
/// are divided by the square root of the number of summed elements, so that numbers stay small.
at::Tensor MakeFloats(const ProgramInput& input, const std::vector<int64_t>& shape) {
  const auto options = c10::TensorOptions().dtype(c10::kFloat);
  if (shape.empty()) return at::full({}, kFloatNumber, options);
  if (!LooksLikeWeight(input)) return at::randn(shape, options);
  if (shape.size() == 1) return at::rand(shape, options) + 0.5;
  int64_t summed = 1;
  for (size_t d = 1; d < shape.size(); ++d) summed *= std::max<int64_t>(1, shape[d]);
  return at::randn(shape, options) / std::sqrt(static_cast<double>(summed));
}

at::Tensor MakeElements(const ProgramInput& input, const std::vector<int64_t>& shape,
                        c10::ScalarType dtype, std::optional<int64_t> index_range) {
  if (dtype == c10::kBool) return at::randint(2, shape, c10::TensorOptions().dtype(c10::kBool));
  if (c10::isIntegralType(dtype, /*includeBool=*/false)) {
    const int64_t range = std::max<int64_t>(1, index_range.value_or(kRangeOfOthers));
    return at::randint(range, shape, c10::TensorOptions().dtype(c10::kLong)).to(dtype);
  }
  return MakeFloats(input, shape).to(dtype);
}

/// `tensor` with the layout `strides`, on `device`.
at::Tensor LayOut(const at::Tensor& tensor, const std::vector<int64_t>& strides,
                  c10::Device device) {
  at::Tensor placed = at::empty_strided(tensor.sizes(), strides, tensor.options().device(device));
  // Elements of a dim with stride 0 are one element, so any of them can be used.
  for (int64_t d = 0; d < placed.dim(); ++d) {
    if (strides[d] != 0 || placed.size(d) < 2) continue;
    at::Tensor one = LayOut(tensor.narrow(d, 0, 1), strides, device);
    return one.expand(tensor.sizes());
  }
  return placed.copy_(tensor);
}

Value MakeNumber(const ProgramInput& input, const Bindings& bindings) {
  const ProgramType& type = input.type;
  if (const std::optional<int64_t> number = Evaluate(type.value, bindings)) {
    return type.kind == ProgramType::Kind::kBool ? Value::Bool(*number != 0) : Value::Int(*number);
  }
  std::string symbol = SymbolName(type.value);
  if (symbol.empty()) symbol = input.name;
  const auto bound = bindings.find(symbol);
  if (type.kind == ProgramType::Kind::kFloat) {
    return Value::Float(bound == bindings.end() ? kFloatNumber : bound->second);
  }
  if (type.kind == ProgramType::Kind::kNone) return Value::None();
  if (bound == bindings.end()) {
    throw std::runtime_error("the input " + input.name + " has no value: give --bind " + symbol +
                             "=...");
  }
  const std::optional<int64_t> number = IntegerOf(bound->second);
  if (!number) {
    throw std::runtime_error("the input " + input.name +
                             " is not an integer of 64 bits: " + std::to_string(bound->second));
  }
  return type.kind == ProgramType::Kind::kBool ? Value::Bool(*number != 0) : Value::Int(*number);
}

Value Find(const std::map<std::string, Value>& given, const std::string& name,
           const std::string& source) {
  const auto by_name = given.find(name);
  if (by_name != given.end()) return by_name->second;
  const auto by_source = source.empty() ? given.end() : given.find(source);
  return by_source == given.end() ? Value() : by_source->second;
}

void CollectSymbols(const SizeExpression& size, std::set<std::string>& symbols) {
  if (size.kind == SizeExpression::Kind::kSymbol) symbols.insert(size.name);
  for (const SizeExpression& operand : size.operands) CollectSymbols(operand, symbols);
}

/// The names that may be bound: symbols, and numeric inputs without a symbol.
std::set<std::string> NamesToBind(const Program& program) {
  std::set<std::string> names;
  for (const ProgramSymbol& symbol : program.symbols) names.insert(symbol.name);
  for (const ProgramInput& input : program.inputs) {
    if (input.type.kind != ProgramType::Kind::kTensor) names.insert(input.name);
    for (const auto* sizes : {&input.type.shape, &input.type.stride}) {
      if (!*sizes) continue;
      for (const SizeExpression& size : **sizes) CollectSymbols(size, names);
    }
    CollectSymbols(input.type.value, names);
  }
  return names;
}

/// A get_attr statement whose value can be generated, because its shape is known.
std::optional<ProgramInput> AttributeOf(const Program& program, const ProgramNode& node) {
  if (node.op != "get_attr" || node.outputs.size() != 1) return {};
  ProgramInput input;
  input.name = program.slot_names[node.outputs[0]];
  input.kind = "constant";
  input.source = "self." + node.target;
  input.type = node.types[0];
  input.slot = node.outputs[0];
  return input;
}

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// A number, or the name of a symbol; kUnknown: neither.
SizeExpression ReadSize(const std::string& text) {
  SizeExpression size;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size.integer);
  if (error == std::errc() && end == text.data() + text.size() && size.integer >= 0) {
    size.kind = SizeExpression::Kind::kInteger;
  } else if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
             std::ranges::all_of(
                 text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; })) {
    size.kind = SizeExpression::Kind::kSymbol;
    size.name = text;
  }
  return size;
}

bool HasSymbol(const Program& program, const std::string& name) {
  return std::ranges::any_of(program.symbols,
                             [&](const ProgramSymbol& symbol) { return symbol.name == name; });
}

/// Throws std::runtime_error, naming `what`, if one of `sizes` has no value.
std::vector<int64_t> EvaluateSizes(const std::vector<SizeExpression>& sizes,
                                   const Bindings& bindings, const std::string& what) {
  std::vector<int64_t> numbers;
  for (const SizeExpression& size : sizes) {
    const std::optional<int64_t> number = Evaluate(size, bindings);
    if (!number || *number < 0) {
      std::set<std::string> symbols;
      CollectSymbols(size, symbols);
      std::string bind;
      for (const std::string& symbol : symbols) {
        if (!bindings.contains(symbol)) bind += (bind.empty() ? "" : ",") + symbol + "=...";
      }
      throw std::runtime_error("the size " + ToText(size) + " of " + what + " has no value" +
                               (bind.empty()
                                    ? ": it is negative, has a fraction, or overflows 64 bits"
                                    : ": give --bind " + bind));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

/// A tensor with generated elements; `index_range`: upper bound for indices.
at::Tensor MakeTensor(const ProgramInput& input, const Bindings& bindings,
                      std::optional<int64_t> index_range) {
  const ProgramType& type = input.type;
  if (!type.shape || !type.dtype) {
    throw std::runtime_error("the dump does not contain the shape and dtype of the input " +
                             input.name + ": give --type " + input.name +
                             "=f32[...], or its value by --inputs");
  }
  const std::vector<int64_t> shape = EvaluateSizes(*type.shape, bindings, input.name);
  const at::Tensor elements = MakeElements(input, shape, *type.dtype, index_range);
  const c10::Device device = type.device.value_or(c10::Device(c10::kCPU));
  if (!type.stride || type.stride->size() != shape.size()) return elements.to(device);
  return LayOut(elements, EvaluateSizes(*type.stride, bindings, input.name), device);
}

}  // namespace

void ReadBindings(const std::string& text, Bindings& bindings) {
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const size_t equals = part.find('=');
    size_t used = 0;
    double number = 0;
    try {
      if (equals != std::string::npos) number = std::stod(part.substr(equals + 1), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (equals == 0 || used == 0 || used != part.size() - equals - 1) {
      throw std::runtime_error("'" + part +
                               "' binds no symbol; expected NAME=NUMBER, as in s0=128");
    }
    bindings[part.substr(0, equals)] = number;
    begin = end + 1;
  }
}

Bindings CompleteBindings(const Program& program, const Bindings& given) {
  const std::set<std::string> names = NamesToBind(program);
  for (const auto& [name, value] : given) {
    if (names.contains(name)) continue;
    std::string known;
    for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
    throw std::runtime_error("the graph has no symbol " + name +
                             (known.empty() ? ": all its sizes are fixed" : "; it has " + known));
  }
  Bindings bindings = given;
  for (const ProgramSymbol& symbol : program.symbols) {
    if (symbol.hint) bindings.emplace(symbol.name, static_cast<double>(*symbol.hint));
  }
  return bindings;
}

RunInputs MakeInputs(const Program& program, const Bindings& bindings, uint64_t seed,
                     const std::map<std::string, Value>& given) {
  at::manual_seed(seed);
  RunInputs inputs;
  inputs.bindings = bindings;
  const std::vector<std::optional<int64_t>> ranges = FindIndexRanges(program, bindings);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ProgramInput& input = program.inputs[i];
    Value value = Find(given, input.name, input.source);
    if (value.IsMissing()) {
      const bool is_tensor = input.type.kind == ProgramType::Kind::kTensor ||
                             input.type.kind == ProgramType::Kind::kUnknown;
      value = is_tensor ? Value::Of(MakeTensor(input, bindings, ranges[i]))
                        : MakeNumber(input, bindings);
    }
    inputs.values.push_back(std::move(value));
  }
  for (const ProgramNode& node : program.nodes) {
    const std::optional<ProgramInput> attribute = AttributeOf(program, node);
    if (!attribute) continue;
    Value value = Find(given, attribute->name, attribute->source);
    const bool can_be_made =
        attribute->kind == "constant" && attribute->type.shape && attribute->type.dtype;
    if (value.IsMissing() && can_be_made) {
      value = Value::Of(MakeTensor(*attribute, bindings, {}));
    }
    if (!value.IsMissing()) inputs.attributes.emplace_back(attribute->slot, std::move(value));
  }
  return inputs;
}

void BindFromInputs(const Program& program, const std::map<std::string, Value>& given,
                    Bindings& bindings) {
  for (const ProgramInput& input : program.inputs) {
    const Value value = Find(given, input.name, input.source);
    if (value.IsNumber()) {
      const std::string symbol = SymbolName(input.type.value);
      if (!symbol.empty()) bindings[symbol] = value.AsFloat();
    }
    if (!value.IsTensor() || !input.type.shape) continue;
    const auto sizes = value.AsTensor().sizes();
    for (size_t d = 0; d < sizes.size() && d < input.type.shape->size(); ++d) {
      const std::string symbol = SymbolName((*input.type.shape)[d]);
      if (!symbol.empty()) bindings[symbol] = static_cast<double>(sizes[d]);
    }
  }
}

int64_t BytesOf(const RunInputs& inputs) {
  int64_t bytes = 0;
  const auto count = [&](const Value& value) {
    if (value.IsTensor()) bytes += static_cast<int64_t>(value.AsTensor().nbytes());
  };
  for (const Value& value : inputs.values) count(value);
  for (const auto& [slot, value] : inputs.attributes) count(value);
  return bytes;
}

void SetType(const std::string& text, const DeviceChoice& devices, Program& program) {
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error("'" + text + "' is not a type: " + why +
                             "; expected INPUT=DTYPE[SIZE,...], as in x=f32[s0,64]");
  };
  const size_t equals = text.find('=');
  const size_t open = text.find('[');
  if (equals == std::string::npos || open == std::string::npos || open < equals ||
      !text.ends_with(']')) {
    fail("it is cut");
  }
  const std::string name = Trimmed(text.substr(0, equals));
  const auto input = std::ranges::find_if(
      program.inputs, [&](const ProgramInput& other) { return other.name == name; });
  if (input == program.inputs.end()) fail("there is no input " + name);
  ProgramType type;
  type.kind = ProgramType::Kind::kTensor;
  type.device = devices.Default();
  type.dtype = FindDtype(Trimmed(text.substr(equals + 1, open - equals - 1)));
  if (!type.dtype) fail("the dtype is not known");
  type.shape.emplace();
  std::string sizes = text.substr(open + 1, text.size() - open - 2);
  while (!Trimmed(sizes).empty()) {
    const size_t comma = std::min(sizes.find(','), sizes.size());
    const SizeExpression size = ReadSize(Trimmed(sizes.substr(0, comma)));
    if (size.kind == SizeExpression::Kind::kUnknown) fail("a size is neither number nor name");
    if (size.kind == SizeExpression::Kind::kSymbol && !HasSymbol(program, size.name)) {
      program.symbols.push_back({size.name, {}, {}, {}});
    }
    type.shape->push_back(size);
    sizes = sizes.substr(std::min(comma + 1, sizes.size()));
  }
  input->type = std::move(type);
}

}  // namespace shapewise::replay
