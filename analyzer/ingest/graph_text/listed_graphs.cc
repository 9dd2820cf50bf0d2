#include "ingest/graph_text/listed_graphs.h"

#include <algorithm>
#include <optional>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// So many lines in a row that are no part of a graph: it does not go on.
constexpr int kMaxForeignLines = 8;

std::optional<NodeKind> KindOf(std::string_view name) {
  for (const NodeKind kind : {NodeKind::kCallFunction, NodeKind::kCallMethod,
                              NodeKind::kPlaceholder, NodeKind::kGetAttr, NodeKind::kCallModule}) {
    if (NodeKindName(kind) == name) return kind;
  }
  return std::nullopt;
}

constexpr size_t kNumColumns = 5;
enum Column : size_t { kOpcodeColumn, kNameColumn, kTargetColumn, kArgsColumn, kKwargsColumn };

// What torch._jit_internal.boolean_dispatch() makes: all are printed with one name, that of its
// inner function. Source: its callers in torch/nn/functional.py and torch/functional.py.
constexpr std::string_view kDispatched[] = {
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "unique",
    "unique_consecutive",
};

/// "boolean_dispatch.<locals>.fn" -> what the node is named after, "wrap.<locals>.inner" ->
/// "inner".
std::string_view InnerName(std::string_view qualified, std::string_view node) {
  constexpr std::string_view kLocals = ".<locals>.";
  constexpr std::string_view kDispatch = "boolean_dispatch";
  const size_t locals = qualified.rfind(kLocals);
  if (locals == std::string_view::npos) return qualified;
  if (qualified.substr(0, locals) != kDispatch) return qualified.substr(locals + kLocals.size());
  // "max_pool2d_1" is its second call. A node that is named after a variable does not tell.
  const size_t base = node.find_last_not_of("0123456789");
  const auto is_named = [&](std::string_view name) {
    return std::ranges::find(kDispatched, name) != std::end(kDispatched);
  };
  if (is_named(node)) return node;
  if (base != std::string_view::npos && node[base] == '_' && is_named(node.substr(0, base))) {
    return node.substr(0, base);
  }
  return kDispatch;
}

/// "<built-in function mul>" -> "operator.mul", "<function layer_norm at 0x7f>" -> "layer_norm".
std::string_view FunctionName(std::string_view shown, std::string_view node, std::string& storage) {
  if (!ConsumeFront(shown, "<")) return NormalTarget(shown, storage);
  const bool is_built_in = ConsumeFront(shown, "built-in function ");
  if (!is_built_in && !ConsumeFront(shown, "built-in method ") &&
      !ConsumeFront(shown, "function ") && !ConsumeFront(shown, "bound method ") &&
      !ConsumeFront(shown, "method ")) {
    return shown.substr(0, shown.find('>'));
  }
  while (ConsumeFront(shown, "'")) {
  }
  // "<locals>" is a part of a name.
  const std::string_view whole = shown.substr(0, shown.find_first_of(" '"));
  const std::string_view name =
      InnerName(whole.ends_with('>') ? whole.substr(0, whole.size() - 1) : whole, node);
  if (!is_built_in || !IsOperatorFunction(name)) return name;
  storage = "operator.";
  storage += name;
  return storage;
}

/// Pushes the arguments of a node that is there, but takes what is not known.
void PushUnread(GraphBuilder& builder, std::string_view arguments, uint64_t line) {
  builder.DropPushed(0);
  builder.PushText(Argument::Kind::kText, arguments.substr(0, 4096));
  builder.graphs().stats.Bump(Stat::graph_node_unreadable, builder.graph().input, line);
}

}  // namespace

