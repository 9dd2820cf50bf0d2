#include "ingest/formats/pt2/exported_graph.h"

#include "ingest/graph_text/finish_graph.h"
#include "ingest/json_fields.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;
using ArgumentKind = Argument::Kind;

/// The name of the value in {"as_tensor": {"name": "x"}} or {"as_sym_int": {"as_name": "s"}};
/// empty if there is none.
std::string_view NameIn(const ExportedUnion& argument) {
  dom::object object;
  if (argument.value.get(object) != simdjson::SUCCESS) return {};
  const std::string_view name = JsonText(object, "name");
  return name.empty() ? JsonText(object, "as_name") : name;
}

/// What each element of a list in the schema is: "as_ints" holds "as_int".
constexpr std::pair<std::string_view, std::string_view> kLists[] = {
    {"as_tensors", "as_tensor"},
    {"as_ints", "as_int"},
    {"as_floats", "as_float"},
    {"as_strings", "as_string"},
    {"as_bools", "as_bool"},
    {"as_sym_ints", "as_sym_int"},
    {"as_sym_floats", "as_sym_float"},
    {"as_sym_bools", "as_sym_bool"},
    {"as_optional_tensors", "as_optional_tensor"},
    {"as_nested_tensors", "as_tensors"},
    {"as_int_lists", "as_ints"},
    {"as_float_lists", "as_floats"},
};

std::string_view ElementTag(std::string_view tag) {
  const auto* const at = llvm::find_if(kLists, [&](const auto& pair) { return pair.first == tag; });
  return at == std::end(kLists) ? std::string_view() : at->second;
}

// Arguments that ATen's schemas take by keyword only. Files before schema 8.3 do not tell.
constexpr std::string_view kKeywordOnly[] = {
    "alpha",       "dtype",      "layout",    "device",        "pin_memory", "memory_format",
    "approximate", "correction", "generator", "rounding_mode", "enable_gqa",
};
constexpr int64_t kKeywordKind = 2;

/// "device(type='cuda', index=0)" for "cuda:0".
std::string DeviceConstant(std::string_view device) {
  const size_t colon = device.find(':');
  std::string text = "device(type='" + std::string(device.substr(0, colon)) + "'";
  if (colon != std::string_view::npos) {
    text += ", index=" + std::string(device.substr(colon + 1));
  }
  return text + ")";
}

std::string_view WithoutOpsPrefix(std::string_view target) {
  if (ConsumeFront(target, "torch.ops.")) return target;
  return target.starts_with("_operator.") ? target.substr(1) : target;
}

}  // namespace

void ExportedGraphReader::Read(dom::object graph, const std::vector<ExportedInput>& inputs) {
  IndexTypes(graph);
  static const ExportedInput untold;
  if (const auto list = JsonArray(graph, "inputs")) {
    size_t index = 0;
    for (const dom::element input : *list) {
      ReadInput(input, index < inputs.size() ? inputs[index] : untold);
      ++index;
    }
  }
  if (const auto nodes = JsonArray(graph, "nodes")) {
    for (const dom::element element : *nodes) {
      dom::object node;
      if (element.get(node) == simdjson::SUCCESS) {
        ReadNode(node);
      } else {
        graphs_.stats.Bump(Stat::graph_node_unreadable, input_, 0);
      }
    }
  }
  ReadOutputs(graph);
  // The signature tells what the inputs are; their names would be a guess.
  const std::vector<Placeholder> told = graph_.placeholders;
  FinishGraph(graphs_, graph_, /*is_joint=*/false);
  graph_.placeholders = told;
}

