#include "ingest/formats/pt2/exported_graph.h"

#include <span>

#include "ingest/graph_text/finish_graph.h"
#include "ingest/json_fields.h"
#include "ingest/messages/frame_line.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;
using ArgumentKind = Argument::Kind;

// Numbered names of torch/_export/serde/schema.py, schema versions 1 to 8.20; the first name of
// each list has the number `first`.
struct NumberedNames {
  std::string_view tag;
  int64_t first;
  std::span<const std::string_view> names;
};
constexpr std::string_view kDtypes[] = {
    "torch.uint8",      "torch.int8",    "torch.int16",    "torch.int32",     "torch.int64",
    "torch.float16",    "torch.float32", "torch.float64",  "torch.complex32", "torch.complex64",
    "torch.complex128", "torch.bool",    "torch.bfloat16",
};
constexpr std::string_view kNewDtypes[] = {
    "torch.uint16",          "torch.float8_e4m3fn",  "torch.float8_e5m2", "torch.float8_e4m3fnuz",
    "torch.float8_e5m2fnuz", "torch.float8_e8m0fnu", "torch.uint32",      "torch.uint64",
};
constexpr std::string_view kLayouts[] = {
    "torch.sparse_coo", "torch.sparse_csr", "torch.sparse_csc", "torch.sparse_bsr",
    "torch.sparse_bsc", "torch._mkldnn",    "torch.strided",
};
constexpr std::string_view kMemoryFormats[] = {
    "torch.contiguous_format",
    "torch.channels_last",
    "torch.channels_last_3d",
    "torch.preserve_format",
};
constexpr NumberedNames kNumberedNames[] = {
    {"as_scalar_type", 1, kDtypes},
    {"as_scalar_type", 28, kNewDtypes},
    {"as_layout", 1, kLayouts},
    {"as_memory_format", 1, kMemoryFormats},
};

/// The name of the value in {"as_tensor": {"name": "x"}} or {"as_sym_int": {"as_name": "s"}};
/// empty without a name.
std::string_view NameIn(const ExportedUnion& argument) {
  const auto object = JsonAs<dom::object>(argument.value);
  if (!object) return {};
  const std::string_view name = JsonText(*object, "name");
  return name.empty() ? JsonText(*object, "as_name") : name;
}

/// "torch.float32" for the number of a ScalarType in the member "as_scalar_type" of a union, whose
/// numbers are not those of c10; in the same way "torch.strided" for "as_layout",
/// "torch.contiguous_format" for "as_memory_format". Empty for any other.
std::string_view ExportedConstant(std::string_view tag, int64_t number) {
  for (const auto& [known, first, names] : kNumberedNames) {
    const uint64_t index = static_cast<uint64_t>(number) - static_cast<uint64_t>(first);
    if (known == tag && index < names.size()) return names[index];
  }
  return {};
}

/// "cuda:0" for {"type": "cuda", "index": 0}.
std::string ExportedDevice(dom::element device) {
  const auto object = JsonAs<dom::object>(device);
  if (!object) return {};
  const std::optional<int64_t> index = JsonInt(*object, "index");
  return std::string(JsonText(*object, "type")) + (index ? ":" + std::to_string(*index) : "");
}

/// The tag of the elements of a list in the schema: "as_ints" holds "as_int". Empty: no list.
std::string_view ElementTag(std::string_view tag) {
  constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
      {"as_nested_tensors", "as_tensors"},
      {"as_int_lists", "as_ints"},
      {"as_float_lists", "as_floats"},
  };
  for (const auto& [list, element] : kIrregular) {
    if (list == tag) return element;
  }
  const bool is_list =
      IsOneOf(tag, {"as_tensors", "as_ints", "as_floats", "as_strings", "as_bools", "as_sym_ints",
                    "as_sym_floats", "as_sym_bools", "as_optional_tensors"});
  return is_list ? tag.substr(0, tag.size() - 1) : std::string_view();
}

// Arguments that ATen's schemas take by keyword only. Files before schema 8.3 do not say which.
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

ExportedUnion UnionOf(dom::element element) {
  ExportedUnion first{{}, element};
  const auto object = JsonAs<dom::object>(element);
  if (!object) return first;
  for (const dom::key_value_pair field : *object) {
    if (first.tag.empty()) first = {field.key, field.value};
    if (!field.value.is_null()) return {field.key, field.value};
  }
  return first;
}

