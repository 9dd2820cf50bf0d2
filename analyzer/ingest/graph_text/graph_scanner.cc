#include "ingest/graph_text/graph_scanner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/STLExtras.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {

namespace {

constexpr std::string_view kClassTail = "(torch.nn.Module):";
constexpr std::string_view kFunction = "def forward(";
constexpr std::string_view kGraph = "graph():";
constexpr std::string_view kTable = "opcode ";
constexpr std::string_view kTorchVersion = "# torch version: ";
constexpr std::string_view kExported = "ExportedProgram:";
constexpr std::string_view kSignature = "Graph signature:";
constexpr std::string_view kRanges = "Range constraints:";
constexpr std::string_view kTitle = "===== ";
constexpr std::string_view kSizes = "TRACED GRAPH TENSOR SIZES";
constexpr std::string_view kDdpTitle = " graph---";

/// Literals of relevant lines; one search skips everything else.
const LiteralSet& Literals() {
  static const LiteralSet literals({kClassTail, kFunction, kGraph, kTable, kTorchVersion, kExported,
                                    kSignature, kRanges, kTitle, kSizes, kDdpTitle,
                                    "reader.storage(", "reader.tensor(", "reader.symint("});
  return literals;
}

const LiteralSet& HeadLiterals() {
  static const LiteralSet literals({kClassTail, kFunction, kGraph, kTable, kExported});
  return literals;
}

/// Offset of "class " in "path/of/module.py class GraphModule(torch.nn.Module):".
size_t ClassAt(std::string_view line) {
  const size_t tail = FindText(line, kClassTail);
  if (tail == kNotFound) return kNotFound;
  const size_t at = line.substr(0, tail).rfind("class ");
  return at == kNotFound || (at > 0 && line[at - 1] != ' ') ? kNotFound : at;
}

/// Offset of "opcode" in the head of a table; 2.0 to 2.2 log a path before it.
size_t TableAt(std::string_view line) {
  const size_t at = FindText(line, kTable);
  if (at == kNotFound || (at > 0 && line[at - 1] != ' ')) return kNotFound;
  const std::string_view head = line.substr(at);
  const bool is_head =
      HasText(head, " name ") && HasText(head, " target ") && HasText(head, " args ");
  return is_head ? at : kNotFound;
}

/// "Simple(" or "GraphModule()" above the code: the first line of print(GraphModule).
std::string_view ModuleName(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \r\n");
  if (begin == kNotFound) return {};
  std::string_view line = TrimRight(text.substr(begin, 200));
  line = line.substr(0, line.find('\n'));
  const std::string_view name = line.substr(0, line.find('('));
  const std::string_view tail = TrimRight(line.substr(name.size()));
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), IsWordChar);
  return is_name && (tail == "(" || tail == "()") ? name : std::string_view();
}

bool IsImport(std::string_view line) {
  return line.starts_with("import ") || (line.starts_with("from ") && HasText(line, " import "));
}

}  // namespace

bool IsPythonProgram(std::string_view name, std::string_view front) {
  if (HasText(front, "class Repro(") || HasText(front, "class FxModule(")) return false;
  bool is_first_line = true;
  while (!front.empty()) {
    const size_t end = std::min(front.find('\n'), front.size());
    const std::string_view line = front.substr(0, end);
    front.remove_prefix(std::min(end + 1, front.size()));
    if (line.empty() || line.starts_with('#')) continue;
    // A log may quote code, but does not begin with it.
    if (IsImport(line)) return is_first_line || name.ends_with(".py");
    is_first_line = false;
  }
  return false;
}

bool HasGraphHead(std::string_view text) {
  for (size_t hit = HeadLiterals().Find(text); hit != kNotFound;) {
    const size_t begin = hit == 0 ? 0 : text.rfind('\n', hit - 1) + 1;
    const size_t end = std::min(text.find('\n', hit), text.size());
    const std::string_view line = TrimRight(text.substr(begin, end - begin));
    const std::string_view body = TrimLeft(line);
    const size_t head = std::min(ClassAt(line), TableAt(line));
    if (head == line.size() - body.size() || body.starts_with(kFunction) || body == kGraph ||
        body == kExported) {
      return true;
    }
    hit = end < text.size() ? HeadLiterals().Find(text, end) : kNotFound;
  }
  return false;
}

