#include "ingest/formats/torchscript/code_graph.h"

#include <cassert>

#include "llvm/ADT/DenseSet.h"

namespace shapewise {
uint32_t CodeGraph::AddNode(std::string_view target) {
  GraphNode& node = graph_.nodes.emplace_back();
  node.kind = NodeKind::kOperator;
  node.target = graphs_.strings.Intern(target);
  node.first_value = static_cast<uint32_t>(graph_.values.size());
  node.line = line_;
  node.block = blocks_.empty() ? 0 : blocks_.back().number;
  return static_cast<uint32_t>(graph_.nodes.size() - 1);
}

ArgumentTree CodeGraph::AddResult(uint32_t node, std::string_view name, uint32_t type) {
  GraphNode& made_by = graph_.nodes[node];
  const auto index = static_cast<uint32_t>(graph_.values.size());
  if (made_by.num_values == 0) made_by.first_value = index;
  assert(made_by.first_value + made_by.num_values == index);
  ++made_by.num_values;
  graph_.values.push_back({UniqueName(name), node, type});
  return ArgumentTree::Value(index);
}

ArgumentTree CodeGraph::AddBlockInput(uint32_t node, std::string_view name) {
  const auto index = static_cast<uint32_t>(graph_.values.size());
  graph_.values.push_back({UniqueName(name), node, kNoIndex});
  return ArgumentTree::Value(index);
}

ArgumentTree CodeGraph::AddCall(std::string_view target, const std::vector<ArgumentTree>& arguments,
                                std::string_view name) {
  const uint32_t node = AddNode(target);
  SetArguments(graph_, node, arguments);
  const std::string_view stem = target.substr(target.rfind(':') + 1);
  return AddResult(node, name.empty() ? stem : name);
}

const CodeValue* CodeGraph::Find(std::string_view name) const {
  const auto at = scopes_.back().find(llvm::StringRef(name));
  return at == scopes_.back().end() ? nullptr : &at->second;
}

void CodeGraph::Bind(std::string_view name, CodeValue value) {
  const auto [at, is_new] = scopes_.back().try_emplace(llvm::StringRef(name));
  if (!blocks_.empty()) {
    changes_.push_back({name, !is_new, is_new ? CodeValue() : std::move(at->second)});
  }
  at->second = std::move(value);
}

void CodeGraph::EnterFunction() {
  scopes_.emplace_back();
  function_changes_.push_back(changes_.size());
}

void CodeGraph::LeaveFunction() {
  scopes_.pop_back();
  changes_.resize(function_changes_.back());
  function_changes_.pop_back();
}

void CodeGraph::EnterBlock() { blocks_.push_back({++last_block_, changes_.size()}); }

std::vector<std::pair<std::string_view, CodeValue>> CodeGraph::LeaveBlock() {
  std::vector<std::pair<std::string_view, CodeValue>> bound;
  const size_t first = blocks_.back().first_change;
  blocks_.pop_back();
  llvm::DenseSet<llvm::StringRef> seen;
  // Backwards: what a name stands for now is what it was bound to last, and what it stood for
  // before the block is undone last.
  for (size_t i = changes_.size(); i-- > first;) {
    Change& change = changes_[i];
    CodeValue& now = scopes_.back()[llvm::StringRef(change.name)];
    if (seen.insert(llvm::StringRef(change.name)).second) bound.emplace_back(change.name, now);
    if (change.was_bound) {
      now = std::move(change.before);
    } else {
      scopes_.back().erase(llvm::StringRef(change.name));
    }
  }
  changes_.resize(first);
  return bound;
}

StrId CodeGraph::UniqueName(std::string_view stem) {
  const uint32_t uses = ++name_uses_[llvm::StringRef(stem)];
  if (uses == 1) return graphs_.strings.Intern(stem);
  return graphs_.strings.Intern(std::string(stem) + "." + std::to_string(uses));
}

}  // namespace shapewise