uint32_t PrintGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                std::string_view name) {
  const TextLine head = cursor.Peek();
  builder_.Begin(origin, "print_graph", name, head.number);
  python_.Begin(origin.input);
  Stats& stats = builder_.graphs().stats;
  int num_foreign = 0;
  uint64_t first_foreign = 0;
  cursor.Skip();
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const std::string_view body = line.body();
    if (body.starts_with("graph(")) break;
    if (body.starts_with("return ") && line.indent > head.indent) {
      if (python_.ReadReturn(cursor)) break;
    } else {
      cursor.Skip();
    }
    if (body.empty()) continue;
    if (!line.is_whole) break;
    if (body[0] == '%' && ReadNode(body, line.number)) {
      for (; num_foreign > 0; --num_foreign) {
        stats.Bump(Stat::graph_node_unreadable, origin.input, first_foreign);
      }
      continue;
    }
    builder_.DropPushed(0);
    if (num_foreign == 0) first_foreign = line.number;
    if (++num_foreign > kMaxForeignLines) break;
  }
  GraphModel& graph = builder_.graph();
  graph.is_cut = !builder_.has_output();
  if (graph.is_cut) {
    stats.Bump(Stat::graph_cut, origin.input, head.number);
  } else {
    for (; num_foreign > 0; --num_foreign) {
      stats.Bump(Stat::graph_node_unreadable, origin.input, first_foreign);
    }
  }
  return builder_.graph_index();
}

bool PrintGraphReader::ReadNode(std::string_view text, uint64_t line) {
  const size_t colon = text.find(':');
  const std::string_view name = TrimRight(text.substr(1, colon - 1));
  const bool is_name = std::ranges::all_of(
      name, [](char c) { return IsWordChar(c) || static_cast<unsigned char>(c) >= 0x80; });
  if (colon == kNotFound || name.empty() || !is_name) return false;
  std::string_view rest = text.substr(colon + 1);
  // 2.0 wrote "[#users=1]".
  size_t users = FindText(rest, "[num_users=");
  if (users == kNotFound) users = FindText(rest, "[#users=");
  if (users == kNotFound) return false;
  std::string_view annotation = Trim(rest.substr(0, users));
  if (ConsumeFront(annotation, "Tensor \"") && annotation.ends_with('"')) {
    annotation.remove_suffix(1);
  }
  rest.remove_prefix(users);
  const size_t equals = FindText(rest, "] = ");
  if (equals == kNotFound) return false;
  rest.remove_prefix(equals + 4);
  const size_t open = FindText(rest, "[target=");
  const std::optional<NodeKind> kind = KindOf(rest.substr(0, open));
  if (!kind) return false;
  rest.remove_prefix(open + 8);
  const uint32_t input = builder_.graph().input;
  const uint32_t type = builder_.types().Read(annotation, input, line);
  const bool is_call = *kind != NodeKind::kPlaceholder && *kind != NodeKind::kGetAttr;
  const size_t close = is_call ? FindText(rest, "](args = (") : rest.find(']');
  if (close == kNotFound) return false;
  const std::string_view target = rest.substr(0, close);
  rest.remove_prefix(close + 1);
  if (*kind == NodeKind::kPlaceholder) {
    std::string_view default_value;
    if (ConsumeFront(rest, "(default=") && rest.ends_with(')')) {
      default_value = rest.substr(0, rest.size() - 1);
    }
    std::string_view parameter = target;
    parameter.remove_prefix(std::min(parameter.find_first_not_of('*'), parameter.size()));
    const uint32_t value = builder_.AddPlaceholder(parameter, type, default_value, line);
    builder_.RenameValue(value, name);
    return true;
  }
  if (is_call && !ReadCall(rest)) PushUnread(builder_, rest, line);
  const bool is_function = *kind == NodeKind::kCallFunction;
  builder_.AddNode(*kind, is_function ? NormalTarget(target, target_storage_) : target, name, type,
                   line);
  return true;
}

/// "(args = (%x, 1), kwargs = {})"
bool PrintGraphReader::ReadCall(std::string_view text) {
  const pyast::Call* const call = arguments_.ParseArguments(text);
  if (call == nullptr) return false;
  const pyast::Expr* const arguments = KeywordValue(*call, "args");
  const pyast::Expr* const keywords = KeywordValue(*call, "kwargs");
  const bool is_read = arguments != nullptr && llvm::isa<pyast::Tuple>(arguments);
  if (!is_read || keywords == nullptr) return false;
  for (const pyast::Expr* argument : PartsOf(arguments)) arguments_.Push(*argument);
  return arguments_.PushKeywords(*keywords);
}

