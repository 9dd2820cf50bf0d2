#include "ingest/graph_text/graph_notes.h"

#include <algorithm>
#include <optional>

#include "ingest/graph_text/finish_graph.h"
#include "ingest/stated_ranges.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

struct InputKind {
  std::string_view name;
  PlaceholderKind kind;
};

// Source: InputKind in torch/export/graph_signature.py.
constexpr InputKind kInputKinds[] = {
    {"USER_INPUT", PlaceholderKind::kInput},    {"PARAMETER", PlaceholderKind::kParameter},
    {"BUFFER", PlaceholderKind::kBuffer},       {"CONSTANT_TENSOR", PlaceholderKind::kConstant},
    {"CUSTOM_OBJ", PlaceholderKind::kConstant}, {"TOKEN", PlaceholderKind::kConstant},
};

/// Gives kinds and sources to placeholders by name.
class SignatureReader {
 public:
  SignatureReader(GraphSet& graphs, GraphModel& graph) : graphs_(graphs) {
    for (Placeholder& placeholder : graph.placeholders) {
      const GraphNode& node = graph.nodes[placeholder.node];
      placeholders_[Key(graphs.strings.text(node.target))] = &placeholder;
      placeholders_[Key(graphs.strings.text(graph.values[node.first_value].name))] = &placeholder;
    }
  }

  void Set(std::string_view name, std::string_view kind, std::string_view target) {
    const auto found = placeholders_.find(Key(name));
    const auto* const known = std::find_if(std::begin(kInputKinds), std::end(kInputKinds),
                                           [&](const InputKind& k) { return k.name == kind; });
    if (found == placeholders_.end() || known == std::end(kInputKinds)) return;
    if (known->kind == PlaceholderKind::kInput) return;
    found->second->kind = known->kind;
    if (target.empty()) return;
    found->second->source = graphs_.strings.Intern("self." + std::string(target));
  }

 private:
  static llvm::StringRef Key(std::string_view text) { return {text.data(), text.size()}; }

  GraphSet& graphs_;
  llvm::StringMap<Placeholder*> placeholders_;
};

/// "p_w: PARAMETER target='w' persistent=True"
void ReadSpecLine(std::string_view line, SignatureReader& signature) {
  const size_t colon = FindText(line, ": ");
  if (colon == kNotFound) return;
  const std::string_view rest = line.substr(colon + 2);
  signature.Set(line.substr(0, colon), rest.substr(0, rest.find(' ')),
                TextBetween(rest, "target='", "'"));
}

/// "InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w', ...)"
void ReadInputSpecs(std::string_view line, SignatureReader& signature) {
  constexpr std::string_view kSpec = "InputSpec(";
  for (size_t at = FindText(line, kSpec); at != kNotFound;) {
    const size_t next = FindText(line, kSpec, at + kSpec.size());
    const std::string_view spec = line.substr(at, std::min(next, line.size()) - at);
    signature.Set(TextBetween(spec, "name='", "'"), TextBetween(spec, "InputKind.", ":"),
                  TextBetween(spec, "target='", "'"));
    at = next;
  }
}

/// "ExportGraphSignature(..., inputs_to_parameters={'arg0_1': 'w', 'arg1_1': 'b'}, ...)"
void ReadNames(std::string_view line, SignatureReader& signature) {
  PrintedPython python;
  const size_t begin = FindText(line, "ExportGraphSignature(");
  if (begin == kNotFound) return;
  const auto* const call =
      llvm::dyn_cast_or_null<pyast::Call>(python.ParseExpression(line.substr(begin)));
  if (call == nullptr) return;
  for (const auto& [field, kind] :
       {std::pair("inputs_to_parameters", "PARAMETER"), std::pair("inputs_to_buffers", "BUFFER")}) {
    const auto* const names = llvm::dyn_cast_or_null<pyast::Dict>(KeywordValue(*call, field));
    if (names == nullptr) continue;
    for (size_t i = 0; i < names->keys.size(); ++i) {
      if (names->keys[i] == nullptr) continue;
      signature.Set(python.QuotedText(*names->keys[i]).value_or(""), kind,
                    python.QuotedText(*names->values[i]).value_or(""));
    }
  }
}

