// Archives of torch.export.save: exported programs, in the layouts of 2.1 to 2.7 and of 2.8 on.

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/data_tables.h"
#include "ingest/graph_format.h"
#include "ingest/graph_text/arguments.h"
#include "ingest/graph_text/graph_builder.h"
#include "ingest/json_fields.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/whole_lines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "support/text_scan.h"
#include "support/zip_archive.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;
using ArgumentKind = Argument::Kind;
using TypeKind = ValueType::Kind;

/// A union of the schema: an object with the name of the member that is set.
struct ExportedUnion {
  std::string_view tag;  ///< "as_tensor"; empty: no union
  dom::element value;    ///< without a union: the element itself
};

/// The member of `element` that is set: the only one, or the first that is not null.
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

/// The signature's data about an input.
struct ExportedInput {
  PlaceholderKind kind = PlaceholderKind::kInput;
  std::string source;    ///< "self.fc.weight"; empty: unknown
  std::string constant;  ///< the name of an input passed as a constant
};

/// A graph nested in an argument, with the name of the get_attr node that returns it.
using ExportedSubgraph = std::pair<std::string, dom::object>;

/// "torch.float32" for the number of a ScalarType in the member "as_scalar_type" of a union, whose
/// numbers differ from those of c10; similarly "torch.strided" for "as_layout",
/// "torch.contiguous_format" for "as_memory_format". Empty for any other.
std::string_view NumberedConstant(std::string_view tag, int64_t number) {
  if (tag == "as_scalar_type") return FindDtype(&Dtype::number, number);
  const std::vector<std::string_view> names =
      JsonTexts(DataTable("graphs"), tag == "as_layout" ? "layouts" : "memory_formats");
  const uint64_t index = static_cast<uint64_t>(number) - 1;
  return index < names.size() ? names[index] : std::string_view();
}

/// The name of the value in {"as_tensor": {"name": "x"}} or {"as_sym_int": {"as_name": "s"}};
/// empty without a name.
std::string_view NameIn(const ExportedUnion& argument) {
  const auto object = JsonAs<dom::object>(argument.value);
  if (!object) return {};
  const std::string_view name = JsonText(*object, "name");
  return name.empty() ? JsonText(*object, "as_name") : name;
}

/// "cuda:0" for {"type": "cuda", "index": 0}; with `as_call` "device(type='cuda', index=0)".
std::string ExportedDevice(dom::element device, bool as_call) {
  const dom::object object = JsonAs<dom::object>(device).value_or(dom::object());
  if (!device.is_object()) return as_call ? "device(type='')" : "";
  const std::string type(JsonText(object, "type"));
  const std::optional<int64_t> index = JsonInt(object, "index");
  const std::string number = index ? std::to_string(*index) : "";
  if (as_call) return "device(type='" + type + "'" + (index ? ", index=" + number : "") + ")";
  return type + (index ? ":" + number : "");
}

/// The tag of the elements of a list in the schema: "as_ints" contains "as_int". Empty: not a list.
std::string_view ElementTag(std::string_view tag) {
  if (tag == "as_nested_tensors") return "as_tensors";
  if (tag == "as_int_lists" || tag == "as_float_lists") {
    return tag == "as_int_lists" ? "as_ints" : "as_floats";
  }
  const bool is_list =
      IsOneOf(tag, {"as_tensors", "as_ints", "as_floats", "as_strings", "as_bools", "as_sym_ints",
                    "as_sym_floats", "as_sym_bools", "as_optional_tensors"});
  return is_list ? tag.substr(0, tag.size() - 1) : std::string_view();
}

// Arguments that are keyword-only in ATen's schemas. Files before schema 8.3 do not mark them.
constexpr std::string_view kKeywordOnly[] = {
    "alpha",       "dtype",      "layout",    "device",        "pin_memory", "memory_format",
    "approximate", "correction", "generator", "rounding_mode", "enable_gqa",
};
constexpr int64_t kKeywordKind = 2;

std::string_view WithoutOpsPrefix(std::string_view target) {
  if (ConsumeFront(target, "torch.ops.")) return target;
  return target.starts_with("_operator.") ? target.substr(1) : target;
}