ExprId ExportedTypes::Expression(dom::element symbolic) {
  if (const auto number = JsonAs<int64_t>(symbolic)) return graphs_.expressions.Integer(*number);
  const ExportedUnion chosen = UnionOf(symbolic);
  if (chosen.tag == "as_bool") {
    const auto is_true = JsonAs<bool>(chosen.value);
    return is_true ? graphs_.expressions.Bool(*is_true) : ExprId::kNone;
  }
  if (chosen.tag == "as_int") {
    const auto number = JsonAs<int64_t>(chosen.value);
    return number ? graphs_.expressions.Integer(*number) : ExprId::kNone;
  }
  if (chosen.tag != "as_expr") return ExprId::kNone;
  const auto object = JsonAs<dom::object>(chosen.value);
  if (!object) return ExprId::kNone;
  const std::string_view text = JsonText(*object, "expr_str");
  // Schemas before 7.0 have sympy's str, later ones its srepr.
  const bool is_srepr = HasText(text, "Symbol('") || HasText(text, "Integer(");
  const ExprId expression =
      is_srepr ? graphs_.expressions.ParseSrepr(text) : graphs_.expressions.Parse(text);
  if (expression == ExprId::kNone) {
    graphs_.stats.Bump(Stat::graph_expression_unknown, input_, 0);
    return expression;
  }
  const auto hint = JsonField(*object, "hint");
  if (!hint || graphs_.expressions.kind(expression) != ExprKind::kSymbol) return expression;
  // The hint is a union since schema 2, a plain number before.
  const auto value = JsonAs<int64_t>(hint->is_object() ? UnionOf(*hint).value : *hint);
  if (value) symbols_.Of(expression).hint = value;
  return expression;
}

/// False if `meta` does not name them.
bool ExportedTypes::ReadSizes(dom::object meta, std::string_view key, std::vector<ExprId>& sizes) {
  const auto list = JsonField(meta, key);
  const auto items = list ? JsonAs<dom::array>(*list) : std::nullopt;
  if (items) {
    for (const dom::element size : *items) sizes.push_back(Expression(size));
  }
  return list.has_value();
}

uint32_t ExportedTypes::OfTensor(dom::element meta) {
  ValueType type;
  type.kind = ValueType::Kind::kTensor;
  if (const auto object = JsonAs<dom::object>(meta)) {
    if (const std::optional<int64_t> dtype = JsonInt(*object, "dtype")) {
      type.dtype = graphs_.strings.Intern(ExportedConstant("as_scalar_type", *dtype));
    }
    if (const auto device = JsonField(*object, "device")) {
      type.device = graphs_.strings.Intern(ExportedDevice(*device));
    }
    type.has_shape = ReadSizes(*object, "sizes", type.shape);
    type.has_stride = ReadSizes(*object, "strides", type.stride);
    type.requires_grad = JsonAs<bool>((*object)["requires_grad"]);
  }
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfSymbolic(ValueType::Kind kind, dom::element symbolic) {
  ValueType type;
  type.kind = kind;
  type.expression = Expression(symbolic);
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfObject(std::string_view class_name) {
  ValueType type;
  type.kind = ValueType::Kind::kObject;
  type.dtype = graphs_.strings.Intern(class_name);
  return graphs_.InternType(std::move(type));
}

uint32_t ExportedTypes::OfNone() {
  ValueType type;
  type.kind = ValueType::Kind::kNone;
  return graphs_.InternType(std::move(type));
}

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
      if (const auto node = JsonAs<dom::object>(element)) {
        ReadNode(*node);
      } else {
        graphs_.stats.Bump(Stat::graph_node_unreadable, input_, 0);
      }
    }
  }
  ReadOutputs(graph);
  // The signature says what the inputs are; their names would be a guess.
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
  const auto object = JsonAs<dom::object>(meta);
  return object ? types_.OfObject(JsonText(*object, "class_fqn")) : kNoIndex;
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
  // The frames of a Python stack, the innermost last; code that torch.fx wrote has no author.
  CodePlace innermost;
  std::string_view code;
  bool is_code_next = false;
  ForEachLine(JsonText(*metadata, "stack_trace"), 1, [&](std::string_view line, uint64_t) {
    if (std::exchange(is_code_next, false)) code = Trim(line);
    CodePlace place;
    is_code_next = ParseFrameLine(line, place) && !place.file.starts_with("<eval_with_key>");
    if (!is_code_next) return;
    innermost = place;
    code = {};
  });
  read.user_file = graphs_.strings.Intern(innermost.file);
  read.user_line = innermost.line;
  read.user_function = graphs_.strings.Intern(innermost.function);
  read.code = graphs_.strings.Intern(code);
}

