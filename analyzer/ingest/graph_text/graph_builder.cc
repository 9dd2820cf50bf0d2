#include "ingest/graph_text/graph_builder.h"

#include <algorithm>

namespace shapewise {

void GraphBuilder::Begin(const GraphOrigin& origin, std::string_view format, std::string_view name,
                         uint64_t line) {
  for (const uint32_t bound : bound_names_) value_of_name_[bound] = kNoIndex;
  bound_names_.clear();
  stack_.clear();
  place_ = {};
  has_output_ = false;
  was_unpacked_ = false;
  graph_ = static_cast<uint32_t>(graphs_.graphs.size());
  GraphModel& graph = graphs_.graphs.emplace_back();
  graph.name = origin.name.empty() ? name : origin.name;
  graph.format = origin.format.empty() ? format : origin.format;
  graph.input = origin.input;
  graph.line = line;
  graph.compile_id = origin.compile_id;
}

void GraphBuilder::Abandon() { graphs_.graphs.pop_back(); }

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

void GraphBuilder::PushValue(uint32_t value) {
  Argument argument;
  argument.kind = Argument::Kind::kValue;
  argument.index = value;
  stack_.push_back(argument);
}

void GraphBuilder::PushText(Argument::Kind kind, std::string_view text) {
  Argument argument;
  argument.kind = kind;
  argument.text = Intern(text);
  stack_.push_back(argument);
}

void GraphBuilder::Group(size_t mark, Argument::Kind kind) {
  std::vector<Argument>& arguments = graph().arguments;
  Argument group;
  group.kind = kind;
  group.first_child = static_cast<uint32_t>(arguments.size());
  group.num_children = static_cast<uint32_t>(stack_.size() - mark);
  arguments.insert(arguments.end(), stack_.begin() + static_cast<ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark);
  stack_.push_back(group);
}

void GraphBuilder::MoveArguments(GraphNode& node) {
  std::vector<Argument>& arguments = graph().arguments;
  node.first_argument = static_cast<uint32_t>(arguments.size());
  node.num_arguments = static_cast<uint32_t>(stack_.size());
  arguments.insert(arguments.end(), stack_.begin(), stack_.end());
  stack_.clear();
}

uint32_t GraphBuilder::AddNode(NodeKind kind, std::string_view target, std::string_view name,
                               uint32_t type, uint64_t line) {
  GraphModel& model = graph();
  const auto value = static_cast<uint32_t>(model.values.size());
  GraphNode node;
  node.kind = kind;
  node.target = Intern(target);
  node.first_value = value;
  node.num_values = 1;
  node.user_file = place_.file;
  node.user_line = place_.line;
  node.user_function = place_.function;
  node.code = place_.code;
  node.line = line;
  MoveArguments(node);
  const StrId id = Intern(name);
  model.values.push_back({id, static_cast<uint32_t>(model.nodes.size()), type});
  model.nodes.push_back(node);
  BindName(id, value);
  return value;
}

uint32_t GraphBuilder::AddPlaceholder(std::string_view target, uint32_t type,
                                      std::string_view default_value, uint64_t line) {
  GraphModel& model = graph();
  Placeholder placeholder;
  placeholder.node = static_cast<uint32_t>(model.nodes.size());
  placeholder.default_value = Intern(default_value);
  model.placeholders.push_back(placeholder);
  stack_.clear();
  const UserPlace place = place_;
  place_ = {};
  const uint32_t value = AddNode(NodeKind::kPlaceholder, target, target, type, line);
  place_ = place;
  return value;
}

void GraphBuilder::AddOutput(uint64_t line) {
  GraphModel& model = graph();
  GraphNode node;
  node.kind = NodeKind::kOutput;
  node.target = Intern("output");
  node.line = line;
  MoveArguments(node);
  model.nodes.push_back(node);
  model.outputs.clear();
  CollectOutputs(node.first_argument, node.num_arguments);
  has_output_ = true;
}

// Nesting was bounded when the arguments were read.
void GraphBuilder::CollectOutputs(uint32_t first, uint32_t count) {
  GraphModel& model = graph();
  for (uint32_t i = first; i < first + count; ++i) {
    const Argument& argument = model.arguments[i];
    if (argument.kind == Argument::Kind::kValue) {
      model.outputs.push_back(argument.index);
    } else if (argument.num_children > 0) {
      CollectOutputs(argument.first_child, argument.num_children);
    }
  }
}

void GraphBuilder::DropNodes() {
  was_unpacked_ = true;
  GraphModel& model = graph();
  model.nodes.clear();
  model.values.clear();
  model.arguments.clear();
  model.placeholders.clear();
  for (const uint32_t bound : bound_names_) value_of_name_[bound] = kNoIndex;
  bound_names_.clear();
}

}  // namespace shapewise
