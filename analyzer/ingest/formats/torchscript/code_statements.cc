// Statements of TorchScript code.

#include <algorithm>
#include <utility>

#include "ingest/formats/torchscript/code_reader.h"
#include "ingest/formats/torchscript/literal.h"
#include "ingest/formats/torchscript/type_text.h"
#include "ingest/graph_text/finish_graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// Limits of one input. A module of a hundred layers, each with its code written into the graph,
// takes 1 MB.
constexpr size_t kMaxWork = size_t{1} << 26;
constexpr size_t kMaxNodes = size_t{1} << 20;
constexpr size_t kMaxArguments = size_t{1} << 23;
constexpr size_t kWorkOfStatement = 16;
constexpr size_t kWorkOfTreeNode = 64;  // its bytes in memory

// A larger group becomes a node: else each name that holds one twice would double it.
constexpr size_t kMaxBoundTree = 64;

size_t TreeSize(const ArgumentTree& tree) {
  size_t size = 1;
  for (const ArgumentTree& part : tree.parts) size += TreeSize(part);
  return size;
}

std::string_view ConstructOf(ArgumentKind kind) {
  return kind == ArgumentKind::kList   ? "prim::ListConstruct"
         : kind == ArgumentKind::kDict ? "prim::DictConstruct"
                                       : "prim::TupleConstruct";
}

ArgumentTree WithKeyword(ArgumentTree tree, StrId keyword) {
  tree.argument.keyword = keyword;
  return tree;
}

/// What the IR's readers give a node for each of its blocks.
ArgumentTree BlockArgument(GraphSet& graphs, size_t number, std::vector<ArgumentTree> inputs,
                           std::vector<ArgumentTree> outputs) {
  std::vector<ArgumentTree> parts;
  parts.push_back(ArgumentTree::Group(ArgumentKind::kTuple, std::move(inputs)));
  parts.push_back(ArgumentTree::Group(ArgumentKind::kTuple, std::move(outputs)));
  return WithKeyword(ArgumentTree::Group(ArgumentKind::kTuple, std::move(parts)),
                     graphs.strings.Intern("block" + std::to_string(number)));
}

/// How many lines from `first` on are indented deeper than it.
size_t BodySize(std::span<const CodeLine> lines, size_t first) {
  size_t end = first + 1;
  while (end < lines.size() && lines[end].indent > lines[first].indent) ++end;
  return end - first - 1;
}

}  // namespace

bool CodeReader::Spend(size_t bytes) {
  work_.bytes += bytes;
  const GraphModel& graph = graph_.graph();
  is_full_ |= work_.bytes > kMaxWork || work_.nodes + graph.nodes.size() > kMaxNodes ||
              work_.arguments + graph.arguments.size() > kMaxArguments;
  return !is_full_;
}

CodeValue CodeReader::TakeBound(const CodeValue& bound) {
  // Two names, or two calls, that each hold the one before twice would double it without end.
  const bool is_plain = bound.tree.parts.empty() && !bound.is_object;
  const size_t work =
      is_plain ? 0 : bound.object.path.size() + kWorkOfTreeNode * TreeSize(bound.tree);
  if (!Spend(work)) return Fail();
  return bound;
}

void CodeReader::ReadMethod(const CodeFunction& method, const CodeObject& self, bool is_archive) {
  is_archive_ = is_archive;
  GraphModel& graph = graph_.graph();
  graph.is_torchscript = true;
  graph.line = is_archive ? 0 : method.line;
  AddPlaceholders(method, self);
  ReadStatements(method.body);
  AddOutputs(returned_.tree);
  // Every method that TorchScript prints ends with what it returns.
  const bool is_whole = !method.body.empty() && method.body.back().text.starts_with("return") &&
                        method.body.back().indent == method.body.front().indent;
  graph.is_cut = is_full_ || !is_whole;
  if (graph.is_cut) graph_.graphs().stats.Bump(Stat::graph_cut, input_, graph.line);
  work_.nodes += graph.nodes.size();
  work_.arguments += graph.arguments.size();
  FinishGraph(graph_.graphs(), graph, /*is_joint=*/false);
}