/// "device(type='cuda', index=0)" -> "cuda:0"
std::string DeviceName(const pyast::Expr* device, const PrintedPython& python) {
  const auto* const call = llvm::dyn_cast_or_null<pyast::Call>(device);
  if (call == nullptr) return "cpu";
  const pyast::Expr* const type = KeywordValue(*call, "type");
  const pyast::Expr* const index = KeywordValue(*call, "index");
  std::string name(type == nullptr ? "" : python.QuotedText(*type).value_or(""));
  if (index != nullptr) name.append(":").append(python.TextOf(*index));
  return name;
}

// The graph was printed just before its sizes.
constexpr size_t kMaxGraphsBetween = 64;

GraphModel* FindGraph(GraphSet& graphs, std::string_view name, uint32_t input) {
  const size_t count = graphs.graphs.size();
  for (size_t back = 1; back <= std::min(count, kMaxGraphsBetween); ++back) {
    GraphModel& graph = graphs.graphs[count - back];
    if (graph.input == input && graph.name == name && graph.symbols.empty()) return &graph;
  }
  return nullptr;
}

/// Values of one graph by name, and what is told of them.
class SizeTable {
 public:
  SizeTable(GraphBuilder& builder, GraphModel& graph) : builder_(builder), graph_(graph) {
    for (size_t i = 0; i < graph.values.size(); ++i) {
      value_of_name_[static_cast<uint32_t>(graph.values[i].name)] = static_cast<uint32_t>(i);
    }
  }

  void Read(std::string_view name, std::string_view sizes, uint64_t line) {
    const bool is_concrete = name.ends_with(" (concrete)");
    if (is_concrete) name.remove_suffix(std::string_view(" (concrete)").size());
    const auto found = value_of_name_.find(static_cast<uint32_t>(builder_.Intern(name)));
    if (found == value_of_name_.end()) return;
    GraphValue& value = graph_.values[found->second];
    if (is_concrete) {
      if (value.type != kNoIndex) ReadHints(builder_.graphs().types[value.type], sizes);
      return;
    }
    ValueType type;
    type.kind = ValueType::Kind::kTensor;
    type.has_shape = true;
    for (const pyast::Expr* size : PartsOf(python_.ParseExpression(sizes))) {
      type.shape.push_back(builder_.types().ReadSize(python_.TextOf(*size), graph_.input, line));
    }
    value.type = builder_.graphs().InternType(std::move(type));
  }

  void Finish() {
    FinishGraph(builder_.graphs(), graph_, /*is_joint=*/false);
    for (GraphSymbol& symbol : graph_.symbols) {
      const auto hint = hints_.find(static_cast<uint32_t>(symbol.symbol));
      if (hint != hints_.end()) symbol.hint = hint->second;
    }
  }

 private:
  void ReadHints(const ValueType& type, std::string_view sizes) {
    const pyast::Exprs hints = PartsOf(python_.ParseExpression(sizes));
    for (size_t i = 0; i < std::min(hints.size(), type.shape.size()); ++i) {
      std::string_view digits = python_.TextOf(*hints[i]);
      const std::optional<int64_t> hint = ConsumeUint<int64_t>(digits);
      if (!hint || !digits.empty()) return;
      if (builder_.graphs().expressions.kind(type.shape[i]) == ExprKind::kSymbol) {
        hints_[static_cast<uint32_t>(type.shape[i])] = *hint;
      }
    }
  }

  PrintedPython python_;
  GraphBuilder& builder_;
  GraphModel& graph_;
  llvm::DenseMap<uint32_t, uint32_t> value_of_name_;  ///< StrId -> value
  llvm::DenseMap<uint32_t, int64_t> hints_;           ///< ExprId of a symbol -> hint
};

}  // namespace