GraphScanner::GraphScanner(GraphSet& graphs)
    : graphs_(graphs),
      builder_(graphs),
      listed_(builder_),
      python_(builder_, listed_),
      repro_inputs_(builder_) {}

void GraphScanner::Scan(std::string_view text, uint64_t first_line,
                        std::span<const uint64_t> numbers, const GraphOrigin& origin) {
  has_class_ = false;
  is_exported_ = false;
  module_name_ = ModuleName(text);
  title_.clear();
  torch_version_.clear();
  parents_.clear();
  top_graph_ = kNoIndex;
  num_finished_ = graphs_.graphs.size();
  LineCursor cursor(text, first_line, numbers);
  while (!cursor.at_end()) {
    const size_t hit = Literals().Find(text, cursor.offset());
    if (hit == LiteralSet::kNotFound) break;
    cursor.MoveToLineOf(hit);
    const size_t before = cursor.offset();
    ReadLine(cursor, origin);
    if (cursor.offset() == before) cursor.Skip();
  }
  Finish();
}

void GraphScanner::ReadLine(LineCursor& cursor, const GraphOrigin& origin) {
  const TextLine line = cursor.Peek();
  const std::string_view body = line.body();
  if (ClassAt(line.text) != kNotFound) {
    ReadClass(line);
  } else if (body.starts_with(kFunction)) {
    ReadFunction(cursor, origin);
  } else if (TrimRight(body) == kGraph) {
    AddTopGraph(python_.ReadList(cursor, origin, title_.empty() ? "graph" : title_));
  } else if (TableAt(line.text) != kNotFound) {
    AddTopGraph(ReadGraphTable(cursor, builder_, origin, title_.empty() ? "graph" : title_));
  } else if (body.starts_with(kTorchVersion) && line.is_whole) {
    torch_version_ = Trim(body.substr(kTorchVersion.size()));
  } else if (HasText(body, "reader.")) {
    if (ReopenTopGraph() && line.is_whole) repro_inputs_.ReadLine(line);
  } else if (HasText(body, kSizes)) {
    Finish();
    ReadTensorSizes(cursor, builder_, origin.input);
  } else if (body.starts_with("---") && TrimRight(body).ends_with(kDdpTitle)) {
    // "---submod_0 graph---"
    title_ = TrimRight(body).substr(3, TrimRight(body).size() - 6);
  } else if (const size_t title = FindText(line.text, kTitle); title != kNotFound) {
    const std::string_view rest = line.text.substr(title + kTitle.size());
    const size_t end = FindText(rest, " =====");
    if (end != kNotFound) title_ = rest.substr(0, end);
  } else {
    ReadExport(cursor, line);
  }
}

/// Reads the text around the graph of an ExportedProgram.
void GraphScanner::ReadExport(LineCursor& cursor, const TextLine& line) {
  const std::string_view body = line.body();
  if (body.starts_with(kExported)) {
    is_exported_ = true;
    parents_.clear();
  } else if (body.starts_with(kSignature) && ReopenTopGraph()) {
    Finish();
    ReadGraphSignature(cursor, builder_);
  } else if (body.starts_with(kRanges) && ReopenTopGraph()) {
    Finish();
    ReadRangeConstraints(cursor, builder_);
    is_exported_ = false;
  }
}

void GraphScanner::ReadClass(const TextLine& line) {
  const size_t at = ClassAt(line.text);
  const size_t tail = FindText(line.text, kClassTail);
  class_name_ = Trim(line.text.substr(at + 6, tail - at - 6));
  class_indent_ = at == line.indent ? at : 0;
  has_class_ = true;
}