void CodeReader::AddPlaceholders(const CodeFunction& method, const CodeObject& self) {
  GraphSet& graphs = graph_.graphs();
  GraphModel& graph = graph_.graph();
  for (const CodeParameter& parameter : method.parameters) {
    const uint32_t node = graph_.AddNode(parameter.name);
    graph.nodes[node].kind = NodeKind::kPlaceholder;
    const ArgumentTree value =
        graph_.AddResult(node, parameter.name, InternTypeText(graphs, parameter.type));
    Placeholder placeholder;
    placeholder.node = node;
    placeholder.default_value = graphs.strings.Intern(parameter.default_value);
    CodeValue bound = CodeValue::Of(value);
    // A tracer calls it "self", too; nothing else is an object of the archive's classes.
    if (graph.placeholders.empty() && parameter.name == "self") {
      placeholder.kind = PlaceholderKind::kSelf;
      bound.is_object = true;
      bound.object = self;
    }
    graph.placeholders.push_back(placeholder);
    graph_.Bind(parameter.name, std::move(bound));
  }
}

void CodeReader::AddOutputs(const ArgumentTree& returned) {
  if (returned.argument.kind == ArgumentKind::kValue) {
    graph_.graph().outputs.push_back(returned.argument.index);
  }
  for (const ArgumentTree& part : returned.parts) AddOutputs(part);
}

void CodeReader::ReadStatements(Lines lines) {
  if (++depth_ > kMaxCodeDepth) is_full_ = true;
  for (size_t i = 0; i < lines.size() && !is_full_; ++i) {
    const CodeLine& line = lines[i];
    if (!Spend(kWorkOfStatement + line.text.size())) break;
    if (!is_archive_) graph_.set_line(line.number);
    const size_t num_body = BodySize(lines, i);
    if (num_body == 0) {
      ReadStatement(line);
      continue;
    }
    const Lines body = lines.subspan(i + 1, num_body);
    i += num_body;
    if (line.text.starts_with("if ")) {
      const bool has_else = i + 1 < lines.size() && lines[i + 1].text == "else:" &&
                            lines[i + 1].indent == line.indent;
      const size_t num_else = has_else ? BodySize(lines, i + 1) : 0;
      const Lines otherwise = has_else ? lines.subspan(i + 2, num_else) : Lines();
      if (has_else) i += 1 + num_else;
      ReadIf(line, body, otherwise);
    } else if (line.text.starts_with("for ") || line.text.starts_with("while ")) {
      ReadLoop(line, body);
    } else {
      // "with x as y:" and what else has a body: its statements run in their turn.
      ReadStatements(body);
    }
  }
  --depth_;
}

void CodeReader::ReadStatement(const CodeLine& line) {
  std::string_view text = line.text;
  if (text == "pass" || text.starts_with("#")) return;
  has_failed_ = false;
  if (ConsumeFront(text, "return ") || text == "return") {
    returned_ = text == "return" ? CodeValue() : ReadWhole(text);
    if (returned_.is_object) returned_.tree = ToTree(returned_);
  } else if (const size_t equals = FindOutside(text, " = "); equals != std::string_view::npos) {
    ReadAssignment(text.substr(0, equals), text.substr(equals + 3));
  } else {
    ReadWhole(text);
  }
  if (has_failed_) {
    graph_.graphs().stats.Bump(Stat::graph_node_unreadable, input_, graph_.line());
  }
}