/// Reads one Graph of the schema into the graph of `builder` in the form of the original graph:
/// adds what the schema omits (getitem nodes of several results, get_attr nodes of subgraphs).
class ExportedGraphReader {
 public:
  /// `hints` are those of the program's symbols so far.
  ExportedGraphReader(GraphBuilder& builder, SymbolHints& hints)
      : builder_(builder), graphs_(builder.graphs()), hints_(hints) {}

  /// `inputs` may contain fewer or more entries than there are inputs. Returns the graphs that
  /// nodes of this one call.
  std::vector<ExportedSubgraph> Read(dom::object graph, const std::vector<ExportedInput>& inputs) {
    IndexTypes(graph);
    if (const auto list = JsonArray(graph, "inputs")) {
      size_t index = 0;
      for (const dom::element input : *list) {
        ReadInput(input, index < inputs.size() ? inputs[index] : ExportedInput());
        ++index;
      }
    }
    if (const auto nodes = JsonArray(graph, "nodes")) {
      for (const dom::element element : *nodes) {
        if (const auto node = JsonAs<dom::object>(element)) {
          ReadNode(*node);
        } else {
          builder_.Count(Stat::graph_node_unreadable);
        }
      }
    }
    ReadOutputs(graph);
    // The signature defines the inputs; their names would be a guess.
    GraphModel& model = builder_.graph();
    const std::vector<Placeholder> exported = model.placeholders;
    FinishGraph(graphs_, model, /*is_joint=*/false);
    model.placeholders = exported;
    SetHints(hints_, model);
    return std::move(subgraphs_);
  }

 private:
  // --- types

  void IndexTypes(dom::object graph) {
    constexpr std::pair<std::string_view, TypeKind> kTables[] = {
        {"tensor_values", TypeKind::kTensor},     {"sym_int_values", TypeKind::kInt},
        {"sym_float_values", TypeKind::kFloat},   {"sym_bool_values", TypeKind::kBool},
        {"custom_obj_values", TypeKind::kObject},
    };
    for (const auto& [name, kind] : kTables) {
      const auto table = JsonObject(graph, name);
      if (!table) continue;
      for (const dom::key_value_pair entry : *table) {
        metas_.try_emplace(llvm::StringRef(entry.key), kind, entry.value);
      }
    }
  }

  uint32_t TypeOf(std::string_view name) {
    const auto at = metas_.find(llvm::StringRef(name));
    return at == metas_.end() ? kNoIndex : TypeOf(at->second.first, at->second.second);
  }

  /// The type of a TensorMeta, a SymInt, SymFloat or SymBool, a CustomObjArgument.
  uint32_t TypeOf(TypeKind kind, dom::element meta) {
    ValueType type;
    type.kind = kind;
    const auto object = JsonAs<dom::object>(meta);
    if (kind == TypeKind::kTensor && object) {
      if (const std::optional<int64_t> dtype = JsonInt(*object, "dtype")) {
        type.dtype = builder_.Intern(FindDtype(&Dtype::number, *dtype));
      }
      if (const auto device = JsonField(*object, "device")) {
        type.device = builder_.Intern(ExportedDevice(*device, /*as_call=*/false));
      }
      type.has_shape = ReadSizes(*object, "sizes", type.shape);
      type.has_stride = ReadSizes(*object, "strides", type.stride);
      type.requires_grad = JsonAs<bool>((*object)["requires_grad"]);
    } else if (kind == TypeKind::kObject) {
      if (!object) return kNoIndex;
      type.dtype = builder_.Intern(JsonText(*object, "class_fqn"));
    } else if (kind != TypeKind::kTensor) {
      type.expression = ReadSymbolic(meta);
    }
    return graphs_.InternType(std::move(type));
  }

  /// False if `meta` does not contain them.
  bool ReadSizes(dom::object meta, std::string_view key, std::vector<ExprId>& sizes) {
    const auto list = JsonField(meta, key);
    const auto items = list ? JsonAs<dom::array>(*list) : std::nullopt;
    if (items) {
      for (const dom::element size : *items) sizes.push_back(ReadSymbolic(size));
    }
    return list.has_value();
  }