void ReadGraphSignature(LineCursor& cursor, GraphSet& graphs, GraphModel& graph) {
  SignatureReader signature(graphs, graph);
  const TextLine head = cursor.Peek();
  cursor.Skip();
  ReadInputSpecs(head.text, signature);
  ReadNames(head.text, signature);
  bool is_input = false;
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    if (!line.text.empty() && line.indent == 0) return;
    cursor.Skip();
    const std::string_view body = line.body();
    if (body.starts_with("# ")) {
      is_input = body.starts_with("# inputs");
    } else if (is_input && line.is_whole) {
      ReadSpecLine(body, signature);
    }
  }
}

void ReadRangeConstraints(LineCursor& cursor, GraphSet& graphs, uint32_t graph) {
  const TextLine line = cursor.Peek();
  cursor.Skip();
  const std::string_view text = line.text.substr(std::min(line.text.find('{'), line.text.size()));
  const bool has_infinity = HasText(text, "int_oo");
  PrintedPython python;
  const auto* const stated = llvm::dyn_cast_or_null<pyast::Dict>(python.ParseExpression(text));
  if (stated == nullptr) return;
  StatedRanges ranges;
  // "{2*s39: VR[4, 64], s27: ValueRanges(lower=2, upper=64, is_bool=False)}"
  for (size_t i = 0; i < stated->keys.size(); ++i) {
    if (stated->keys[i] == nullptr) continue;
    const ExprId size = graphs.expressions.Parse(python.TextOf(*stated->keys[i]));
    const std::optional<Interval> range =
        ParseInterval(python.TextOf(*stated->values[i]), has_infinity);
    if (size == ExprId::kNone) {
      graphs.stats.Bump(Stat::graph_expression_unknown, graphs.graphs[graph].input, line.number);
    } else if (range) {
      ranges.Add(graphs.expressions, size, *range);
    }
  }
  ranges.Apply(graphs, graph);
}

void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input) {
  cursor.Skip();
  if (cursor.at_end()) return;
  const std::string title(TextBetween(cursor.Peek().text, "===== ", " ====="));
  GraphModel* const graph = title.empty() ? nullptr : FindGraph(builder.graphs(), title, input);
  if (graph == nullptr) return;
  cursor.Skip();
  SizeTable table(builder, *graph);
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const size_t colon = FindText(line.text, ": (");
    if (colon == kNotFound || !line.is_whole || !line.text.ends_with(')')) break;
    table.Read(Trim(line.text.substr(0, colon)), line.text.substr(colon + 2), line.number);
    cursor.Skip();
  }
  table.Finish();
}

void ReproInputs::Begin(const GraphModel& graph) {
  value_of_name_.clear();
  device_of_storage_.clear();
  hints_.clear();
  for (const Placeholder& placeholder : graph.placeholders) {
    const GraphNode& node = graph.nodes[placeholder.node];
    value_of_name_[static_cast<uint32_t>(node.target)] = node.first_value;
    value_of_name_[static_cast<uint32_t>(graph.values[node.first_value].name)] = node.first_value;
  }
}

void ReproInputs::ReadLine(std::string_view line, uint64_t number, GraphModel& graph) {
  size_t end = 0;
  const pyast::Stmt* const statement = python_.ParseFirst(line, end);
  const pyast::Expr* value = nullptr;
  std::string_view storage;
  if (const auto* assign = llvm::dyn_cast_or_null<pyast::Assign>(statement)) {
    storage = python_.PathOf(*assign->targets[0]);
    value = assign->value;
  } else if (const auto* called = llvm::dyn_cast_or_null<pyast::ExprStmt>(statement)) {
    value = called->value;
  }
  const auto* const call = llvm::dyn_cast_or_null<pyast::Call>(value);
  if (call == nullptr) return;
  const std::string_view callee = python_.PathOf(*call->func);
  if (callee == "reader.storage" && !storage.empty()) {
    device_of_storage_[llvm::StringRef(storage)] =
        DeviceName(KeywordValue(*call, "device"), python_);
    return;
  }
  const auto found = value_of_name_.find(static_cast<uint32_t>(builder_.Intern(python_.Comment())));
  if (found == value_of_name_.end()) return;
  GraphValue& input = graph.values[found->second];
  if (callee == "reader.tensor") {
    ReadTensor(*call, input, graph.input, number);
  } else if (callee == "reader.symint") {
    ReadSymbol(*call, input, graph.input, number);
  }
}

