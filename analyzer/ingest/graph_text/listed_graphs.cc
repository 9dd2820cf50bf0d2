#include "ingest/graph_text/graph_lines.h"

#include <algorithm>

#include "ingest/data_tables.h"
#include "llvm/ADT/STLExtras.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Names in module operator for Python's operators, by pyast::Operator; empty for "and", "or".
// Source: magic_methods and inplace_methods in torch/fx/graph.py.
constexpr std::string_view kOperatorNames[] = {
    "",     "",       "add",    "sub",      "mul",     "matmul", "truediv",  "mod",
    "pow",  "lshift", "rshift", "or_",      "xor",     "and_",   "floordiv", "invert",
    "not_", "pos",    "neg",    "eq",       "ne",      "lt",     "le",       "gt",
    "ge",   "is_",    "is_not", "contains", "contains"};

// Its functions that do not correspond to an operator.
constexpr std::string_view kOtherFunctions[] = {"abs",   "attrgetter", "concat",  "getitem",
                                                "index", "itemgetter", "setitem", "truth"};

/// Whether `name` is a function of module operator that FX puts into graphs.
bool IsOperatorFunction(std::string_view name) {
  const auto is_operator = [&](std::string_view plain) {
    if (name == plain) return !plain.empty();
    if (plain.ends_with('_')) plain.remove_suffix(1);
    return name.starts_with('i') && name.substr(1) == plain;
  };
  return llvm::is_contained(kOtherFunctions, name) || llvm::any_of(kOperatorNames, is_operator);
}

/// "boolean_dispatch.<locals>.fn" -> the function that the node is named after,
/// "wrap.<locals>.inner" -> "inner".
std::string_view InnerName(std::string_view qualified, std::string_view node) {
  constexpr std::string_view kLocals = ".<locals>.";
  constexpr std::string_view kDispatch = "boolean_dispatch";
  const size_t locals = qualified.rfind(kLocals);
  if (locals == kNotFound) return qualified;
  if (qualified.substr(0, locals) != kDispatch) return qualified.substr(locals + kLocals.size());
  // "max_pool2d_1" is its second call. A node named after a variable does not show the function.
  static const std::vector<std::string_view> dispatched =
      JsonTexts(DataTable("graphs"), "dispatched");
  if (llvm::is_contained(dispatched, node)) return node;
  const size_t base = node.find_last_not_of("0123456789");
  const std::string_view stem = base == kNotFound ? std::string_view() : node.substr(0, base);
  return node.substr(stem.size()).starts_with('_') && llvm::is_contained(dispatched, stem)
             ? stem
             : kDispatch;
}

/// "<built-in function mul>" -> "operator.mul", "<function layer_norm at 0x7f>" -> "layer_norm".
std::string FunctionName(std::string_view shown, std::string_view node) {
  if (!ConsumeFront(shown, "<")) return NormalTarget(shown);
  const bool is_built_in = ConsumeFront(shown, "built-in function ");
  if (!is_built_in && !ConsumeFront(shown, "built-in method ") &&
      !ConsumeFront(shown, "function ") && !ConsumeFront(shown, "bound method ") &&
      !ConsumeFront(shown, "method ")) {
    return std::string(shown.substr(0, shown.find('>')));
  }
  while (ConsumeFront(shown, "'")) {
  }
  // "<locals>" is a part of a name.
  std::string_view name = shown.substr(0, shown.find_first_of(" '"));
  if (name.ends_with('>')) name.remove_suffix(1);
  name = InnerName(name, node);
  const bool is_operator = is_built_in && IsOperatorFunction(name);
  return (is_operator ? "operator." : "") + std::string(name);
}

/// One node in a line or a row.
struct ListedNode {
  std::string_view opcode;
  std::string_view name;
  std::string_view target;
  std::string_view type;
  std::string_view default_value;  ///< of a placeholder
  std::string_view printed;        ///< its arguments
  Arguments arguments;
  bool is_read = false;  ///< the arguments were parsed
};

