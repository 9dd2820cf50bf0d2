// Statements of TorchScript code.

#include <algorithm>
#include <utility>

#include "ingest/formats/torchscript/code_reader.h"
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
  const pyast::FunctionDef& definition = *method.definition;
  file_ = method.file;
  graph.line = is_archive ? 0 : file_->lines.LineOf(definition.span.begin);
  AddPlaceholders(self, definition);
  ReadStatements(definition.body);
  AddOutputs(returned_.tree);
  // Every method that TorchScript prints ends with what it returns, which may be cut itself.
  const pyast::Stmt* const last = definition.body.empty() ? nullptr : definition.body.back();
  const bool is_whole =
      last != nullptr &&
      (llvm::isa<pyast::Return>(last) ||
       (file_->TextOf(*last).starts_with("return") && last->span.end == file_->text.size()));
  graph.is_cut = is_full_ || !is_whole;
  if (graph.is_cut) graph_.graphs().stats.Bump(Stat::graph_cut, input_, graph.line);
  work_.nodes += graph.nodes.size();
  work_.arguments += graph.arguments.size();
  FinishGraph(graph_.graphs(), graph, /*is_joint=*/false);
}

void CodeReader::AddPlaceholders(const CodeObject& self, const pyast::FunctionDef& method) {
  GraphSet& graphs = graph_.graphs();
  GraphModel& graph = graph_.graph();
  const auto text_of = [&](const pyast::Expr* expression) {
    return expression == nullptr ? std::string_view() : file_->TextOf(*expression);
  };
  for (const auto& [parameter, default_value] : ParametersOf(method)) {
    const std::string_view name = parameter->arg;
    const uint32_t node = graph_.AddNode(name);
    graph.nodes[node].kind = NodeKind::kPlaceholder;
    const ArgumentTree value =
        graph_.AddResult(node, name, InternTypeText(graphs, text_of(parameter->annotation)));
    Placeholder placeholder;
    placeholder.node = node;
    placeholder.default_value = graphs.strings.Intern(text_of(default_value));
    CodeValue bound = CodeValue::Of(value);
    // A tracer calls it "self", too; nothing else is an object of the archive's classes.
    if (graph.placeholders.empty() && name == "self") {
      placeholder.kind = PlaceholderKind::kSelf;
      bound.is_object = true;
      bound.object = self;
    }
    graph.placeholders.push_back(placeholder);
    graph_.Bind(name, std::move(bound));
  }
}

void CodeReader::AddOutputs(const ArgumentTree& returned) {
  if (returned.argument.kind == ArgumentKind::kValue) {
    graph_.graph().outputs.push_back(returned.argument.index);
  }
  for (const ArgumentTree& part : returned.parts) AddOutputs(part);
}

void CodeReader::ReadStatements(pyast::Stmts statements) {
  if (++depth_ > kMaxCodeDepth) is_full_ = true;
  for (const pyast::Stmt* statement : statements) {
    if (is_full_) break;
    if (!is_archive_) graph_.set_line(file_->lines.LineOf(statement->span.begin));
    if (const auto* condition = llvm::dyn_cast<pyast::If>(statement)) {
      ReadIf(*condition);
    } else if (const auto* loop = llvm::dyn_cast<pyast::For>(statement)) {
      ReadLoop(loop->target, *loop->iter, loop->body);
    } else if (const auto* repeated = llvm::dyn_cast<pyast::While>(statement)) {
      ReadLoop(nullptr, *repeated->test, repeated->body);
    } else if (const auto* with = llvm::dyn_cast<pyast::With>(statement)) {
      if (Spend(kWorkOfStatement)) ReadStatements(with->body);
    } else {
      ReadStatement(*statement);
    }
  }
  --depth_;
}