bool ReproInputs::ReadSizes(const pyast::Expr& expression, std::vector<ExprId>& sizes,
                            uint32_t input, uint64_t number) {
  if (!llvm::isa<pyast::Tuple>(expression)) return false;
  for (const pyast::Expr* size : PartsOf(&expression)) {
    sizes.push_back(builder_.types().ReadSize(python_.TextOf(*size), input, number));
  }
  return true;
}

void ReproInputs::ReadTensor(const pyast::Call& call, GraphValue& value, uint32_t input,
                             uint64_t number) {
  if (call.args.size() < 2) return;
  ValueType type;
  type.kind = ValueType::Kind::kTensor;
  type.has_shape = ReadSizes(*call.args[1], type.shape, input, number);
  if (call.args.size() > 2) {
    type.has_stride = ReadSizes(*call.args[2], type.stride, input, number);
  }
  const pyast::Expr* const requires_grad = KeywordValue(call, "requires_grad");
  type.requires_grad = requires_grad != nullptr && python_.TextOf(*requires_grad) == "True";
  if (type.has_shape && !type.has_stride) {
    // Left out where it is that of contiguous memory. Sizes below 1 count as 1 there; a symbol's
    // are not below.
    ExprPool& pool = builder_.graphs().expressions;
    type.has_stride = true;
    type.stride.assign(type.shape.size(), pool.Integer(1));
    for (size_t i = type.shape.size(); i-- > 1;) {
      const ExprId factors[] = {type.stride[i], type.shape[i]};
      type.stride[i - 1] = pool.Mul(factors);
    }
  }
  const pyast::Expr* const dtype = KeywordValue(call, "dtype");
  type.dtype = builder_.Intern(dtype == nullptr ? "torch.float32" : python_.TextOf(*dtype));
  const auto device = device_of_storage_.find(llvm::StringRef(python_.TextOf(*call.args[0])));
  if (device != device_of_storage_.end()) type.device = builder_.Intern(device->second);
  value.type = builder_.graphs().InternType(std::move(type));
}

void ReproInputs::ReadSymbol(const pyast::Call& call, GraphValue& value, uint32_t input,
                             uint64_t number) {
  const pyast::Expr* const stated = KeywordValue(call, "expr");
  if (call.args.empty() || stated == nullptr) return;
  const std::string_view expression = python_.QuotedText(*stated).value_or("");
  if (expression.empty()) return;
  std::string_view digits = python_.TextOf(*call.args[0]);
  const bool is_negative = ConsumeFront(digits, "-");
  const std::optional<int64_t> hint = ConsumeUint<int64_t>(digits);
  ValueType type;
  type.kind = ValueType::Kind::kInt;
  type.expression = builder_.types().ReadSize(expression, input, number);
  value.type = builder_.graphs().InternType(std::move(type));
  if (!hint || !digits.empty()) return;
  hints_.emplace_back(expression, is_negative ? -*hint : *hint);
}

void ReproInputs::Finish(GraphModel& graph) {
  for (const auto& [name, hint] : hints_) {
    GraphSymbol* const symbol = FindSymbol(builder_.graphs(), graph, name);
    if (symbol != nullptr) symbol->hint = hint;
  }
  hints_.clear();
}

}  // namespace shapewise