void ExportedGraphReader::IndexTypes(dom::object graph) {
  constexpr std::pair<std::string_view, ValueType::Kind> kTables[] = {
      {"tensor_values", ValueType::Kind::kTensor},     {"sym_int_values", ValueType::Kind::kInt},
      {"sym_float_values", ValueType::Kind::kFloat},   {"sym_bool_values", ValueType::Kind::kBool},
      {"custom_obj_values", ValueType::Kind::kObject},
  };
  for (const auto& [name, kind] : kTables) {
    const auto table = JsonObject(graph, name);
    if (!table) continue;
    for (const dom::key_value_pair entry : *table) {
      metas_.try_emplace(llvm::StringRef(entry.key), kind, entry.value);
    }
  }
}

uint32_t ExportedGraphReader::TypeOf(std::string_view name) {
  const auto at = metas_.find(llvm::StringRef(name));
  if (at == metas_.end()) return kNoIndex;
  const auto& [kind, meta] = at->second;
  if (kind == ValueType::Kind::kTensor) return types_.OfTensor(meta);
  if (kind != ValueType::Kind::kObject) return types_.OfSymbolic(kind, meta);
  dom::object object;
  if (meta.get(object) != simdjson::SUCCESS) return kNoIndex;
  return types_.OfObject(JsonText(object, "class_fqn"));
}

uint32_t ExportedGraphReader::AddNode(NodeKind kind, std::string_view target) {
  GraphNode& node = graph_.nodes.emplace_back();
  node.kind = kind;
  node.target = graphs_.strings.Intern(target);
  node.first_value = static_cast<uint32_t>(graph_.values.size());
  return static_cast<uint32_t>(graph_.nodes.size() - 1);
}

uint32_t ExportedGraphReader::AddValue(uint32_t node, std::string_view name, uint32_t type) {
  const auto index = static_cast<uint32_t>(graph_.values.size());
  graph_.values.push_back({graphs_.strings.Intern(name), node, type});
  graph_.nodes[node].first_value = index;
  graph_.nodes[node].num_values = 1;
  values_.insert_or_assign(llvm::StringRef(name), index);
  return index;
}

std::string ExportedGraphReader::UniqueName(std::string_view stem) {
  std::string name(stem);
  uint32_t& number = last_numbers_[llvm::StringRef(stem)];
  while (values_.count(name) != 0 || metas_.count(name) != 0) {
    name = std::string(stem) + "_" + std::to_string(++number);
  }
  return name;
}

void ExportedGraphReader::ReadInput(dom::element input, const ExportedInput& told) {
  const ExportedUnion argument = UnionOf(input);
  std::string name(NameIn(argument));
  uint32_t type = name.empty() ? kNoIndex : TypeOf(name);
  Placeholder placeholder;
  placeholder.kind = told.kind;
  if (name.empty()) {
    // A constant that the caller gave: its value stands where others have their name.
    name = told.constant.empty() ? UniqueName("arg") : told.constant;
    if (argument.tag == "as_none") type = types_.OfNone();
    if (argument.tag == "as_int") type = types_.OfSymbolic(ValueType::Kind::kInt, input);
    if (argument.tag == "as_bool") type = types_.OfSymbolic(ValueType::Kind::kBool, input);
    if (argument.tag == "as_float") type = types_.OfSymbolic(ValueType::Kind::kFloat, input);
    if (argument.tag == "as_string") type = types_.OfObject("str");
  } else if (argument.tag.starts_with("as_sym_")) {
    placeholder.kind = PlaceholderKind::kSymbol;
  } else if (argument.tag == "as_custom_obj") {
    placeholder.kind = PlaceholderKind::kConstant;
  }
  placeholder.node = AddNode(NodeKind::kPlaceholder, name);
  placeholder.source = graphs_.strings.Intern(told.source);
  AddValue(placeholder.node, name, type);
  graph_.placeholders.push_back(placeholder);
}

void ExportedGraphReader::ReadNode(dom::object node) {
  const std::string_view target = WithoutOpsPrefix(JsonText(node, "target"));
  // Arguments first: a subgraph in them is a get_attr node in front of this one.
  const std::vector<ArgumentTree> arguments = ReadArguments(node);
  const uint32_t index = AddNode(NodeKind::kCallFunction, target);
  SetArguments(graph_, index, arguments);
  ReadMetadata(node, graph_.nodes[index]);
  ReadResults(node, index);
}