void GraphScanner::ReadFunction(LineCursor& cursor, const GraphOrigin& origin) {
  const TextLine line = cursor.Peek();
  const bool has_class = has_class_ && (class_indent_ < line.indent || line.indent == 0);
  has_class_ = false;
  const size_t indent = has_class ? class_indent_ : line.indent;
  while (!parents_.empty() && parents_.back().indent >= indent) parents_.pop_back();
  const bool is_top = parents_.empty();

  GraphOrigin own = origin;
  if (!is_top) own.name = {};
  std::string_view name = has_class ? std::string_view(class_name_) : "GraphModule";
  if (!has_class && !module_name_.empty()) name = module_name_;
  if (is_top && !title_.empty()) name = title_;
  std::string_view format = has_class ? "print_readable" : "graph_module_code";
  if (!has_class && !module_name_.empty()) format = "print_graph_module";
  if (is_exported_) format = "exported_program";
  if (has_class && class_name_ == "Repro") format = "fx_graph_runnable";
  if (is_top) Finish();

  const uint32_t index = python_.Read(cursor, own, format, name, has_class);
  if (index == kNoIndex) return;
  if (builder_.was_unpacked()) joint_graphs_.push_back(index);
  if (is_top) {
    AddTopGraph(index);
  } else {
    graphs_.graphs[parents_.back().graph].subgraphs.push_back(index);
  }
  parents_.push_back({indent, index});
}

void GraphScanner::AddTopGraph(uint32_t graph) {
  if (graph == kNoIndex) return;
  top_graph_ = graph;
  graphs_.graphs[graph].torch_version = builder_.Intern(torch_version_);
  title_.clear();
  module_name_.clear();
}

/// Reopens the last graph, to add data about it; it gets no more nodes. False if there is no graph.
bool GraphScanner::ReopenTopGraph() {
  if (top_graph_ == kNoIndex) return false;
  parents_.clear();
  builder_.Reopen(top_graph_);
  return true;
}

void GraphScanner::Finish() {
  for (; num_finished_ < graphs_.graphs.size(); ++num_finished_) {
    const auto index = static_cast<uint32_t>(num_finished_);
    GraphModel& graph = graphs_.graphs[index];
    const bool is_joint =
        graph.name.find("oint") != std::string::npos ||
        std::find(joint_graphs_.begin(), joint_graphs_.end(), index) != joint_graphs_.end();
    FinishGraph(graphs_, graph, is_joint);
    if (index == top_graph_) repro_inputs_.Finish(graph);
  }
  joint_graphs_.clear();
}

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

/// Sets kind and source of the placeholder `name`.
void SetInput(GraphBuilder& builder, std::string_view name, std::string_view kind,
              std::string_view target) {
  const auto* const known =
      llvm::find_if(kInputKinds, [&](const InputKind& row) { return row.name == kind; });
  const uint32_t value = builder.FindValue(name);
  if (value == kNoIndex || known == std::end(kInputKinds)) return;
  if (known->kind == PlaceholderKind::kInput) return;
  GraphModel& graph = builder.graph();
  const auto found = std::ranges::lower_bound(graph.placeholders, graph.values[value].node, {},
                                              &Placeholder::node);
  if (found == graph.placeholders.end() || found->node != graph.values[value].node) return;
  found->kind = known->kind;
  if (!target.empty()) found->source = builder.Intern("self." + std::string(target));
}

/// "InputSpec(kind=<InputKind.PARAMETER: 2>, arg=TensorArgument(name='p_w'), target='w', ...)"
void ReadInputSpecs(std::string_view line, GraphBuilder& builder) {
  constexpr std::string_view kSpec = "InputSpec(";
  for (size_t at = FindText(line, kSpec); at != kNotFound;) {
    const size_t next = FindText(line, kSpec, at + kSpec.size());
    const std::string_view spec = line.substr(at, std::min(next, line.size()) - at);
    SetInput(builder, TextBetween(spec, "name='", "'"), TextBetween(spec, "InputKind.", ":"),
             TextBetween(spec, "target='", "'"));
    at = next;
  }
}

/// "ExportGraphSignature(..., inputs_to_parameters={'arg0_1': 'w', 'arg1_1': 'b'}, ...)"
void ReadInputNames(std::string_view line, GraphBuilder& builder) {
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
    for (const auto [name, target] : llvm::zip(names->keys, names->values)) {
      SetInput(builder, StringValue(name).value_or(""), kind, StringValue(target).value_or(""));
    }
  }
}

