#include "ingest/graph_text/graph_builder.h"

#include <algorithm>
#include <string>

namespace shapewise {

void GraphBuilder::Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
                         uint64_t line) {
  ForgetNames();
  line_ = line;
  block_ = 0;
  place_ = {};
  has_output_ = was_unpacked_ = false;
  graph_ = static_cast<uint32_t>(graphs_.graphs.size());
  GraphModel& graph = graphs_.graphs.emplace_back();
  model_ = &graph;
  graph.name = origin.name.empty() ? name : origin.name;
  graph.format = origin.format.empty() ? format : origin.format;
  graph.input = origin.input;
  graph.line = line;
  graph.compile_id = origin.compile_id;
}

void GraphBuilder::Reopen(uint32_t graph) {
  if (graph == graph_) return;
  ForgetNames();
  graph_ = graph;
  model_ = &graphs_.graphs[graph];
  const GraphModel& model = this->graph();
  for (uint32_t value = 0; value < model.values.size(); ++value) {
    BindName(model.values[value].name, value);
  }
  for (const Placeholder& placeholder : model.placeholders) {
    const GraphNode& node = model.nodes[placeholder.node];
    BindName(node.target, node.first_value);
  }
}

void GraphBuilder::ForgetNames() {
  for (const uint32_t bound : bound_names_) value_of_name_[bound] = kNoIndex;
  bound_names_.clear();
}

uint32_t GraphBuilder::FindValue(std::string_view name) {
  const auto id = static_cast<size_t>(Intern(name));
  return id < value_of_name_.size() ? value_of_name_[id] : kNoIndex;
}

void GraphBuilder::BindName(StrId name, uint32_t value) {
  const auto id = static_cast<size_t>(name);
  if (id >= value_of_name_.size()) {
    value_of_name_.resize(std::max(id + 1, 2 * value_of_name_.size()), kNoIndex);
  }
  value_of_name_[id] = value;
  bound_names_.push_back(static_cast<uint32_t>(id));
}

void GraphBuilder::RenameValue(uint32_t value, std::string_view name) {
  const StrId id = Intern(name);
  graph().values[value].name = id;
  BindName(id, value);
}

Argument GraphBuilder::Group(Argument::Kind kind, llvm::ArrayRef<Argument> parts) {
  std::vector<Argument>& arguments = graph().arguments;
  Argument group = IntArgument(0, kind);
  group.first_child = static_cast<uint32_t>(arguments.size());
  group.num_children = static_cast<uint32_t>(parts.size());
  arguments.insert(arguments.end(), parts.begin(), parts.end());
  return group;
}

Argument GraphBuilder::Block(size_t number, llvm::ArrayRef<Argument> inputs,
                             llvm::ArrayRef<Argument> outputs) {
  const Argument parts[] = {Group(Argument::Kind::kTuple, inputs),
                            Group(Argument::Kind::kTuple, outputs)};
  return WithKeyword(Group(Argument::Kind::kTuple, parts),
                     Intern("block" + std::to_string(number)));
}

uint32_t GraphBuilder::AddNode(NodeKind kind, std::string_view target,
                               llvm::ArrayRef<Argument> arguments) {
  std::vector<GraphNode>& nodes = graph().nodes;
  GraphNode& node = nodes.emplace_back();
  node.kind = kind;
  node.target = Intern(target);
  node.first_value = static_cast<uint32_t>(graph().values.size());
  node.block = block_;
  node.line = line_;
  if (kind != NodeKind::kPlaceholder && kind != NodeKind::kOutput) {
    node.user_file = place_.file;
    node.user_line = place_.line;
    node.user_function = place_.function;
    node.code = place_.code;
  }
  const auto index = static_cast<uint32_t>(nodes.size() - 1);
  SetArguments(index, arguments);
  return index;
}

void GraphBuilder::SetArguments(uint32_t node, llvm::ArrayRef<Argument> arguments) {
  const Argument group = Group(Argument::Kind::kTuple, arguments);
  graph().nodes[node].first_argument = group.first_child;
  graph().nodes[node].num_arguments = group.num_children;
}

uint32_t GraphBuilder::AddValue(uint32_t node, std::string_view name, uint32_t type,
                                bool is_inner) {
  GraphModel& model = graph();
  const auto value = static_cast<uint32_t>(model.values.size());
  const StrId id = Intern(name);
  model.values.push_back({id, node, type});
  BindName(id, value);
  if (is_inner) return value;
  GraphNode& made_by = model.nodes[node];
  if (made_by.num_values++ == 0) made_by.first_value = value;
  return value;
}

uint32_t GraphBuilder::AddCall(NodeKind kind, std::string_view target,
                               llvm::ArrayRef<Argument> arguments, std::string_view name,
                               uint32_t type) {
  return AddValue(AddNode(kind, target, arguments), name, type);
}

Placeholder& GraphBuilder::AddPlaceholder(std::string_view target, uint32_t type,
                                          std::string_view default_value) {
  const uint32_t value = AddCall(NodeKind::kPlaceholder, target, {}, target, type);
  Placeholder& placeholder = graph().placeholders.emplace_back();
  placeholder.node = graph().values[value].node;
  placeholder.default_value = Intern(default_value);
  return placeholder;
}

void GraphBuilder::AddOutput(llvm::ArrayRef<Argument> arguments) {
  AddNode(NodeKind::kOutput, "output", arguments);
  graph().outputs.clear();
  CollectOutputs(arguments);
  has_output_ = true;
}

// Nesting was bounded when the arguments were read.
void GraphBuilder::CollectOutputs(llvm::ArrayRef<Argument> arguments) {
  for (const Argument& argument : arguments) {
    if (argument.kind == Argument::Kind::kValue) graph().outputs.push_back(argument.index);
    if (argument.num_children == 0) continue;
    CollectOutputs(
        llvm::ArrayRef(graph().arguments).slice(argument.first_child, argument.num_children));
  }
}

void GraphBuilder::DropNodes() {
  was_unpacked_ = true;
  GraphModel& model = graph();
  model.nodes.clear();
  model.values.clear();
  model.arguments.clear();
  model.placeholders.clear();
  ForgetNames();
}

}  // namespace shapewise