void ExportedGraphReader::ReadMetadata(dom::object node, GraphNode& read) {
  const auto metadata = JsonObject(node, "metadata");
  if (!metadata) return;
  // The frames of a Python stack, the innermost last; code that torch.fx wrote is nobody's.
  std::string_view stack = JsonText(*metadata, "stack_trace");
  while (!stack.empty()) {
    const size_t at = stack.rfind("File \"");
    if (at == std::string_view::npos) return;
    std::string_view frame = stack.substr(at);
    stack = stack.substr(0, at);
    ConsumeFront(frame, "File \"");
    const std::string_view file = frame.substr(0, frame.find('"'));
    if (file.starts_with("<eval_with_key>")) continue;
    frame.remove_prefix(file.size());
    if (!ConsumeFront(frame, "\", line ")) return;
    read.user_line = ConsumeUint<uint32_t>(frame).value_or(0);
    read.user_file = graphs_.strings.Intern(file);
    if (!ConsumeFront(frame, ", in ")) return;
    const size_t end = std::min(frame.find('\n'), frame.size());
    read.user_function = graphs_.strings.Intern(Trim(frame.substr(0, end)));
    frame.remove_prefix(std::min(frame.size(), end + 1));
    read.code = graphs_.strings.Intern(Trim(frame.substr(0, frame.find('\n'))));
    return;
  }
}

std::vector<ArgumentTree> ExportedGraphReader::ReadArguments(dom::object node) {
  std::vector<ArgumentTree> arguments;
  const auto inputs = JsonArray(node, "inputs");
  if (!inputs) return arguments;
  arguments.reserve(inputs->size());
  bool is_keyword = false;
  for (const dom::element element : *inputs) {
    dom::object input;
    dom::element argument;
    if (element.get(input) != simdjson::SUCCESS ||
        input["arg"].get(argument) != simdjson::SUCCESS) {
      continue;
    }
    const std::string_view name = JsonText(input, "name");
    const std::optional<int64_t> kind = JsonInt(input, "kind");
    is_keyword = kind.value_or(0) != 0 ? *kind == kKeywordKind
                                       : is_keyword || llvm::is_contained(kKeywordOnly, name);
    ArgumentTree read = ReadArgument(argument);
    if (is_keyword) read.argument.keyword = graphs_.strings.Intern(name);
    arguments.push_back(std::move(read));
  }
  return arguments;
}

void ExportedGraphReader::ReadResults(dom::object node, uint32_t index) {
  const std::string_view target = graphs_.strings.text(graph_.nodes[index].target);
  const std::string_view told_name = JsonText(node, "name");
  std::vector<ExportedUnion> results;
  if (const auto outputs = JsonArray(node, "outputs")) {
    for (const dom::element output : *outputs) results.push_back(UnionOf(output));
  }
  // Schemas before 8.9 do not tell the name of a node with several results.
  const auto own_name = [&] {
    if (!told_name.empty()) return std::string(told_name);
    const size_t end = target.rfind('.');
    const std::string_view path = target.starts_with("aten.") ? target.substr(0, end) : target;
    return UniqueName(path.substr(path.rfind('.') + 1));
  };
  bool is_single = true;
  const bool is_tuple_of_one =
      target.starts_with("higher_order.") &&
      node["is_hop_single_tensor_return"].get(is_single) == simdjson::SUCCESS && !is_single;
  if (results.size() == 1 && ElementTag(results[0].tag).empty() && !is_tuple_of_one) {
    const std::string_view name = NameIn(results[0]);
    if (!name.empty()) {
      AddValue(index, name, TypeOf(name));
      return;
    }
  }
  const std::string name = own_name();
  const bool is_none = results.empty() || (results.size() == 1 && results[0].tag == "as_none");
  AddValue(index, name, is_none ? types_.OfNone() : kNoIndex);
  if (is_none) return;
  const std::string unused = name + "_unused_";
  dom::array elements;
  if (results.size() == 1 && !ElementTag(results[0].tag).empty() &&
      results[0].value.get(elements) == simdjson::SUCCESS) {
    const std::string_view tag = ElementTag(results[0].tag);
    results.clear();
    for (const dom::element element : elements) results.push_back({tag, element});
  }
  AddElements(index, results, unused);
}