/// "device(type='cuda', index=0)" -> "cuda:0"
std::string DeviceName(const pyast::Expr* device, const PrintedPython& python) {
  const auto* const call = llvm::dyn_cast_or_null<pyast::Call>(device);
  if (call == nullptr) return "cpu";
  const pyast::Expr* const index = KeywordValue(*call, "index");
  std::string name(StringValue(KeywordValue(*call, "type")).value_or(""));
  if (index != nullptr) name.append(":").append(python.TextOf(*index));
  return name;
}

// The graph was printed just before its sizes.
constexpr size_t kMaxGraphsBetween = 64;

/// Makes the graph called `name` the current one; false if not found.
bool OpenGraph(GraphBuilder& builder, std::string_view name, uint32_t input) {
  const std::deque<GraphModel>& graphs = builder.graphs().graphs;
  for (size_t back = 1; back <= std::min(graphs.size(), kMaxGraphsBetween); ++back) {
    const GraphModel& graph = graphs[graphs.size() - back];
    if (graph.input != input || graph.name != name || !graph.symbols.empty()) continue;
    builder.Reopen(static_cast<uint32_t>(graphs.size() - back));
    return true;
  }
  return false;
}

/// Reads "l_x_: (s0, 4)" or "l_x_ (concrete): (8, 4)", already split.
void ReadTensorSize(GraphBuilder& builder, std::string_view name, pyast::Exprs sizes,
                    const PrintedPython& python, SymbolHints& hints) {
  constexpr std::string_view kConcrete = " (concrete)";
  const bool is_concrete = name.ends_with(kConcrete);
  if (is_concrete) name.remove_suffix(kConcrete.size());
  const uint32_t index = builder.FindValue(name);
  if (index == kNoIndex) return;
  GraphSet& graphs = builder.graphs();
  GraphValue& value = builder.graph().values[index];
  if (!is_concrete) {
    ValueType type;
    type.kind = ValueType::Kind::kTensor;
    type.has_shape = true;
    for (const pyast::Expr* size : sizes) {
      type.shape.push_back(builder.ReadSize(python.TextOf(*size)));
    }
    value.type = graphs.InternType(std::move(type));
  } else if (value.type != kNoIndex) {
    for (const auto [size, shown] : llvm::zip(graphs.types[value.type].shape, sizes)) {
      const std::optional<int64_t> hint = ParseNumber(python.TextOf(*shown));
      if (!hint) return;
      if (graphs.expressions.kind(size) == ExprKind::kSymbol) hints[size] = *hint;
    }
  }
}

}  // namespace

void ReadGraphSignature(LineCursor& cursor, GraphBuilder& builder) {
  ReadInputSpecs(cursor.Peek().text, builder);
  ReadInputNames(cursor.Peek().text, builder);
  cursor.Skip();
  bool is_input = false;
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    if (!line.text.empty() && line.indent == 0) return;
    cursor.Skip();
    const std::string_view body = line.body();
    const size_t colon = FindText(body, ": ");
    if (body.starts_with("# ")) {
      is_input = body.starts_with("# inputs");
    } else if (is_input && line.is_whole && colon != kNotFound) {
      // "p_w: PARAMETER target='w' persistent=True"
      const std::string_view rest = body.substr(colon + 2);
      SetInput(builder, body.substr(0, colon), rest.substr(0, rest.find(' ')),
               TextBetween(rest, "target='", "'"));
    }
  }
}

void ReadRangeConstraints(LineCursor& cursor, GraphBuilder& builder) {
  const TextLine line = cursor.Peek();
  cursor.Skip();
  const std::string_view text = line.text.substr(std::min(line.text.find('{'), line.text.size()));
  const bool has_infinity = HasText(text, "int_oo");
  PrintedPython python;
  const auto* const stated = llvm::dyn_cast_or_null<pyast::Dict>(python.ParseExpression(text));
  if (stated == nullptr) return;
  StatedRanges ranges;
  // "{2*s39: VR[4, 64], s27: ValueRanges(lower=2, upper=64, is_bool=False)}"
  for (const auto [size, shown] : llvm::zip(stated->keys, stated->values)) {
    if (size == nullptr) continue;
    const std::optional<Interval> range = ParseInterval(python.TextOf(*shown), has_infinity);
    if (!range) continue;
    ranges.Add(python.TextOf(*size), *range, builder.graphs(), builder.graph().input, line.number);
  }
  ranges.Apply(builder.graphs(), builder.graph_index());
}