  ExprId ReadSymbolic(dom::element symbolic) {
    const ExportedUnion chosen = UnionOf(symbolic);
    if (chosen.tag.empty() || chosen.tag == "as_int") {
      const auto number = JsonAs<int64_t>(chosen.value);
      return number ? graphs_.expressions.Integer(*number) : ExprId::kNone;
    }
    if (chosen.tag == "as_bool") {
      const auto is_true = JsonAs<bool>(chosen.value);
      return is_true ? graphs_.expressions.Bool(*is_true) : ExprId::kNone;
    }
    const auto object = JsonAs<dom::object>(chosen.value);
    if (chosen.tag != "as_expr" || !object) return ExprId::kNone;
    const std::string_view text = JsonText(*object, "expr_str");
    // Schemas before 7.0 have sympy's str, later ones its srepr.
    const ExprId expression = graphs_.expressions.Parse(text);
    if (expression == ExprId::kNone) builder_.Count(Stat::graph_expression_unknown);
    const auto hint = JsonField(*object, "hint");
    if (!hint || graphs_.expressions.kind(expression) != ExprKind::kSymbol) return expression;
    // The hint is a union since schema 2, a plain number before.
    if (const auto value = JsonAs<int64_t>(UnionOf(*hint).value)) hints_[expression] = *value;
    return expression;
  }

  // --- nodes

  bool IsTaken(std::string_view name) {
    return builder_.FindValue(name) != kNoIndex || metas_.count(name) != 0;
  }
  std::string UniqueName(std::string_view stem) {
    std::string name(stem);
    uint32_t& number = last_numbers_[llvm::StringRef(stem)];
    while (IsTaken(name)) name = std::string(stem) + "_" + std::to_string(++number);
    return name;
  }

  void ReadInput(dom::element input, const ExportedInput& exported) {
    const ExportedUnion argument = UnionOf(input);
    std::string name(NameIn(argument));
    uint32_t type = kNoIndex;
    PlaceholderKind kind = exported.kind;
    if (!name.empty()) {
      type = TypeOf(name);
      if (argument.tag.starts_with("as_sym_")) kind = PlaceholderKind::kSymbol;
      if (argument.tag == "as_custom_obj") kind = PlaceholderKind::kConstant;
    } else {
      // A constant passed by the caller: its value takes the place of a name.
      name = exported.constant.empty() ? UniqueName("arg") : exported.constant;
      if (argument.tag == "as_none") type = builder_.ReadType("None");
      if (argument.tag == "as_int") type = TypeOf(TypeKind::kInt, input);
      if (argument.tag == "as_bool") type = TypeOf(TypeKind::kBool, input);
      if (argument.tag == "as_float") type = TypeOf(TypeKind::kFloat, input);
      if (argument.tag == "as_string") type = builder_.ReadType("str");
    }
    Placeholder& placeholder = builder_.AddPlaceholder(name, type);
    placeholder.kind = kind;
    placeholder.source = builder_.Intern(exported.source);
  }

  void ReadNode(dom::object node) {
    // Arguments first: a subgraph in them is a get_attr node before this one.
    builder_.set_place({});
    const Arguments arguments = ReadArguments(node);
    ReadMetadata(node);
    const uint32_t index = builder_.AddNode(NodeKind::kCallFunction,
                                            WithoutOpsPrefix(JsonText(node, "target")), arguments);
    ReadResults(node, index);
  }

  void ReadMetadata(dom::object node) {
    const auto metadata = JsonObject(node, "metadata");
    if (!metadata) return;
    // The frames of a Python stack, the innermost last; code generated by torch.fx has no user
    // frame.
    CodePlace innermost;
    std::string_view code;
    bool is_code_next = false;
    ForEachLine(JsonText(*metadata, "stack_trace"), 1, [&](std::string_view line, uint64_t) {
      if (std::exchange(is_code_next, false)) code = Trim(line);
      const auto place = ParseFrameLine(line);
      is_code_next = place && !place->file.starts_with("<eval_with_key>");
      if (!is_code_next) return;
      innermost = *place;
      code = {};
    });
    builder_.set_place({builder_.Intern(innermost.file), innermost.line,
                        builder_.Intern(innermost.function), builder_.Intern(code)});
  }