void CodeReader::ReadAssignment(std::string_view targets, std::string_view expression) {
  const size_t values_before = graph_.graph().values.size();
  // "a, b = c, d" has no brackets around what it binds.
  const std::vector<std::string_view> expressions = SplitOutside(expression, ',');
  CodeValue value;
  if (expressions.size() > 1) {
    value = CodeValue::Of(ArgumentTree::Group(ArgumentKind::kTuple));
    for (const std::string_view part : expressions) {
      if (!part.empty()) value.tree.parts.push_back(ToTree(ReadWhole(part)));
    }
  } else {
    value = ReadWhole(expression);
  }
  std::vector<std::string_view> names;
  for (const std::string_view target : SplitOutside(targets, ',')) {
    if (!target.empty()) names.push_back(target);
  }
  const bool is_unpacked = TrimRight(targets).ends_with(',') || names.size() > 1;
  if (is_unpacked) {
    BindTargets(names, value, values_before);
    return;
  }
  std::string_view name = names.empty() ? std::string_view() : names.front();
  const size_t colon = name.find(" : ");
  const std::string_view type =
      colon == std::string_view::npos ? std::string_view() : Trim(name.substr(colon + 3));
  name = Trim(name.substr(0, colon));
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    const uint32_t node = graph_.AddNode("prim::SetAttr");
    const StrId keyword = graph_.graphs().strings.Intern("name");
    SetArguments(
        graph_.graph(), node,
        {graph_.Text(name.substr(0, dot)), ToTree(value),
         WithKeyword(ArgumentTree::Text(ArgumentKind::kString,
                                        graph_.graphs().strings.Intern(name.substr(dot + 1))),
                     keyword)});
    return;
  }
  const bool is_new = graph_.graph().values.size() > values_before && !value.is_object &&
                      value.tree.argument.kind == ArgumentKind::kValue &&
                      value.tree.argument.index + 1 == graph_.graph().values.size();
  if (is_new) {
    graph_.NameLastValue(name);
    if (!type.empty()) {
      graph_.graph().values.back().type = InternTypeText(graph_.graphs(), type);
    }
  }
  if (!value.is_object && TreeSize(value.tree) > kMaxBoundTree) {
    value.tree = graph_.AddCall(ConstructOf(value.tree.argument.kind), value.tree.parts, name);
  }
  graph_.Bind(name, std::move(value));
}

void CodeReader::BindTargets(const std::vector<std::string_view>& targets, const CodeValue& value,
                             size_t values_before) {
  GraphModel& graph = graph_.graph();
  const ArgumentTree tree = ToTree(value);
  if (tree.parts.size() == targets.size()) {
    for (size_t i = 0; i < targets.size(); ++i) {
      graph_.Bind(targets[i], CodeValue::Of(tree.parts[i]));
    }
    return;
  }
  // The results of an operator belong to its node; those of a tuple are taken out of it.
  const bool is_new =
      graph.values.size() > values_before && tree.argument.kind == ArgumentKind::kValue &&
      tree.argument.index + 1 == graph.values.size() &&
      graph.values.back().node + 1 == graph.nodes.size() && graph.nodes.back().num_values == 1;
  uint32_t node = graph.values.empty() ? kNoIndex : graph.values.back().node;
  size_t first = 0;
  if (is_new && !targets.empty()) {
    graph_.NameLastValue(targets.front());
    graph_.Bind(targets.front(), CodeValue::Of(tree));
    first = 1;
  } else {
    node = graph_.AddNode("prim::TupleUnpack");
    SetArguments(graph, node, {tree});
  }
  for (size_t i = first; i < targets.size(); ++i) {
    graph_.Bind(targets[i], CodeValue::Of(graph_.AddResult(node, targets[i])));
  }
}

void CodeReader::ReadIf(const CodeLine& head, Lines body, Lines otherwise) {
  std::string_view condition_text = head.text;
  ConsumeFront(condition_text, "if ");
  if (condition_text.ends_with(':')) condition_text.remove_suffix(1);
  has_failed_ = false;
  const ArgumentTree condition = ToTree(ReadWhole(condition_text));
  const uint32_t node = graph_.AddNode("prim::If");

  using Bound = std::vector<std::pair<std::string_view, CodeValue>>;
  const auto read_block = [&](Lines lines) {
    graph_.EnterBlock();
    ReadStatements(lines);
    Bound bound = graph_.LeaveBlock();
    std::reverse(bound.begin(), bound.end());
    return bound;
  };
  const Bound bound[] = {read_block(body), read_block(otherwise)};

  // A name leaves the node if it stands for something whichever way was taken.
  struct Merged {
    std::string_view name;
    const CodeValue* values[2] = {nullptr, nullptr};
  };
  std::vector<Merged> merged;
  llvm::StringMap<size_t> indices;
  for (size_t side = 0; side < 2; ++side) {
    for (const auto& [name, value] : bound[side]) {
      const auto [at, is_new] =
          indices.try_emplace(llvm::StringRef(name.data(), name.size()), merged.size());
      if (is_new) {
        const CodeValue* const outside = graph_.Find(name);
        merged.push_back({name, {outside, outside}});
      }
      merged[at->second].values[side] = &value;
    }
  }
  llvm::erase_if(merged, [](const Merged& entry) {
    return entry.values[0] == nullptr || entry.values[1] == nullptr;
  });
  std::vector<ArgumentTree> outputs[2];
  for (const Merged& entry : merged) {
    outputs[0].push_back(ToTree(*entry.values[0]));
    outputs[1].push_back(ToTree(*entry.values[1]));
  }
  for (const Merged& entry : merged) {
    graph_.Bind(entry.name, CodeValue::Of(graph_.AddResult(node, entry.name)));
  }
  SetArguments(graph_.graph(), node,
               {condition, BlockArgument(graph_.graphs(), 0, {}, std::move(outputs[0])),
                BlockArgument(graph_.graphs(), 1, {}, std::move(outputs[1]))});
}

