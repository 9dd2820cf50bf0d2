#include "syntax/syntax_tree.h"

#include <cassert>
#include <memory>

#include "syntax/node_kinds.h"

namespace shapewise {
namespace {

/// Copies what `cursor` walks over.
void CopyNodes(TSTreeCursor& cursor, std::vector<SyntaxNode>& nodes) {
  llvm::SmallVector<uint32_t, 64> open;
  for (;;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    open.push_back(static_cast<uint32_t>(nodes.size()));
    nodes.push_back({.begin = ts_node_start_byte(node),
                     .end = ts_node_end_byte(node),
                     .symbol = ts_node_symbol(node),
                     .is_missing = ts_node_is_missing(node)});
    if (ts_tree_cursor_goto_first_child(&cursor)) continue;
    for (;;) {
      nodes[open.pop_back_val()].after = static_cast<uint32_t>(nodes.size());
      if (open.empty()) return;
      if (ts_tree_cursor_goto_next_sibling(&cursor)) break;
      ts_tree_cursor_goto_parent(&cursor);
    }
  }
}

}  // namespace

bool ParseSyntax(std::string_view source, ParseArena& arena, SyntaxTree& tree) {
  tree.nodes.clear();
  // What tree-sitter makes ends with the scope, all at once. The parser is deleted for the sake of
  // the grammar's own scanner, whose memory is from the heap.
  const ParseArena::Scope scope(arena, source.size());
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      ts_parser_delete);
  [[maybe_unused]] const bool is_fit = ts_parser_set_language(parser.get(), tree_sitter_python());
  assert(is_fit);
  ts_parser_set_cancellation_flag(parser.get(), arena.is_exhausted());
  const TSTree* made = ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                              static_cast<uint32_t>(source.size()));
  if (made == nullptr) return false;
  const TSNode root = ts_tree_root_node(made);
  tree.has_errors = ts_node_has_error(root);
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  CopyNodes(cursor, tree.nodes);
  ts_tree_cursor_delete(&cursor);
  return true;
}

}  // namespace shapewise