  Arguments ReadArguments(dom::object node) {
    Arguments arguments;
    bool is_keyword = false;
    ForEachObject(node, "inputs", [&](dom::object input) {
      const auto argument = JsonAs<dom::element>(input["arg"]);
      if (!argument) return;
      const std::string_view name = JsonText(input, "name");
      const int64_t kind = JsonInt(input, "kind").value_or(0);
      is_keyword =
          kind != 0 ? kind == kKeywordKind : is_keyword || llvm::is_contained(kKeywordOnly, name);
      const Argument read = ReadTagged(UnionOf(*argument));
      arguments.push_back(is_keyword ? WithKeyword(read, builder_.Intern(name)) : read);
    });
    return arguments;
  }

  void ReadResults(dom::object node, uint32_t index) {
    const std::string_view target = builder_.Text(builder_.graph().nodes[index].target);
    std::vector<ExportedUnion> results;
    if (const auto outputs = JsonArray(node, "outputs")) {
      for (const dom::element output : *outputs) results.push_back(UnionOf(output));
    }
    const bool is_single = results.size() == 1;
    const std::string_view tag = is_single ? ElementTag(results[0].tag) : "";
    const bool is_tuple_of_one = target.starts_with("higher_order.") &&
                                 !JsonAs<bool>(node["is_hop_single_tensor_return"]).value_or(true);
    std::string name(is_single && tag.empty() && !is_tuple_of_one ? NameIn(results[0]) : "");
    if (!name.empty()) {
      builder_.AddValue(index, name, TypeOf(name));
      return;
    }
    name = JsonText(node, "name");
    if (name.empty()) {
      // Schemas before 8.9 do not name a node with several results.
      const size_t end = target.starts_with("aten.") ? target.rfind('.') : target.size();
      name = UniqueName(LastName(target.substr(0, end)));
    }
    const bool is_none = results.empty() || (is_single && results[0].tag == "as_none");
    const uint32_t value =
        builder_.AddValue(index, name, is_none ? builder_.ReadType("None") : kNoIndex);
    if (is_none) return;
    const auto elements = tag.empty() ? std::nullopt : JsonAs<dom::array>(results[0].value);
    if (elements) {
      results.clear();
      for (const dom::element element : *elements) results.push_back({tag, element});
    }
    AddElements(value, results, name + "_unused_");
  }

  void AddElements(uint32_t value, const std::vector<ExportedUnion>& results,
                   const std::string& unused) {
    // Unused results, called "split_unused_1", have no getitem node.
    const auto is_taken = [&](std::string_view name) {
      return !name.empty() && !name.starts_with(unused);
    };
    for (size_t i = 0; i < results.size(); ++i) {
      const auto list = JsonAs<dom::array>(results[i].value);
      const std::string_view name = NameIn(results[i]);
      if (!list && is_taken(name)) AddElement(value, i, name, TypeOf(name));
      if (!list) continue;
      std::vector<std::string_view> names;
      for (const dom::element element : *list) names.push_back(NameIn({"as_tensor", element}));
      if (llvm::none_of(names, is_taken)) continue;
      const uint32_t inner = AddElement(value, i, UniqueName("getitem"), kNoIndex);
      for (size_t k = 0; k < names.size(); ++k) {
        if (is_taken(names[k])) AddElement(inner, k, names[k], TypeOf(names[k]));
      }
    }
  }

  uint32_t AddElement(uint32_t value, size_t position, std::string_view name, uint32_t type) {
    return builder_.AddCall(NodeKind::kCallFunction, "operator.getitem",
                            {ValueArgument(value), IntArgument(static_cast<int64_t>(position))},
                            name, type);
  }

  void ReadOutputs(dom::object graph) {
    Arguments outputs;
    if (const auto list = JsonArray(graph, "outputs")) {
      for (const dom::element output : *list) outputs.push_back(ReadTagged(UnionOf(output)));
    }
    const bool is_single = JsonIsTrue(graph, "is_single_tensor_return") && outputs.size() == 1;
    builder_.AddOutput(is_single ? outputs[0] : builder_.Group(ArgumentKind::kTuple, outputs));
  }