std::vector<std::string_view> CodeReader::AssignedNames(Lines lines) {
  std::vector<std::string_view> names;
  llvm::StringMap<bool> seen;
  for (const CodeLine& line : lines) {
    if (!Spend(line.text.size())) break;
    const size_t equals = line.text.find(" = ");
    if (equals == std::string_view::npos) continue;
    for (std::string_view name : SplitOutside(line.text.substr(0, equals), ',')) {
      name = Trim(name.substr(0, name.find(" : ")));
      if (!name.empty() && seen.try_emplace(llvm::StringRef(name.data(), name.size())).second) {
        names.push_back(name);
      }
    }
  }
  return names;
}

void CodeReader::ReadLoop(const CodeLine& head, Lines body) {
  std::string_view text = head.text;
  if (text.ends_with(':')) text.remove_suffix(1);
  has_failed_ = false;
  std::string_view counter;
  std::string_view condition_name;
  std::vector<ArgumentTree> arguments;
  if (ConsumeFront(text, "while ")) {
    condition_name = Trim(text);
    arguments.push_back(ArgumentTree::Int(INT64_MAX));
    arguments.push_back(ToTree(ReadWhole(text)));
  } else {
    ConsumeFront(text, "for ");
    counter = Trim(text.substr(0, text.find(" in ")));
    text.remove_prefix(std::min(text.size(), text.find(" in ") + 4));
    if (ConsumeFront(text, "range(")) text = text.substr(0, text.rfind(')'));
    arguments.push_back(ToTree(ReadWhole(text)));
    arguments.push_back(ArgumentTree::Bool(true));
  }

  // What the body binds anew is carried from each round into the next.
  std::vector<std::string_view> carried;
  for (const std::string_view name : AssignedNames(body)) {
    const CodeValue* const before = graph_.Find(name);
    if (before == nullptr || before->is_object) continue;
    carried.push_back(name);
    arguments.push_back(before->tree);
  }
  const uint32_t node = graph_.AddNode("prim::Loop");
  graph_.EnterBlock();
  std::vector<ArgumentTree> inputs;
  inputs.push_back(graph_.AddBlockInput(node, counter.empty() ? "round" : counter));
  if (!counter.empty()) graph_.Bind(counter, CodeValue::Of(inputs.front()));
  for (const std::string_view name : carried) {
    inputs.push_back(graph_.AddBlockInput(node, name));
    graph_.Bind(name, CodeValue::Of(inputs.back()));
  }
  ReadStatements(body);
  const auto at_end = [&](std::string_view name) {
    const CodeValue* const value = graph_.Find(name);
    return value == nullptr ? ArgumentTree::Bool(true) : ToTree(*value);
  };
  std::vector<ArgumentTree> outputs;
  outputs.push_back(condition_name.empty() ? ArgumentTree::Bool(true) : at_end(condition_name));
  for (const std::string_view name : carried) outputs.push_back(at_end(name));
  graph_.LeaveBlock();
  for (const std::string_view name : carried) {
    graph_.Bind(name, CodeValue::Of(graph_.AddResult(node, name)));
  }
  arguments.push_back(BlockArgument(graph_.graphs(), 0, std::move(inputs), std::move(outputs)));
  SetArguments(graph_.graph(), node, arguments);
}

}  // namespace shapewise
