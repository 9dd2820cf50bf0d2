#include "replay/program.h"

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace shapewise::replay {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "shapewise.program/1";

std::string TextIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

std::optional<int64_t> IntegerIn(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? std::nullopt : JsonInteger(*at);
}

const Json& ListIn(const Json& object, const char* key) {
  static const Json none = Json::array();
  const auto at = object.find(key);
  return at != object.end() && at->is_array() ? *at : none;
}

/// Reads one graph, and converts names to slots.
class Reader {
 public:
  Reader(const Json& json, const DeviceChoice& devices) : json_(json), devices_(devices) {}

  Program Read() {
    program_.name = TextIn(json_, "name");
    program_.format = TextIn(json_, "format");
    if (devices_.IsForced()) program_.default_device = devices_.Default();
    for (const Json& symbol : ListIn(json_, "symbols")) {
      program_.symbols.push_back({TextIn(symbol, "name"), IntegerIn(symbol, "hint"),
                                  IntegerIn(symbol, "lower"), IntegerIn(symbol, "upper")});
    }
    for (const Json& input : ListIn(json_, "inputs")) ReadInput(input);
    for (const Json& node : ListIn(json_, "nodes")) ReadNode(node);
    program_.outputs = ReadArgument(json_.value("outputs", Json()));
    for (const Json& padding : ListIn(json_, "padding")) ReadPadding(padding);
    FreeAfterLastUse();
    return std::move(program_);
  }

 private:
  uint32_t NewSlot(const std::string& name) {
    const auto slot = static_cast<uint32_t>(program_.slot_names.size());
    program_.slot_names.push_back(name);
    slot_of_name_[name] = slot;
    return slot;
  }

  void ReadInput(const Json& json) {
    ProgramInput input;
    input.name = TextIn(json, "name");
    input.kind = TextIn(json, "kind");
    input.source = TextIn(json, "source");
    input.type = ReadType(json.value("type", Json()));
    input.slot = NewSlot(input.name);
    program_.inputs.push_back(std::move(input));
  }

  void ReadNode(const Json& json) {
    ProgramNode node;
    node.op = TextIn(json, "op");
    node.target = TextIn(json, "target");
    node.line = IntegerIn(json, "line").value_or(0);
    for (const Json& argument : ListIn(json, "args")) node.args.push_back(ReadArgument(argument));
    const auto kwargs = json.find("kwargs");
    if (kwargs != json.end() && kwargs->is_object()) {
      for (const auto& [key, value] : kwargs->items()) {
        node.kwargs.emplace_back(key, ReadArgument(value));
      }
    }
    PlaceNode(node);
    for (const Json& output : ListIn(json, "outputs")) {
      if (output.is_string()) node.outputs.push_back(NewSlot(output.get<std::string>()));
    }
    for (const Json& type : ListIn(json, "types")) node.types.push_back(ReadType(type));
    node.types.resize(node.outputs.size());
    program_.nodes.push_back(std::move(node));
  }

  /// Handles devices given as text, 'cuda:0', like printed devices.
  void PlaceNode(ProgramNode& node) {
    bool has_device = false;
    for (auto& [key, argument] : node.kwargs) {
      if (key != "device") continue;
      has_device = true;
      PlaceText(argument);
    }
    // Not an operator with a schema that shows a device parameter.
    if (node.target == "torch.tensor" && devices_.IsForced() && !has_device) {
      node.kwargs.emplace_back("device",
                               ProgramArgument::Constant(Value::OnDevice(devices_.Default())));
    }
    if (node.op == "call_method" && node.target == "to") {
      for (ProgramArgument& argument : node.args) PlaceText(argument);
    } else if (node.op == "call_method" && node.target == "cuda") {
      node.target = "to";
      node.args.resize(1);
      node.args.push_back(ProgramArgument::Constant(Value::OnDevice(devices_.For(c10::kCUDA))));
      node.kwargs.clear();
    } else if (node.target.ends_with("._enter_autocast") && !node.args.empty() &&
               node.args[0].constant.IsText()) {
      const std::optional<c10::Device> device_type = FindDevice(node.args[0].constant.AsText());
      if (!device_type) return;
      const c10::DeviceType type = devices_.For(*device_type).type();
      node.args[0] =
          ProgramArgument::Constant(Value::Text(c10::DeviceTypeName(type, /*lower_case=*/true)));
    }
  }

  void PlaceText(ProgramArgument& argument) {
    if (!argument.constant.IsText()) return;
    const std::optional<c10::Device> device_type = FindDevice(argument.constant.AsText());
    if (device_type)
      argument = ProgramArgument::Constant(Value::OnDevice(devices_.For(*device_type)));
  }

  std::optional<std::vector<SizeExpression>> ReadSizes(const Json& object, const char* key) {
    const auto at = object.find(key);
    if (at == object.end() || !at->is_array()) return {};
    std::vector<SizeExpression> sizes;
    for (const Json& size : *at) sizes.push_back(ReadSizeExpression(size));
    return sizes;
  }

  ProgramType ReadType(const Json& json) {
    using Kind = ProgramType::Kind;
    static const std::unordered_map<std::string, Kind> kinds = {
        {"tensor", Kind::kTensor}, {"int", Kind::kInt},   {"float", Kind::kFloat},
        {"bool", Kind::kBool},     {"none", Kind::kNone}, {"object", Kind::kObject}};
    ProgramType type;
    if (!json.is_object()) return type;
    const auto kind = kinds.find(TextIn(json, "kind"));
    if (kind != kinds.end()) type.kind = kind->second;
    type.dtype = FindDtype(TextIn(json, "dtype"));
    const std::string device = TextIn(json, "device");
    const std::optional<c10::Device> device_type =
        device.empty() ? std::nullopt : FindDevice(device);
    type.device = device_type ? devices_.For(*device_type) : devices_.Default();
    type.shape = ReadSizes(json, "shape");
    type.stride = ReadSizes(json, "stride");
    type.value = ReadSizeExpression(json.value("value", Json()));
    return type;
  }

  ProgramArgument Group(ProgramArgument::Kind kind, const Json& list) {
    ProgramArgument argument;
    argument.kind = kind;
    for (const Json& child : list) argument.children.push_back(ReadArgument(child));
    return argument;
  }

  static ProgramArgument NotTakenApart(std::string text) {
    ProgramArgument argument;
    argument.kind = ProgramArgument::Kind::kText;
    argument.text = std::move(text);
    return argument;
  }

  ProgramArgument ReadNamedValue(const std::string& name) {
    const auto slot = slot_of_name_.find(name);
    if (slot == slot_of_name_.end()) return NotTakenApart(name);
    return ProgramArgument::Slot(slot->second);
  }

  ProgramArgument ReadArgument(const Json& json) {
    if (json.is_null()) return ProgramArgument::Constant(Value::None());
    if (json.is_boolean()) return ProgramArgument::Constant(Value::Bool(json.get<bool>()));
    if (const std::optional<int64_t> integer = JsonInteger(json)) {
      return ProgramArgument::Constant(Value::Int(*integer));
    }
    if (json.is_number_float()) return ProgramArgument::Constant(Value::Float(json.get<double>()));
    if (!json.is_object() || json.size() != 1) return NotTakenApart(json.dump());
    const std::string tag = json.begin().key();
    const Json& inside = json.begin().value();
    if (inside.is_string()) {
      const auto text = inside.get<std::string>();
      if (tag == "value") return ReadNamedValue(text);
      if (tag == "str") return ProgramArgument::Constant(Value::Text(text));
      if (tag == "const") return ProgramArgument::Constant(ParseConstant(text, devices_));
      return NotTakenApart(text);
    }
    if (tag == "list") return Group(ProgramArgument::Kind::kList, inside);
    if (tag == "tuple") return Group(ProgramArgument::Kind::kTuple, inside);
    if (tag == "slice") return Group(ProgramArgument::Kind::kSlice, inside);
    if (tag == "dict") {
      ProgramArgument dict;
      dict.kind = ProgramArgument::Kind::kDict;
      for (const Json& pair : inside) {
        for (const Json& part : pair) dict.children.push_back(ReadArgument(part));
      }
      return dict;
    }
    if (tag == "expr") {
      ProgramArgument argument;
      argument.kind = ProgramArgument::Kind::kExpression;
      argument.expression = ReadSizeExpression(inside);
      return argument;
    }
    return NotTakenApart(json.dump());
  }

  /// From the analyzer's texts on inputs at padded positions: "False at padded positions".
  void ReadPadding(const Json& json) {
    ProgramPadding padding;
    padding.symbol = TextIn(json, "symbol");
    padding.verdict = TextIn(json, "verdict");
    for (const Json& input : ListIn(json, "inputs")) {
      const std::string why = TextIn(input, "why");
      const size_t end = why.find(" at padded positions");
      if (end == std::string::npos) continue;
      const Value fill = ParseConstant(why.substr(0, end), devices_);
      const bool is_named = fill.kind() == Value::Kind::kName;
      padding.fills.push_back(
          {TextIn(input, "input"), is_named ? std::stod(fill.AsText()) : fill.AsFloat()});
    }
    program_.padding.push_back(std::move(padding));
  }

  template <typename Visit>
  static void ForEachSlot(const ProgramArgument& argument, const Visit& visit) {
    if (argument.kind == ProgramArgument::Kind::kSlot) visit(argument.slot);
    for (const ProgramArgument& child : argument.children) ForEachSlot(child, visit);
  }

  void FreeAfterLastUse() {
    std::vector<bool> is_used_later(program_.slot_names.size(), false);
    ForEachSlot(program_.outputs, [&](uint32_t slot) { is_used_later[slot] = true; });
    for (auto node = program_.nodes.rbegin(); node != program_.nodes.rend(); ++node) {
      const auto free = [&](uint32_t slot) {
        if (!is_used_later[slot]) node->freed.push_back(slot);
        is_used_later[slot] = true;
      };
      for (const ProgramArgument& argument : node->args) ForEachSlot(argument, free);
      for (const auto& [name, argument] : node->kwargs) ForEachSlot(argument, free);
      for (const uint32_t output : node->outputs) free(output);
    }
  }

  const Json& json_;
  const DeviceChoice& devices_;
  Program program_;
  std::unordered_map<std::string, uint32_t> slot_of_name_;
};

bool IsMeant(const Json& json, const std::string& name) {
  if (TextIn(json, "name") == name) return true;
  const std::optional<int64_t> number = IntegerIn(json, "graph");
  return number && std::to_string(*number) == name;
}

/// Deeper than any argument or expression that the analyzer writes (512 operations, two levels
/// each).
constexpr int kMaxDepth = 1200;

/// Reads one object per line.
std::vector<Json> ReadObjects(std::istream& stream, const std::string& path) {
  const auto is_shallow = [&](int depth, Json::parse_event_t /*event*/, const Json& /*parsed*/) {
    if (depth > kMaxDepth) throw std::runtime_error(path + ": no program: nested too deep");
    return true;
  };
  std::vector<Json> objects;
  for (std::string line; std::getline(stream, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      objects.push_back(Json::parse(line, is_shallow));
    } catch (const Json::exception& error) {
      throw std::runtime_error(path + ": no program: " + error.what());
    }
  }
  for (const Json& object : objects) {
    if (!object.is_object() || TextIn(object, "schema") != kSchema) {
      throw std::runtime_error(path + ": no program; expected the schema " + kSchema +
                               ", as `shapewise graph --format program DUMP` writes it");
    }
  }
  return objects;
}

}  // namespace