  // --- arguments

  Argument ReadTagged(const ExportedUnion& argument) {
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
      // Only these types may be nested, so that no file causes deep recursion.
      const bool is_plain = IsOneOf(inner.tag, {"as_int", "as_float", "as_bool", "as_tensor"});
      return is_plain ? ReadTagged(inner) : Argument();
    }
    return ReadPlain(tag, value);
  }

  Argument ReadPlain(std::string_view tag, dom::element value) {
    const auto integer = JsonAs<int64_t>(value);
    if (tag == "as_int" && integer) return IntArgument(*integer);
    if (integer && IsOneOf(tag, {"as_scalar_type", "as_layout", "as_memory_format"})) {
      return builder_.TextArgument(ArgumentKind::kConstant, NumberedConstant(tag, *integer));
    }
    if (tag == "as_device") {
      return builder_.TextArgument(ArgumentKind::kConstant,
                                   ExportedDevice(value, /*as_call=*/true));
    }
    const auto number = JsonAs<double>(value);
    if (tag == "as_float" && number) return FloatArgument(*number);
    const auto is_true = JsonAs<bool>(value);
    if (tag == "as_bool" && is_true) return BoolArgument(*is_true);
    if (const auto text = JsonAs<std::string_view>(value)) {
      // Numbers without a JSON literal are strings: "Infinity".
      const bool is_constant = tag == "as_float" || tag == "as_operator";
      return builder_.TextArgument(is_constant ? ArgumentKind::kConstant : ArgumentKind::kString,
                                   *text);
    }
    const auto object = JsonAs<dom::object>(value);
    if (tag != "as_string_to_argument" || !object) {
      return builder_.TextArgument(ArgumentKind::kText, std::string(simdjson::minify(value)));
    }
    Arguments parts;
    for (const dom::key_value_pair field : *object) {
      parts.push_back(builder_.TextArgument(ArgumentKind::kString, field.key));
      parts.push_back(ReadTagged(UnionOf(field.value)));
    }
    return builder_.Group(ArgumentKind::kDict, parts);
  }

  Argument ReadList(std::string_view element_tag, dom::element list) {
    Arguments parts;
    if (const auto array = JsonAs<dom::array>(list)) {
      for (const dom::element element : *array) parts.push_back(ReadTagged({element_tag, element}));
    }
    return builder_.Group(ArgumentKind::kList, parts);
  }

  Argument ReadNamed(std::string_view name) {
    const uint32_t value = builder_.FindValue(name);
    return value == kNoIndex ? builder_.TextArgument(ArgumentKind::kText, name)
                             : ValueArgument(value);
  }

  Argument AddSubgraph(dom::element argument) {
    const auto object = JsonAs<dom::object>(argument);
    const auto graph = object ? JsonObject(*object, "graph") : std::nullopt;
    if (!graph) return {};
    const std::string_view stem = JsonText(*object, "name");
    const std::string name = UniqueName(stem);
    subgraphs_.emplace_back(name, *graph);
    return ValueArgument(builder_.AddCall(NodeKind::kGetAttr, stem, {}, name));
  }

  GraphBuilder& builder_;
  GraphSet& graphs_;
  SymbolHints& hints_;
  llvm::StringMap<std::pair<TypeKind, dom::element>> metas_;
  llvm::StringMap<uint32_t> last_numbers_;  // of made-up names, by their stem
  std::vector<ExportedSubgraph> subgraphs_;
};

// Before int_oo (2.5), sys.maxsize - 1 meant infinity. In files of this schema version it is the
// bound of sizes with unbacked symbols.
constexpr int64_t kOldInfinity = std::numeric_limits<int64_t>::max() - 1;
constexpr int64_t kSchemaWithInfinity = 8;