/// Reads a statement without a body of its own.
void CodeReader::ReadStatement(const pyast::Stmt& statement) {
  if (llvm::isa<pyast::Pass>(statement)) return;
  if (!Spend(kWorkOfStatement + statement.span.end - statement.span.begin)) return;
  has_failed_ = false;
  if (const auto* returned = llvm::dyn_cast<pyast::Return>(&statement)) {
    returned_ = returned->value == nullptr ? CodeValue() : ReadWhole(*returned->value);
    if (returned_.is_object) returned_.tree = ToTree(returned_);
  } else if (const auto* assign = llvm::dyn_cast<pyast::Assign>(&statement)) {
    ReadAssignment(*assign->targets[0], nullptr, *assign->value);
    has_failed_ |= assign->targets.size() > 1;
  } else if (const auto* typed = llvm::dyn_cast<pyast::AnnAssign>(&statement)) {
    if (typed->value == nullptr) {
      Fail();
    } else {
      ReadAssignment(*typed->target, typed->annotation, *typed->value);
    }
  } else if (const auto* called = llvm::dyn_cast<pyast::ExprStmt>(&statement)) {
    ReadWhole(*called->value);
  } else {
    Fail();
  }
  if (has_failed_) {
    graph_.graphs().stats.Bump(Stat::graph_node_unreadable, input_, graph_.line());
  }
  if (const auto* broken = llvm::dyn_cast<pyast::ErrorStmt>(&statement)) {
    ReadStatements(broken->body);
  }
}

void CodeReader::ReadAssignment(const pyast::Expr& target, const pyast::Expr* type,
                                const pyast::Expr& expression) {
  const size_t values_before = graph_.graph().values.size();
  CodeValue value = ReadWhole(expression);
  if (const auto* targets = llvm::dyn_cast<pyast::Tuple>(&target)) {
    BindTargets(targets->elts, value, values_before);
    return;
  }
  const std::string_view name = file_->TextOf(target);
  if (const auto* attribute = llvm::dyn_cast<pyast::Attribute>(&target)) {
    const uint32_t node = graph_.AddNode("prim::SetAttr");
    StringPool& strings = graph_.graphs().strings;
    SetArguments(
        graph_.graph(), node,
        {graph_.Text(file_->TextOf(*attribute->value)), ToTree(value),
         WithKeyword(ArgumentTree::Text(ArgumentKind::kString, strings.Intern(attribute->attr)),
                     strings.Intern("name"))});
    return;
  }
  const bool is_new = graph_.graph().values.size() > values_before && !value.is_object &&
                      value.tree.argument.kind == ArgumentKind::kValue &&
                      value.tree.argument.index + 1 == graph_.graph().values.size();
  if (is_new) {
    graph_.NameLastValue(name);
    if (type != nullptr) {
      graph_.graph().values.back().type = InternTypeText(graph_.graphs(), file_->TextOf(*type));
    }
  }
  if (!value.is_object && TreeSize(value.tree) > kMaxBoundTree) {
    value.tree = graph_.AddCall(ConstructOf(value.tree.argument.kind), value.tree.parts, name);
  }
  graph_.Bind(name, std::move(value));
}