void ExportedGraphReader::AddElements(uint32_t node, const std::vector<ExportedUnion>& results,
                                      std::string_view unused) {
  // A name such as "split_unused_1" stands for a result that no getitem node takes.
  const auto is_taken = [&](std::string_view name) {
    return !name.empty() && !name.starts_with(unused);
  };
  for (size_t i = 0; i < results.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    dom::array list;
    if (results[i].value.get(list) != simdjson::SUCCESS) {
      const std::string_view name = NameIn(results[i]);
      if (is_taken(name)) AddElement(node, position, name, TypeOf(name));
      continue;
    }
    std::vector<std::string_view> names;
    for (const dom::element element : list) names.push_back(NameIn({"as_tensor", element}));
    if (llvm::none_of(names, is_taken)) continue;
    AddElement(node, position, UniqueName("getitem"), kNoIndex);
    const auto list_node = static_cast<uint32_t>(graph_.nodes.size() - 1);
    for (size_t k = 0; k < names.size(); ++k) {
      if (!is_taken(names[k])) continue;
      AddElement(list_node, static_cast<int64_t>(k), names[k], TypeOf(names[k]));
    }
  }
}

void ExportedGraphReader::AddElement(uint32_t aggregate, int64_t position, std::string_view name,
                                     uint32_t type) {
  const uint32_t index = AddNode(NodeKind::kCallFunction, "operator.getitem");
  SetArguments(
      graph_, index,
      {ArgumentTree::Value(graph_.nodes[aggregate].first_value), ArgumentTree::Int(position)});
  GraphNode& node = graph_.nodes[index];
  const GraphNode& from = graph_.nodes[aggregate];
  node.user_file = from.user_file;
  node.user_line = from.user_line;
  node.user_function = from.user_function;
  node.code = from.code;
  AddValue(index, name, type);
}

void ExportedGraphReader::ReadOutputs(dom::object graph) {
  std::vector<ArgumentTree> outputs;
  if (const auto list = JsonArray(graph, "outputs")) {
    for (const dom::element output : *list) outputs.push_back(ReadArgument(output));
  }
  for (const ArgumentTree& output : outputs) {
    if (output.argument.kind == ArgumentKind::kValue)
      graph_.outputs.push_back(output.argument.index);
    for (const ArgumentTree& part : output.parts) {
      if (part.argument.kind == ArgumentKind::kValue) graph_.outputs.push_back(part.argument.index);
    }
  }
  const uint32_t index = AddNode(NodeKind::kOutput, "output");
  if (JsonIsTrue(graph, "is_single_tensor_return") && outputs.size() == 1) {
    SetArguments(graph_, index, outputs);
  } else {
    SetArguments(graph_, index, {ArgumentTree::Group(ArgumentKind::kTuple, std::move(outputs))});
  }
}

ArgumentTree ExportedGraphReader::ReadArgument(dom::element argument) {
  return ReadTagged(UnionOf(argument));
}