/// Adds `node`; false: its kind is unknown, or it is an output that was not read.
bool AddListedNode(GraphBuilder& builder, ListedNode& node) {
  std::string_view target = node.target;
  if (node.opcode == "placeholder") {
    target.remove_prefix(std::min(target.find_first_not_of('*'), target.size()));
    builder.AddPlaceholder(target, builder.ReadType(node.type), node.default_value);
    builder.RenameValue(static_cast<uint32_t>(builder.graph().values.size() - 1), node.name);
    return true;
  }
  if (node.opcode == "output") {
    if (node.is_read) builder.AddOutput(node.arguments);
    return node.is_read;
  }
  for (const NodeKind kind : {NodeKind::kCallFunction, NodeKind::kCallMethod, NodeKind::kGetAttr,
                              NodeKind::kCallModule}) {
    if (NodeKindName(kind) != node.opcode) continue;
    if (!node.is_read) {
      node.arguments = {builder.TextArgument(Argument::Kind::kText, node.printed.substr(0, 4096))};
      builder.Count(Stat::graph_node_unreadable);
    }
    builder.AddCall(kind, target, node.arguments, node.name, builder.ReadType(node.type));
    return true;
  }
  return false;
}

/// Reads the values of a dict with its keys as keywords. False: a key is not a name.
bool ReadKeywords(const pyast::Expr* expression, ArgumentReader& reader, GraphBuilder& builder,
                  Arguments& arguments) {
  const auto* const dict = llvm::dyn_cast_or_null<pyast::Dict>(expression);
  if (dict == nullptr) return false;
  for (const auto [key, value] : llvm::zip(dict->keys, dict->values)) {
    if (key == nullptr) return false;
    const std::string_view name = StringValue(key).value_or(reader.PathOf(*key));
    if (name.empty()) return false;
    arguments.push_back(WithKeyword(reader.Read(*value), builder.Intern(name)));
  }
  return true;
}

enum Column : size_t { kOpcode, kName, kTarget, kArgs, kKwargs, kNumColumns };

/// Adds the node in a row; `begins`: starts of its columns.
bool ReadRow(std::string_view row, llvm::ArrayRef<size_t> begins, ArgumentReader& reader,
             GraphBuilder& builder) {
  std::string_view cells[kNumColumns];
  for (size_t i = 0; i < kNumColumns; ++i) {
    if (begins[i] >= row.size()) return false;
    const size_t end = i + 1 < kNumColumns ? begins[i + 1] : row.size();
    cells[i] = Trim(row.substr(begins[i], end - begins[i]));
  }
  ListedNode node;
  node.opcode = cells[kOpcode];
  node.name = cells[kName];
  node.target = cells[kTarget];
  node.printed = cells[kArgs];
  if (node.opcode == "placeholder" && node.printed.size() > 2) {
    node.default_value = node.printed.substr(1, node.printed.rfind(',') - 1);
  }
  if (const pyast::Call* const call = reader.ParseArguments(node.printed)) {
    node.arguments = reader.ReadArguments(*call);
    const pyast::Expr* const keywords = reader.ParseExpression(cells[kKwargs]);
    node.is_read = ReadKeywords(keywords, reader, builder, node.arguments);
  }
  std::string function;
  if (node.opcode == "call_function") node.target = function = FunctionName(node.target, node.name);
  return AddListedNode(builder, node);
}

}  // namespace

std::string NormalTarget(std::string_view target) {
  if (ConsumeFront(target, "torch.ops.") || ConsumeFront(target, "builtins.")) {
    return std::string(target);
  }
  // A function outside of torch gets a name without dots in generated code.
  for (const std::string_view module : {"_operator", "operator", "math"}) {
    std::string_view name = target;
    if (!ConsumeFront(name, module)) continue;
    if (!ConsumeFront(name, ".") && !ConsumeFront(name, "_")) continue;
    return (module == "math" ? "math." : "operator.") + std::string(name);
  }
  return std::string(target);
}