void CodeReader::BindTargets(pyast::Exprs targets, const CodeValue& value, size_t values_before) {
  GraphModel& graph = graph_.graph();
  const ArgumentTree tree = ToTree(value);
  if (tree.parts.size() == targets.size()) {
    for (size_t i = 0; i < targets.size(); ++i) {
      graph_.Bind(file_->TextOf(*targets[i]), CodeValue::Of(tree.parts[i]));
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
    graph_.NameLastValue(file_->TextOf(*targets.front()));
    graph_.Bind(file_->TextOf(*targets.front()), CodeValue::Of(tree));
    first = 1;
  } else {
    node = graph_.AddNode("prim::TupleUnpack");
    SetArguments(graph, node, {tree});
  }
  for (size_t i = first; i < targets.size(); ++i) {
    graph_.Bind(file_->TextOf(*targets[i]),
                CodeValue::Of(graph_.AddResult(node, file_->TextOf(*targets[i]))));
  }
}

void CodeReader::ReadIf(const pyast::If& statement) {
  if (!Spend(kWorkOfStatement + statement.test->span.end - statement.test->span.begin)) return;
  has_failed_ = false;
  const ArgumentTree condition = ToTree(ReadWhole(*statement.test));
  const uint32_t node = graph_.AddNode("prim::If");

  using Bound = std::vector<std::pair<std::string_view, CodeValue>>;
  const auto read_block = [&](pyast::Stmts statements) {
    graph_.EnterBlock();
    ReadStatements(statements);
    Bound bound = graph_.LeaveBlock();
    std::reverse(bound.begin(), bound.end());
    return bound;
  };
  const Bound bound[] = {read_block(statement.body), read_block(statement.orelse)};

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

/// Names that `statements` bind, each once, in order.
void CodeReader::AddAssignedNames(pyast::Stmts statements, std::vector<std::string_view>& names) {
  for (const pyast::Stmt* statement : statements) {
    const pyast::Expr* target = nullptr;
    if (const auto* assign = llvm::dyn_cast<pyast::Assign>(statement)) {
      target = assign->targets[0];
    } else if (const auto* typed = llvm::dyn_cast<pyast::AnnAssign>(statement)) {
      target = typed->value == nullptr ? nullptr : typed->target;
    } else if (const auto* condition = llvm::dyn_cast<pyast::If>(statement)) {
      AddAssignedNames(condition->body, names);
      AddAssignedNames(condition->orelse, names);
    } else if (const auto* loop = llvm::dyn_cast<pyast::For>(statement)) {
      AddAssignedNames(loop->body, names);
    } else if (const auto* repeated = llvm::dyn_cast<pyast::While>(statement)) {
      AddAssignedNames(repeated->body, names);
    } else if (const auto* with = llvm::dyn_cast<pyast::With>(statement)) {
      AddAssignedNames(with->body, names);
    }
    if (target == nullptr) continue;
    if (!Spend(statement->span.end - statement->span.begin)) return;
    if (const auto* tuple = llvm::dyn_cast<pyast::Tuple>(target)) {
      for (const pyast::Expr* part : tuple->elts) names.push_back(file_->TextOf(*part));
    } else {
      names.push_back(file_->TextOf(*target));
    }
  }
}

/// `counter`: null for "while", whose condition `head` is.
void CodeReader::ReadLoop(const pyast::Expr* counter, const pyast::Expr& head, pyast::Stmts body) {
  if (!Spend(kWorkOfStatement + head.span.end - head.span.begin)) return;
  has_failed_ = false;
  std::vector<ArgumentTree> arguments;
  std::string_view counter_name = "round";
  if (counter == nullptr) {
    arguments.push_back(ArgumentTree::Int(INT64_MAX));
    arguments.push_back(ToTree(ReadWhole(head)));
  } else {
    counter_name = file_->TextOf(*counter);
    const auto* const range = llvm::dyn_cast<pyast::Call>(&head);
    const bool is_range =
        range != nullptr && range->args.size() == 1 && file_->TextOf(*range->func) == "range";
    arguments.push_back(ToTree(ReadWhole(is_range ? *range->args[0] : head)));
    arguments.push_back(ArgumentTree::Bool(true));
  }

  // What the body binds anew is carried from each round into the next.
  std::vector<std::string_view> carried;
  std::vector<std::string_view> assigned;
  AddAssignedNames(body, assigned);
  llvm::StringMap<bool> seen;
  for (const std::string_view name : assigned) {
    const CodeValue* const before = graph_.Find(name);
    const bool is_new = seen.try_emplace(llvm::StringRef(name)).second;
    if (!is_new || before == nullptr || before->is_object) continue;
    carried.push_back(name);
    arguments.push_back(before->tree);
  }
  const uint32_t node = graph_.AddNode("prim::Loop");
  graph_.EnterBlock();
  std::vector<ArgumentTree> inputs;
  inputs.push_back(graph_.AddBlockInput(node, counter_name));
  if (counter != nullptr) graph_.Bind(counter_name, CodeValue::Of(inputs.front()));
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
  outputs.push_back(counter != nullptr ? ArgumentTree::Bool(true) : at_end(file_->TextOf(head)));
  for (const std::string_view name : carried) outputs.push_back(at_end(name));
  graph_.LeaveBlock();
  for (const std::string_view name : carried) {
    graph_.Bind(name, CodeValue::Of(graph_.AddResult(node, name)));
  }
  arguments.push_back(BlockArgument(graph_.graphs(), 0, std::move(inputs), std::move(outputs)));
  SetArguments(graph_.graph(), node, arguments);
}

}  // namespace shapewise