std::vector<ArgumentTree> ExportedGraphReader::ReadArguments(dom::object node) {
  std::vector<ArgumentTree> arguments;
  bool is_keyword = false;
  ForEachObject(node, "inputs", [&](dom::object input) {
    const auto argument = JsonAs<dom::element>(input["arg"]);
    if (!argument) return;
    const std::string_view name = JsonText(input, "name");
    const int64_t kind = JsonInt(input, "kind").value_or(0);
    is_keyword =
        kind != 0 ? kind == kKeywordKind : is_keyword || llvm::is_contained(kKeywordOnly, name);
    ArgumentTree read = ReadTagged(UnionOf(*argument));
    if (is_keyword) read.argument.keyword = graphs_.strings.Intern(name);
    arguments.push_back(std::move(read));
  });
  return arguments;
}

void ExportedGraphReader::ReadResults(dom::object node, uint32_t index) {
  const std::string_view target = graphs_.strings.text(graph_.nodes[index].target);
  const std::string_view given_name = JsonText(node, "name");
  std::vector<ExportedUnion> results;
  if (const auto outputs = JsonArray(node, "outputs")) {
    for (const dom::element output : *outputs) results.push_back(UnionOf(output));
  }
  const bool is_tuple_of_one = target.starts_with("higher_order.") &&
                               !JsonAs<bool>(node["is_hop_single_tensor_return"]).value_or(true);
  if (results.size() == 1 && ElementTag(results[0].tag).empty() && !is_tuple_of_one) {
    const std::string_view name = NameIn(results[0]);
    if (!name.empty()) {
      AddValue(index, name, TypeOf(name));
      return;
    }
  }
  std::string name(given_name);
  if (name.empty()) {
    // Schemas before 8.9 do not name a node with several results.
    const size_t end = target.starts_with("aten.") ? target.rfind('.') : target.size();
    name = UniqueName(LastName(target.substr(0, end)));
  }
  const bool is_none = results.empty() || (results.size() == 1 && results[0].tag == "as_none");
  AddValue(index, name, is_none ? types_.OfNone() : kNoIndex);
  if (is_none) return;
  const std::string unused = name + "_unused_";
  const std::string_view tag = results.size() == 1 ? ElementTag(results[0].tag) : "";
  const auto elements = tag.empty() ? std::nullopt : JsonAs<dom::array>(results[0].value);
  if (elements) {
    results.clear();
    for (const dom::element element : *elements) results.push_back({tag, element});
  }
  AddElements(index, results, unused);
}

void ExportedGraphReader::AddElements(uint32_t node, const std::vector<ExportedUnion>& results,
                                      std::string_view unused) {
  // No getitem node takes a result called "split_unused_1".
  const auto is_taken = [&](std::string_view name) {
    return !name.empty() && !name.starts_with(unused);
  };
  for (size_t i = 0; i < results.size(); ++i) {
    const auto position = static_cast<int64_t>(i);
    const auto list = JsonAs<dom::array>(results[i].value);
    if (!list) {
      const std::string_view name = NameIn(results[i]);
      if (is_taken(name)) AddElement(node, position, name, TypeOf(name));
      continue;
    }
    std::vector<std::string_view> names;
    for (const dom::element element : *list) names.push_back(NameIn({"as_tensor", element}));
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
    for (const dom::element output : *list) outputs.push_back(ReadTagged(UnionOf(output)));
  }
  const auto add = [&](const ArgumentTree& output) {
    if (output.argument.kind == ArgumentKind::kValue) {
      graph_.outputs.push_back(output.argument.index);
    }
  };
  for (const ArgumentTree& output : outputs) {
    add(output);
    llvm::for_each(output.parts, add);
  }
  const uint32_t index = AddNode(NodeKind::kOutput, "output");
  if (JsonIsTrue(graph, "is_single_tensor_return") && outputs.size() == 1) {
    SetArguments(graph_, index, outputs);
  } else {
    SetArguments(graph_, index, {ArgumentTree::Group(ArgumentKind::kTuple, std::move(outputs))});
  }
}

