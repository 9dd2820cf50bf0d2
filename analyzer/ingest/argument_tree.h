// Arguments while a graph is read: trees, which are laid out flat once they are whole.

#ifndef SHAPEWISE_INGEST_ARGUMENT_TREE_H_
#define SHAPEWISE_INGEST_ARGUMENT_TREE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "shapewise/model/graph_model.h"

namespace shapewise {

/// One argument with its parts.
struct ArgumentTree {
  Argument argument;
  std::vector<ArgumentTree> parts;

  static ArgumentTree Value(uint32_t value) {
    ArgumentTree tree = Group(Argument::Kind::kValue);
    tree.argument.index = value;
    return tree;
  }
  static ArgumentTree Int(int64_t integer, Argument::Kind kind = Argument::Kind::kInt) {
    ArgumentTree tree = Group(kind);
    tree.argument.integer = integer;
    return tree;
  }
  static ArgumentTree Bool(bool is_true) { return Int(is_true ? 1 : 0, Argument::Kind::kBool); }
  static ArgumentTree Float(double number) {
    ArgumentTree tree = Group(Argument::Kind::kFloat);
    tree.argument.number = number;
    return tree;
  }
  /// kString, kConstant, kText.
  static ArgumentTree Text(Argument::Kind kind, StrId text) {
    ArgumentTree tree = Group(kind);
    tree.argument.text = text;
    return tree;
  }
  /// kList, kTuple, kDict, kSlice.
  static ArgumentTree Group(Argument::Kind kind, std::vector<ArgumentTree> parts = {}) {
    ArgumentTree tree;
    tree.argument.kind = kind;
    tree.parts = std::move(parts);
    return tree;
  }
};

/// Lays `arguments` out as those of node `node` of `graph`, level by level.
inline void SetArguments(GraphModel& graph, uint32_t node,
                         const std::vector<ArgumentTree>& arguments) {
  std::vector<std::pair<const ArgumentTree*, size_t>> level;  // a tree, and where it lies
  const auto append = [&](const std::vector<ArgumentTree>& trees, auto& placed) {
    for (const ArgumentTree& tree : trees) {
      placed.emplace_back(&tree, graph.arguments.size());
      graph.arguments.push_back(tree.argument);
    }
  };
  graph.nodes[node].first_argument = static_cast<uint32_t>(graph.arguments.size());
  graph.nodes[node].num_arguments = static_cast<uint32_t>(arguments.size());
  append(arguments, level);
  while (!level.empty()) {
    std::vector<std::pair<const ArgumentTree*, size_t>> next;
    for (const auto& [tree, at] : level) {
      if (tree->parts.empty()) continue;
      graph.arguments[at].first_child = static_cast<uint32_t>(graph.arguments.size());
      graph.arguments[at].num_children = static_cast<uint32_t>(tree->parts.size());
      append(tree->parts, next);
    }
    level = std::move(next);
  }
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_ARGUMENT_TREE_H_
