#include "replay/python_adapters.h"

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
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view parameter = Trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
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

std::unordered_map<std::string_view, const PythonAdapter*> AllAdapters() {
  std::unordered_map<std::string_view, const PythonAdapter*> by_target;
  for (const std::span<const PythonAdapter> table :
       {LayerAdapters(), LossAdapters(), ImageAdapters(), TensorAdapters(), AttentionAdapters()}) {
    for (const PythonAdapter& adapter : table) by_target[adapter.target] = &adapter;
  }
  return by_target;
}

}  // namespace

const PythonAdapter* FindPythonAdapter(std::string_view target) {
  static const auto by_target = AllAdapters();
  const auto found = by_target.find(target);
  return found == by_target.end() ? nullptr : found->second;
}

std::vector<Value> BindToSignature(const PythonAdapter& adapter, const CallArguments& arguments) {
  const Signature& signature = SignatureOf(adapter);
  const std::vector<Parameter>& parameters = signature.parameters;
  std::vector<Value> bound;
  for (const Parameter& parameter : parameters) bound.push_back(parameter.default_value);
  const size_t num_single = signature.num_single;
  if (signature.takes_many) {
    std::vector<Value> rest;
    for (size_t i = num_single; i < arguments.size(); ++i) rest.push_back(arguments.positional[i]);
    bound[num_single] = Value::Tuple(std::move(rest));
  } else if (arguments.size() > num_single) {
    throw std::runtime_error("too many arguments for " + std::string(adapter.target));
  }
  for (size_t i = 0; i < num_single && i < arguments.size(); ++i) {
    bound[i] = arguments.positional[i];
  }
  for (const auto& [keyword, value] : arguments.keywords) {
    size_t at = 0;
    while (at < parameters.size() && parameters[at].name != keyword) ++at;
    if (at == parameters.size()) {
      throw std::runtime_error("argument " + keyword + " of " + std::string(adapter.target) +
                               " is not understood");
    }
    bound[at] = value;
  }
  return bound;
}

}  // namespace shapewise::replay