std::string OperatorFunction(pyast::Operator op, bool is_in_place) {
  std::string_view name = kOperatorNames[static_cast<size_t>(op)];
  if (name.empty()) return {};
  if (is_in_place && name.ends_with('_')) name.remove_suffix(1);
  return (is_in_place ? "operator.i" : "operator.") + std::string(name);
}

bool ListedNodeReader::Read(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == kNotFound) return false;
  ListedNode node;
  node.name = TrimRight(line.substr(1, colon - 1));
  const bool is_name = llvm::all_of(
      node.name, [](char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; });
  std::string_view rest = line.substr(colon + 1);
  // 2.0 wrote "[#users=1]".
  size_t users = FindText(rest, "[num_users=");
  if (users == kNotFound) users = FindText(rest, "[#users=");
  const size_t equals = FindText(rest, "] = ", users);
  if (node.name.empty() || !is_name || equals == kNotFound) return false;
  node.type = Trim(rest.substr(0, users));
  if (ConsumeFront(node.type, "Tensor \"") && node.type.ends_with('"')) {
    node.type.remove_suffix(1);
  }
  rest.remove_prefix(equals + 4);
  const size_t open = FindText(rest, "[target=");
  if (open == kNotFound) return false;
  node.opcode = rest.substr(0, open);
  rest.remove_prefix(open + 8);
  const bool is_call = node.opcode != "placeholder" && node.opcode != "get_attr";
  const size_t close = is_call ? FindText(rest, "](args = (") : rest.find(']');
  if (close == kNotFound) return false;
  node.target = rest.substr(0, close);
  rest.remove_prefix(close + 1);
  std::string function;
  if (node.opcode == "call_function") node.target = function = NormalTarget(node.target);
  if (ConsumeFront(rest, "(default=") && rest.ends_with(')')) {
    node.default_value = rest.substr(0, rest.size() - 1);
  }
  // "(args = (%x, 1), kwargs = {})"
  node.printed = rest;
  const pyast::Call* const call = is_call ? arguments_.ParseArguments(rest) : nullptr;
  const auto* const listed =
      call == nullptr ? nullptr : llvm::dyn_cast_or_null<pyast::Tuple>(KeywordValue(*call, "args"));
  node.is_read = !is_call;
  if (listed != nullptr) {
    node.arguments = arguments_.ReadAll(listed->elts);
    node.is_read =
        ReadKeywords(KeywordValue(*call, "kwargs"), arguments_, builder_, node.arguments);
  }
  return AddListedNode(builder_, node);
}

uint32_t ReadGraphTable(LineCursor& cursor, GraphBuilder& builder, const GraphOrigin& origin,
                        std::string_view name) {
  const TextLine head = cursor.Peek();
  cursor.Skip();
  const TextLine rule = cursor.Peek();
  llvm::SmallVector<size_t, kNumColumns> begins;
  for (size_t at = 0; at < rule.text.size(); ++at) {
    const char c = rule.text[at];
    if (c != '-' && c != ' ') return kNoIndex;
    if (c == '-' && (at == 0 || rule.text[at - 1] == ' ')) begins.push_back(at);
  }
  if (begins.size() != kNumColumns || !rule.is_whole) return kNoIndex;
  cursor.Skip();
  builder.Begin(origin, "print_tabular", name, head.number);
  ArgumentReader reader(builder, /*has_percents=*/false);
  while (!cursor.at_end() && !builder.has_output()) {
    const TextLine line = cursor.Peek();
    builder.set_line(line.number);
    // A truncated row may lack some of its arguments.
    if (!line.is_whole && !line.text.starts_with("output ")) break;
    if (!ReadRow(line.text, begins, reader, builder)) break;
    cursor.Skip();
  }
  GraphModel& graph = builder.graph();
  graph.is_cut = !builder.has_output();
  builder.set_line(head.number);
  if (graph.is_cut) builder.Count(Stat::graph_cut);
  return builder.graph_index();
}

}  // namespace shapewise
