#include "ingest/graph_text/table_graph_reader.h"

#include <algorithm>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

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

}  // namespace

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
    while (ConsumeFront(parameter, "*")) {
    }
    std::string_view given = cells[kArgsColumn];
    given = given.size() > 2 ? given.substr(1, given.rfind(',') - 1) : std::string_view();
    const uint32_t value = builder_.AddPlaceholder(parameter, kNoIndex, given, line);
    builder_.RenameValue(value, cells[kNameColumn]);
    return true;
  }
  parser_.Reset(cells[kArgsColumn]);
  bool is_read = parser_.Consume("(") && parser_.ParseArguments(')');
  parser_.Reset(cells[kKwargsColumn]);
  is_read = is_read && parser_.Consume("{") && parser_.ParseKeywords();
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
    // The node is there; what it takes is not known.
    builder_.DropPushed(0);
    builder_.PushText(Argument::Kind::kText, cells[kArgsColumn].substr(0, 4096));
    builder_.graphs().stats.Bump(Stat::graph_node_unreadable, builder_.graph().input, line);
  }
  builder_.AddNode(kind, target, cells[kNameColumn], kNoIndex, line);
  return true;
}

}  // namespace shapewise