ArgumentTree ExportedGraphReader::ReadTagged(const ExportedUnion& argument) {
  const std::string_view tag = argument.tag;
  const dom::element value = argument.value;
  if (tag.empty() || tag == "as_none") return {};
  if (const std::string_view element_tag = ElementTag(tag); !element_tag.empty()) {
    return ReadList(element_tag, value);
  }
  if (tag == "as_graph") return AddSubgraph(value);
  if (tag == "as_tensor" || tag == "as_custom_obj") return ReadNamed(NameIn(argument));
  if (tag.starts_with("as_sym_") || tag == "as_optional_tensor") {
    const ExportedUnion inner = UnionOf(value);
    const auto name = JsonAs<std::string_view>(inner.value);
    if (inner.tag == "as_name" && name) return ReadNamed(*name);
    // Only these stand in there, so that no file makes the reader go deeper.
    const bool is_plain = IsOneOf(inner.tag, {"as_int", "as_float", "as_bool", "as_tensor"});
    return is_plain ? ReadTagged(inner) : ArgumentTree();
  }
  const auto text_of = [&](ArgumentKind kind, std::string_view text) {
    return ArgumentTree::Text(kind, graphs_.strings.Intern(text));
  };
  const auto integer = JsonAs<int64_t>(value);
  if (tag == "as_int" && integer) return ArgumentTree::Int(*integer);
  if (integer && IsOneOf(tag, {"as_scalar_type", "as_layout", "as_memory_format"})) {
    return text_of(ArgumentKind::kConstant, ExportedConstant(tag, *integer));
  }
  if (tag == "as_device") {
    return text_of(ArgumentKind::kConstant, DeviceConstant(ExportedDevice(value)));
  }
  const auto number = JsonAs<double>(value);
  if (tag == "as_float" && number) return ArgumentTree::Float(*number);
  const auto is_true = JsonAs<bool>(value);
  if (tag == "as_bool" && is_true) return ArgumentTree::Bool(*is_true);
  if (const auto text = JsonAs<std::string_view>(value)) {
    // Numbers that JSON has no word for are texts: "Infinity".
    const bool is_constant = tag == "as_float" || tag == "as_operator";
    return text_of(is_constant ? ArgumentKind::kConstant : ArgumentKind::kString, *text);
  }
  const auto object = JsonAs<dom::object>(value);
  if (tag != "as_string_to_argument" || !object) {
    return text_of(ArgumentKind::kText, std::string(simdjson::minify(value)));
  }
  std::vector<ArgumentTree> parts;
  for (const dom::key_value_pair field : *object) {
    parts.push_back(text_of(ArgumentKind::kString, field.key));
    parts.push_back(ReadTagged(UnionOf(field.value)));
  }
  return ArgumentTree::Group(ArgumentKind::kDict, std::move(parts));
}

ArgumentTree ExportedGraphReader::ReadList(std::string_view element_tag, dom::element list) {
  std::vector<ArgumentTree> parts;
  if (const auto array = JsonAs<dom::array>(list)) {
    parts.reserve(array->size());
    for (const dom::element element : *array) parts.push_back(ReadTagged({element_tag, element}));
  }
  return ArgumentTree::Group(ArgumentKind::kList, std::move(parts));
}

ArgumentTree ExportedGraphReader::ReadNamed(std::string_view name) {
  const auto at = values_.find(llvm::StringRef(name));
  if (at != values_.end()) return ArgumentTree::Value(at->second);
  return ArgumentTree::Text(ArgumentKind::kText, graphs_.strings.Intern(name));
}

ArgumentTree ExportedGraphReader::AddSubgraph(dom::element argument) {
  const auto object = JsonAs<dom::object>(argument);
  const auto graph = object ? JsonObject(*object, "graph") : std::nullopt;
  if (!graph) return {};
  const std::string name = UniqueName(JsonText(*object, "name"));
  const uint32_t index = AddNode(NodeKind::kGetAttr, JsonText(*object, "name"));
  subgraphs_.emplace_back(name, *graph);
  return ArgumentTree::Value(AddValue(index, name, kNoIndex));
}

}  // namespace shapewise