/// One member of the signature's list; its name is the kind of input.
struct InputSpec {
  std::string_view name;  ///< of the union's member
  PlaceholderKind kind;
  std::string_view source;  ///< key of what it is to the user
};
constexpr InputSpec kInputSpecs[] = {
    {"user_input", PlaceholderKind::kInput, {}},
    {"constant_input", PlaceholderKind::kInput, {}},
    {"parameter", PlaceholderKind::kParameter, "parameter_name"},
    {"buffer", PlaceholderKind::kBuffer, "buffer_name"},
    {"tensor_constant", PlaceholderKind::kConstant, "tensor_constant_name"},
    {"custom_obj", PlaceholderKind::kConstant, "custom_obj_name"},
    {"token", PlaceholderKind::kConstant, {}},
};

/// "self.fc.weight" for "fc.weight".
std::string SourceOf(std::string_view name) {
  return name.empty() ? std::string() : "self." + std::string(name);
}

/// Schemas since 2 have one spec per input, in order.
std::vector<ExportedInput> ReadInputSpecs(dom::array specs) {
  std::vector<ExportedInput> inputs;
  for (const dom::element element : specs) {
    ExportedInput& input = inputs.emplace_back();
    const ExportedUnion chosen = UnionOf(element);
    const auto object = JsonAs<dom::object>(chosen.value);
    for (const InputSpec& spec : kInputSpecs) {
      if (!object || spec.name != chosen.tag) continue;
      input.kind = spec.kind;
      if (!spec.source.empty()) input.source = SourceOf(JsonText(*object, spec.source));
      input.constant = JsonText(*object, "name");
    }
  }
  return inputs;
}

/// Schema 1 maps names of inputs to those of parameters and buffers.
std::vector<ExportedInput> ReadInputTables(dom::object signature, dom::object graph) {
  llvm::StringMap<ExportedInput> by_name;
  constexpr std::pair<std::string_view, PlaceholderKind> kTables[] = {
      {"inputs_to_parameters", PlaceholderKind::kParameter},
      {"inputs_to_buffers", PlaceholderKind::kBuffer},
  };
  for (const auto& [key, kind] : kTables) {
    const auto table = JsonObject(signature, key);
    if (!table) continue;
    for (const dom::key_value_pair entry : *table) {
      const auto source = JsonAs<std::string_view>(entry.value);
      if (source) by_name[llvm::StringRef(entry.key)] = {kind, SourceOf(*source), {}};
    }
  }
  std::vector<ExportedInput> inputs;
  const auto list = JsonArray(graph, "inputs");
  if (!list) return inputs;
  for (const dom::element element : *list) {
    const auto object = JsonAs<dom::object>(UnionOf(element).value);
    inputs.push_back(by_name.lookup(object ? llvm::StringRef(JsonText(*object, "name")) : ""));
  }
  return inputs;
}

/// A bound; absent for null, "Infinity" and numbers that mean infinity.
std::optional<int64_t> Bound(dom::object range, std::string_view key, bool has_infinity) {
  const std::optional<int64_t> bound = JsonInt(range, key);
  if (!bound || has_infinity) return bound;
  return *bound < kOldInfinity && *bound > -kOldInfinity ? bound : std::nullopt;
}

StatedRanges ReadRanges(dom::object program, GraphBuilder& builder) {
  StatedRanges read;
  const auto ranges = JsonObject(program, "range_constraints");
  if (!ranges) return read;
  const auto version = JsonObject(program, "schema_version");
  const bool has_infinity =
      version && JsonInt(*version, "major").value_or(0) >= kSchemaWithInfinity;
  for (const dom::key_value_pair entry : *ranges) {
    const auto range = JsonAs<dom::object>(entry.value);
    if (!range) continue;
    read.Add(entry.key,
             {Bound(*range, "min_val", has_infinity), Bound(*range, "max_val", has_infinity)},
             builder.graphs(), builder.graph().input, 0);
  }
  return read;
}

/// Guards that torch.export saved with the exported program, as Python text.
void ReadGuards(dom::object program, GraphBuilder& builder) {
  const auto guards = JsonArray(program, "guards_code");
  if (!guards) return;
  ExprPool& expressions = builder.graphs().expressions;
  for (const dom::element element : *guards) {
    const auto text = JsonAs<std::string_view>(element);
    if (!text) continue;
    const ExprId predicate = expressions.Parse(*text);
    if (predicate == ExprId::kNone) {
      builder.Count(Stat::graph_expression_unknown);
    } else if (expressions.kind(predicate) != ExprKind::kTrue) {
      builder.graph().constraints.push_back(predicate);
    }
  }
}

