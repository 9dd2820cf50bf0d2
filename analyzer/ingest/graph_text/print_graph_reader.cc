#include "ingest/graph_text/print_graph_reader.h"

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

}  // namespace

uint32_t PrintGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                std::string_view name) {
  const TextLine head = cursor.Peek();
  builder_.Begin(origin, "print_graph", name, head.number);
  statements_.Begin(origin.input);
  Stats& stats = builder_.graphs().stats;
  int num_foreign = 0;
  uint64_t first_foreign = 0;
  cursor.Skip();
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const std::string_view body = line.body();
    if (body.starts_with("graph(")) break;
    cursor.Skip();
    if (body.empty()) continue;
    const bool is_return = body.starts_with("return ") && line.indent > head.indent;
    if (is_return && statements_.ReadReturn(body.substr(7), line.number)) break;
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
  parser_.Reset(text.substr(1));
  const std::string_view name = parser_.ConsumeName();
  if (name.empty() || !parser_.Consume(":")) return false;
  std::string_view rest = parser_.rest();
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
    while (ConsumeFront(parameter, "*")) {
    }
    const uint32_t value = builder_.AddPlaceholder(parameter, type, default_value, line);
    builder_.RenameValue(value, name);
    return true;
  }
  if (is_call && !ReadCall(rest)) {
    // The node is there; what it takes is not known.
    builder_.DropPushed(0);
    builder_.PushText(Argument::Kind::kText, rest.substr(0, 4096));
    builder_.graphs().stats.Bump(Stat::graph_node_unreadable, input, line);
  }
  const bool is_function = *kind == NodeKind::kCallFunction;
  builder_.AddNode(*kind, is_function ? NormalTarget(target, target_storage_) : target, name, type,
                   line);
  return true;
}

/// "(args = (%x, 1), kwargs = {})"
bool PrintGraphReader::ReadCall(std::string_view text) {
  parser_.Reset(text);
  return parser_.Consume("(args = (") && parser_.ParseArguments(')') &&
         parser_.Consume(", kwargs = {") && parser_.ParseKeywords() && parser_.Consume(")");
}

}  // namespace shapewise