ArgumentTree ExportedGraphReader::ReadTagged(const ExportedUnion& argument) {
  const std::string_view tag = argument.tag;
  if (const std::string_view element_tag = ElementTag(tag); !element_tag.empty()) {
    return ReadList(element_tag, argument.value);
  }
  if (tag == "as_graph") return AddSubgraph(argument.value);
  if (tag == "as_tensor" || tag == "as_custom_obj") return ReadNamed(NameIn(argument));
  if (tag.starts_with("as_sym_") || tag == "as_optional_tensor") {
    const ExportedUnion inner = UnionOf(argument.value);
    std::string_view name;
    if (inner.tag == "as_name" && inner.value.get(name) == simdjson::SUCCESS) {
      return ReadNamed(name);
    }
    // Only these stand in there, so that no file makes the reader go deeper.
    if (inner.tag == "as_int" || inner.tag == "as_float" || inner.tag == "as_bool" ||
        inner.tag == "as_tensor") {
      return ReadTagged(inner);
    }
    return {};
  }
  const auto constant = [&](std::string_view text) {
    return ArgumentTree::Text(ArgumentKind::kConstant, graphs_.strings.Intern(text));
  };
  int64_t integer = 0;
  const bool is_integer = argument.value.get(integer) == simdjson::SUCCESS;
  if (tag == "as_int" && is_integer) return ArgumentTree::Int(integer);
  if (tag == "as_scalar_type" && is_integer) return constant(ExportedDtype(integer));
  if (tag == "as_layout" && is_integer) return constant(ExportedLayout(integer));
  if (tag == "as_memory_format" && is_integer) return constant(ExportedMemoryFormat(integer));
  if (tag == "as_device") return constant(DeviceConstant(ExportedDevice(argument.value)));
  double number = 0;
  if (tag == "as_float" && argument.value.get(number) == simdjson::SUCCESS) {
    return ArgumentTree::Float(number);
  }
  bool is_true = false;
  if (tag == "as_bool" && argument.value.get(is_true) == simdjson::SUCCESS) {
    return ArgumentTree::Bool(is_true);
  }
  std::string_view text;
  if (argument.value.get(text) == simdjson::SUCCESS) {
    // Numbers that JSON has no word for are texts: "Infinity".
    if (tag == "as_float" || tag == "as_operator") return constant(text);
    return ArgumentTree::Text(ArgumentKind::kString, graphs_.strings.Intern(text));
  }
  dom::object object;
  if (tag == "as_string_to_argument" && argument.value.get(object) == simdjson::SUCCESS) {
    std::vector<ArgumentTree> parts;
    for (const dom::key_value_pair field : object) {
      parts.push_back(ArgumentTree::Text(ArgumentKind::kString, graphs_.strings.Intern(field.key)));
      parts.push_back(ReadArgument(field.value));
    }
    return ArgumentTree::Group(ArgumentKind::kDict, std::move(parts));
  }
  if (tag.empty() || tag == "as_none") return {};
  return ArgumentTree::Text(ArgumentKind::kText,
                            graphs_.strings.Intern(simdjson::minify(argument.value)));
}

ArgumentTree ExportedGraphReader::ReadList(std::string_view element_tag, dom::element list) {
  std::vector<ArgumentTree> parts;
  dom::array array;
  if (list.get(array) == simdjson::SUCCESS) {
    parts.reserve(array.size());
    for (const dom::element element : array) parts.push_back(ReadTagged({element_tag, element}));
  }
  return ArgumentTree::Group(ArgumentKind::kList, std::move(parts));
}

ArgumentTree ExportedGraphReader::ReadNamed(std::string_view name) {
  const auto at = values_.find(llvm::StringRef(name));
  if (at != values_.end()) return ArgumentTree::Value(at->second);
  return ArgumentTree::Text(ArgumentKind::kText, graphs_.strings.Intern(name));
}

ArgumentTree ExportedGraphReader::AddSubgraph(dom::element argument) {
  dom::object object;
  dom::object graph;
  if (argument.get(object) != simdjson::SUCCESS ||
      object["graph"].get(graph) != simdjson::SUCCESS) {
    return {};
  }
  const std::string name = UniqueName(JsonText(object, "name"));
  const uint32_t index = AddNode(NodeKind::kGetAttr, JsonText(object, "name"));
  subgraphs_.emplace_back(name, graph);
  return ArgumentTree::Value(AddValue(index, name, kNoIndex));
}

}  // namespace shapewise