/// Appends the graph in `json` and its subgraphs to `graphs`. The export schema, versions 1 to 8:
/// torch/_export/serde/schema.py. `name` is that of the model, `member` its path in its archive.
/// Error: not JSON, or not an exported program.
Error ReadExportedProgram(std::string_view json, const std::string& name, const std::string& member,
                          uint32_t input, GraphSet& graphs) {
  JsonParser parser;
  dom::element root;
  if (!parser.Parse(json, root)) return MakeError(member + " is no JSON, or was cut short");
  const dom::object program = JsonAs<dom::object>(root).value_or(dom::object());
  const auto graph_module = root.is_object() ? JsonObject(program, "graph_module") : std::nullopt;
  const auto graph_json = graph_module ? JsonObject(*graph_module, "graph") : std::nullopt;
  if (!graph_json) {
    return MakeError(member + " holds no graph: an exported program has \"graph_module\" there");
  }

  std::vector<ExportedInput> inputs;
  if (const auto signature = JsonObject(*graph_module, "signature")) {
    const auto specs = JsonArray(*signature, "input_specs");
    inputs = specs ? ReadInputSpecs(*specs) : ReadInputTables(*signature, *graph_json);
  }
  const auto first = static_cast<uint32_t>(graphs.graphs.size());
  GraphBuilder builder(graphs);
  SymbolHints hints;
  // Subgraphs of subgraphs are queued, so that deep nesting does not exhaust the stack.
  std::deque<std::pair<uint32_t, ExportedSubgraph>> waiting;
  waiting.push_back({first, {name, *graph_json}});
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& [caller, subgraph] = waiting.front();
    builder.Begin({.input = input, .format = {}, .name = {}}, "pt2", subgraph.first, 0);
    const uint32_t index = builder.graph_index();
    builder.graph().member = member;
    builder.graph().torch_version = builder.Intern(JsonText(program, "torch_version"));
    if (index == first) {
      ReadGuards(program, builder);
    } else {
      graphs.graphs[caller].subgraphs.push_back(index);
      inputs.clear();
    }
    for (ExportedSubgraph& below :
         ExportedGraphReader(builder, hints).Read(subgraph.second, inputs)) {
      waiting.emplace_back(index, std::move(below));
    }
  }
  ReadRanges(program, builder).Apply(graphs, first);
  return Error::success();
}

/// The name of the model in "package/models/NAME.json", or in the file of older layouts; empty for
/// other members.
std::string_view ModelName(std::string_view member) {
  constexpr std::string_view kFolder = "models/";
  constexpr std::string_view kExtension = ".json";
  const std::string_view file = member.substr(member.rfind('/') + 1);
  // Below one root folder with any name, or at the top level.
  const size_t at = member.find(kFolder);
  const bool is_in_folder =
      at != std::string_view::npos && (at == 0 || member.find('/') + 1 == at) &&
      at + kFolder.size() + file.size() == member.size() && file.ends_with(kExtension);
  if (is_in_folder && file != kExtension) return file.substr(0, file.size() - kExtension.size());
  return file == "serialized_exported_program.json" ? "GraphModule" : "";
}

bool IsProgram(const ZipArchive::Member& member) { return !ModelName(member.name).empty(); }

bool SniffPt2(const GraphInput& input) { return ZipArchive::HasMember(input.bytes, IsProgram); }

Error ReadPt2(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  for (const ZipArchive::Member& member : archive->members()) {
    if (!IsProgram(member)) continue;
    Expected<std::string_view> json = archive->Read(member);
    if (!json) return json.takeError();
    const std::string name(ModelName(member.name));
    if (Error error =
            ReadExportedProgram(*json, name, std::string(member.name), input.index, graphs)) {
      return error;
    }
  }
  return Error::success();
}

}  // namespace

const GraphFormat kPt2Format{SniffPt2, ReadPt2};

}  // namespace shapewise