uint32_t TableGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                std::string_view name) {
  const TextLine head = cursor.Peek();
  cursor.Skip();
  const TextLine rule = cursor.Peek();
  columns_.clear();
  for (size_t at = 0; at < rule.text.size(); ++at) {
    const char c = rule.text[at];
    if (c != '-' && c != ' ') return kNoIndex;
    if (c == '-' && (at == 0 || rule.text[at - 1] == ' ')) columns_.push_back(at);
  }
  if (columns_.size() != kNumColumns || !rule.is_whole) return kNoIndex;
  cursor.Skip();
  builder_.Begin(origin, "print_tabular", name, head.number);
  while (!cursor.at_end() && !builder_.has_output()) {
    const TextLine line = cursor.Peek();
    // A row that is cut may have lost a part of its arguments.
    if (!line.is_whole && !line.text.starts_with("output ")) break;
    if (!ReadRow(line.text, line.number)) break;
    cursor.Skip();
  }
  GraphModel& graph = builder_.graph();
  graph.is_cut = !builder_.has_output();
  if (graph.is_cut) builder_.graphs().stats.Bump(Stat::graph_cut, origin.input, head.number);
  return builder_.graph_index();
}

/// Pushes what stands in "(x, 1)" and "{'dim': 0}".
bool TableGraphReader::ReadCells(std::string_view arguments, std::string_view keywords) {
  const pyast::Call* const call = arguments_.ParseArguments(arguments);
  if (call == nullptr) return false;
  arguments_.PushArguments(*call);
  const pyast::Expr* const dict = arguments_.ParseExpression(keywords);
  return dict != nullptr && arguments_.PushKeywords(*dict);
}

bool TableGraphReader::ReadRow(std::string_view row, uint64_t line) {
  std::string_view cells[kNumColumns];
  for (size_t i = 0; i < kNumColumns; ++i) {
    const size_t begin = columns_[i];
    if (begin >= row.size()) return false;
    const size_t end = i + 1 < kNumColumns ? std::min(columns_[i + 1], row.size()) : row.size();
    cells[i] = Trim(row.substr(begin, end - begin));
  }
  const std::string_view opcode = cells[kOpcodeColumn];
  if (opcode == "placeholder") {
    std::string_view parameter = cells[kTargetColumn];
    parameter.remove_prefix(std::min(parameter.find_first_not_of('*'), parameter.size()));
    std::string_view given = cells[kArgsColumn];
    given = given.size() > 2 ? given.substr(1, given.rfind(',') - 1) : std::string_view();
    const uint32_t value = builder_.AddPlaceholder(parameter, kNoIndex, given, line);
    builder_.RenameValue(value, cells[kNameColumn]);
    return true;
  }
  const bool is_read = ReadCells(cells[kArgsColumn], cells[kKwargsColumn]);
  if (opcode == "output") {
    if (is_read) builder_.AddOutput(line);
    return is_read;
  }
  NodeKind kind = NodeKind::kCallFunction;
  std::string_view target = cells[kTargetColumn];
  if (opcode == "call_function") {
    target = FunctionName(target, cells[kNameColumn], target_storage_);
  } else if (opcode == "call_method") {
    kind = NodeKind::kCallMethod;
  } else if (opcode == "call_module") {
    kind = NodeKind::kCallModule;
  } else if (opcode == "get_attr") {
    kind = NodeKind::kGetAttr;
  } else {
    builder_.DropPushed(0);
    return false;
  }
  if (!is_read) {
    PushUnread(builder_, cells[kArgsColumn], line);
  }
  builder_.AddNode(kind, target, cells[kNameColumn], kNoIndex, line);
  return true;
}

}  // namespace shapewise