bool ProgramArgument::IsConstant() const {
  if (kind == Kind::kSlot || kind == Kind::kExpression || kind == Kind::kText) return false;
  for (const ProgramArgument& child : children) {
    if (!child.IsConstant()) return false;
  }
  return true;
}

Program ReadProgram(const std::string& path, const std::string& graph,
                    const DeviceChoice& devices) {
  std::ifstream file;
  if (path != "-") file.open(path);
  std::istream& stream = path == "-" ? std::cin : file;
  if (!stream) throw std::runtime_error(path + ": cannot be read");
  const std::vector<Json> objects = ReadObjects(stream, path);
  if (objects.empty()) throw std::runtime_error(path + ": no program in it");

  std::set<int64_t> parts;  // graphs called by others
  for (const Json& object : objects) {
    for (const Json& part : ListIn(object, "subgraphs")) {
      if (const std::optional<int64_t> number = JsonInteger(part)) parts.insert(*number);
    }
  }
  for (const Json& object : objects) {
    const bool is_part = parts.contains(IntegerIn(object, "graph").value_or(-1));
    if (graph.empty() ? is_part : !IsMeant(object, graph)) continue;
    return Reader(object, devices).Read();
  }
  std::string names;
  for (const Json& object : objects) names += (names.empty() ? "" : ", ") + TextIn(object, "name");
  throw std::runtime_error(path + ": no graph '" + graph + "'; it holds " + names);
}

}  // namespace shapewise::replay