void ReadTensorSizes(LineCursor& cursor, GraphBuilder& builder, uint32_t input) {
  cursor.Skip();
  if (cursor.at_end()) return;
  const std::string title(TextBetween(cursor.Peek().text, "===== ", " ====="));
  if (title.empty() || !OpenGraph(builder, title, input)) return;
  cursor.Skip();
  PrintedPython python;
  SymbolHints hints;
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const size_t colon = FindText(line.text, ": (");
    if (colon == kNotFound || !line.is_whole || !line.text.ends_with(')')) break;
    builder.set_line(line.number);
    ReadTensorSize(builder, Trim(line.text.substr(0, colon)),
                   PartsOf(python.ParseExpression(line.text.substr(colon + 2))), python, hints);
    cursor.Skip();
  }
  FinishGraph(builder.graphs(), builder.graph(), /*is_joint=*/false);
  SetHints(hints, builder.graph());
}

void ReproInputs::ReadLine(const TextLine& line) {
  size_t end = 0;
  const pyast::Stmt* const statement = python_.ParseFirst(line.text, end);
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
  const uint32_t index = builder_.FindValue(python_.Comment());
  if (index == kNoIndex) return;
  GraphModel& graph = builder_.graph();
  GraphValue& input = graph.values[index];
  if (graph.nodes[input.node].kind != NodeKind::kPlaceholder) return;
  builder_.set_line(line.number);
  if (callee == "reader.tensor") {
    ReadTensor(*call, input);
  } else if (callee == "reader.symint") {
    ReadSymbol(*call, input);
  }
}

bool ReproInputs::ReadSizes(const pyast::Expr& expression, std::vector<ExprId>& sizes) {
  if (!llvm::isa<pyast::Tuple>(expression)) return false;
  for (const pyast::Expr* size : PartsOf(&expression)) {
    sizes.push_back(builder_.ReadSize(python_.TextOf(*size)));
  }
  return true;
}

void ReproInputs::ReadTensor(const pyast::Call& call, GraphValue& value) {
  if (call.args.size() < 2) return;
  ValueType type;
  type.kind = ValueType::Kind::kTensor;
  type.has_shape = ReadSizes(*call.args[1], type.shape);
  if (call.args.size() > 2) type.has_stride = ReadSizes(*call.args[2], type.stride);
  const pyast::Expr* const requires_grad = KeywordValue(call, "requires_grad");
  type.requires_grad = requires_grad != nullptr && python_.TextOf(*requires_grad) == "True";
  if (type.has_shape && !type.has_stride) {
    // Omitted if the layout is contiguous. Sizes below 1 count as 1 there; symbols are at least 1.
    ExprPool& pool = builder_.graphs().expressions;
    type.has_stride = true;
    type.stride.assign(type.shape.size(), pool.Integer(1));
    for (size_t i = type.shape.size(); i-- > 1;) {
      type.stride[i - 1] = pool.Mul({type.stride[i], type.shape[i]});
    }
  }
  const pyast::Expr* const dtype = KeywordValue(call, "dtype");
  type.dtype = builder_.Intern(dtype == nullptr ? "torch.float32" : python_.TextOf(*dtype));
  const auto device = device_of_storage_.find(llvm::StringRef(python_.TextOf(*call.args[0])));
  if (device != device_of_storage_.end()) type.device = builder_.Intern(device->second);
  value.type = builder_.graphs().InternType(std::move(type));
}

void ReproInputs::ReadSymbol(const pyast::Call& call, GraphValue& value) {
  const std::string_view expression = StringValue(KeywordValue(call, "expr")).value_or("");
  if (call.args.empty() || expression.empty()) return;
  ValueType type;
  type.kind = ValueType::Kind::kInt;
  type.expression = builder_.ReadSize(expression);
  if (const auto hint = ParseNumber(python_.TextOf(*call.args[0]))) hints_[type.expression] = *hint;
  value.type = builder_.graphs().InternType(std::move(type));
}

void ReproInputs::Finish(GraphModel& graph) {
  SetHints(hints_, graph);
  hints_.clear();
  device_of_storage_.clear();
}

}  // namespace shapewise
