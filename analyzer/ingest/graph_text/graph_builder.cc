#include "ingest/graph_text/graph_builder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

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

namespace {

/// Whether `name` is a symbol name of torch: "s77", "u0", "zuf1".
bool IsSymbolName(std::string_view name) {
  const size_t digits = std::min(name.find_first_of("0123456789"), name.size());
  return IsOneOf(name.substr(0, digits), {"zuf", "zf", "zs", "s", "u", "i", "b"}) &&
         IsInteger(name.substr(digits));
}

/// "L_self_modules_fc1_parameters_weight_" -> "L['self']._modules['fc1']._parameters['weight']",
/// "L_x_" -> "L['x']". Empty if several sources would be spelled like this: Dynamo writes one
/// underscore for anything between two words. Source: OutputGraph.create_graph_input and
/// Source.name in torch/_dynamo, releases 2.1 to 2.13.
std::string SourceOfMangledName(std::string_view name) {
  const bool is_global = name.starts_with("G_");
  if ((!is_global && !name.starts_with("L_")) || !name.ends_with('_') || name.size() < 4) return {};
  std::string_view rest = name.substr(2, name.size() - 3);
  std::string source(is_global ? "G" : "L");
  // Words between known ones must not contain underscores.
  const auto take_word = [&]() {
    const std::string_view word = rest.substr(0, rest.find('_'));
    rest.remove_prefix(word.size());
    ConsumeFront(rest, "_");
    return std::string(word);
  };
  const auto add_key = [&](const std::string& key) { source += "['" + key + "']"; };
  const std::string base = take_word();
  if (base.empty()) return {};
  add_key(base);
  while (!rest.empty()) {
    const std::string member = take_word();
    const std::string key = take_word();
    const bool is_known = IsOneOf(member, {"modules", "parameters", "buffers"});
    if (!is_known || key.empty() || (member != "modules" && !rest.empty())) return {};
    source += "._" + member;
    add_key(key);
  }
  return source;
}

/// The constraints of one graph, each once.
class Constraints {
 public:
  Constraints(ExprPool& pool, GraphModel& graph) : pool_(pool), constraints_(graph.constraints) {
    for (const ExprId constraint : constraints_) seen_.insert(static_cast<uint32_t>(constraint));
  }

  void Add(ExprId predicate) {
    const ExprKind kind = pool_.kind(predicate);
    if (!IsPredicate(kind) || kind == ExprKind::kTrue) return;
    if (seen_.insert(static_cast<uint32_t>(predicate)).second) constraints_.push_back(predicate);
  }
  void AddBounds(ExprId size, const Interval& range) {
    const auto add = [&](ExprId left, ExprId right) {
      Add(pool_.Binary(ExprKind::kLessEqual, left, right));
    };
    if (range.lower) add(pool_.Integer(*range.lower), size);
    if (range.upper) add(size, pool_.Integer(*range.upper));
  }

 private:
  ExprPool& pool_;
  std::vector<ExprId>& constraints_;
  llvm::DenseSet<uint32_t> seen_;
};

class GraphFinisher {
 public:
  GraphFinisher(GraphSet& graphs, GraphModel& graph)
      : graphs_(graphs), graph_(graph), constraints_(graphs.expressions, graph) {}

  void ClassifyPlaceholders(bool is_joint) {
    const auto is_tangent = [&](const Placeholder& placeholder) {
      return NameOf(placeholder).starts_with("tangents_");
    };
    const bool is_backward =
        llvm::any_of(graph_.placeholders, is_tangent) && !is_joint && !LooksJoint();
    for (Placeholder& placeholder : graph_.placeholders) {
      const std::string_view target = Text(graph_.nodes[placeholder.node].target);
      if (placeholder.source == StrId::kNone) {
        placeholder.source = graphs_.strings.Intern(SourceOfMangledName(target));
      }
      if (placeholder.kind != PlaceholderKind::kInput) continue;
      const bool is_dynamo = target.starts_with("L_") || target.starts_with("G_");
      if (IsSymbolic(placeholder)) {
        placeholder.kind = PlaceholderKind::kSymbol;
      } else if (is_tangent(placeholder)) {
        placeholder.kind = PlaceholderKind::kTangent;
      } else if (is_backward) {
        placeholder.kind = PlaceholderKind::kSaved;
      } else if (is_dynamo && HasText(target, "_parameters_")) {
        placeholder.kind = PlaceholderKind::kParameter;
      } else if (is_dynamo && HasText(target, "_buffers_")) {
        placeholder.kind = PlaceholderKind::kBuffer;
      }
    }
  }

  void CollectSymbols() {
    llvm::DenseSet<uint32_t> seen_types;
    for (const GraphValue& value : graph_.values) {
      const ValueType* const type = TypeOf(value);
      if (type == nullptr || !seen_types.insert(value.type).second) continue;
      for (const ExprId size : type->shape) AddSymbolsOf(size);
      for (const ExprId stride : type->stride) AddSymbolsOf(stride);
      AddSymbolsOf(type->expression);
    }
    for (const Placeholder& placeholder : graph_.placeholders) {
      const ValueType* const type = TypeOf(ValueOf(placeholder));
      if (type == nullptr) continue;
      const bool has_source = placeholder.source != StrId::kNone;
      const std::string source(
          Text(has_source ? placeholder.source : graph_.nodes[placeholder.node].target));
      if (placeholder.kind == PlaceholderKind::kSymbol) AddSource(type->expression, source);
      for (size_t dim = 0; dim < type->shape.size(); ++dim) {
        AddSource(type->shape[dim], PropertyText(source, SourceRef::Property::kSize, dim));
      }
    }
    llvm::sort(graph_.symbols,
               [&](const GraphSymbol& a, const GraphSymbol& b) { return OrderOf(a) < OrderOf(b); });
  }

  void CollectConstraints() {
    for (const GraphNode& node : graph_.nodes) {
      if (node.kind != NodeKind::kCallFunction || node.num_arguments == 0) continue;
      const std::string_view target = Text(node.target);
      if (target == "aten._assert_scalar.default" || target == "torch._check") {
        AddAssertion(node);
      } else if (target == "torch._check_is_size" ||
                 target == "aten.sym_constrain_range_for_size.default" ||
                 target == "torch.sym_constrain_range_for_size") {
        AddBounds(node, 0);
      } else if (target == "aten.sym_constrain_range.default" ||
                 target == "torch.sym_constrain_range") {
        AddBounds(node, std::nullopt);
      }
    }
  }

 private:
  std::string_view Text(StrId id) const { return graphs_.strings.text(id); }
  const ValueType* TypeOf(const GraphValue& value) const {
    return value.type == kNoIndex ? nullptr : &graphs_.types[value.type];
  }
  const GraphValue& ValueOf(const Placeholder& placeholder) const {
    return graph_.values[graph_.nodes[placeholder.node].first_value];
  }
  std::string_view NameOf(const Placeholder& placeholder) const {
    return Text(ValueOf(placeholder).name);
  }

  bool IsSymbolic(const Placeholder& placeholder) const {
    const ValueType* const type = TypeOf(ValueOf(placeholder));
    if (type == nullptr) return false;
    const bool is_number = type->kind == ValueType::Kind::kInt ||
                           type->kind == ValueType::Kind::kFloat ||
                           type->kind == ValueType::Kind::kBool;
    return is_number && (type->expression != ExprId::kNone || IsSymbolName(NameOf(placeholder)));
  }

  /// Whether all inputs of forward and backward are present: primals from 1 on, then tangents.
  bool LooksJoint() const {
    uint64_t last = 0;
    return llvm::all_of(graph_.placeholders, [&](const Placeholder& placeholder) {
      std::string_view name = NameOf(placeholder);
      const bool is_tangent = ConsumeFront(name, "tangents_");
      if (!is_tangent && !ConsumeFront(name, "primals_")) return false;
      const std::optional<uint64_t> number = ConsumeUint(name);
      return name.empty() && (is_tangent ? number.has_value() : number == ++last);
    });
  }

  void AddSymbolsOf(ExprId expression) {
    if (expression == ExprId::kNone) return;
    if (!seen_expressions_.insert(static_cast<uint32_t>(expression)).second) return;
    for (const ExprId symbol : graphs_.expressions.SymbolsOf(expression)) {
      // Expressions treat a size of unknown form as a symbol, but it is not one.
      if (!llvm::all_of(graphs_.expressions.name(symbol), IsWordChar)) continue;
      const bool is_new =
          indices_.try_emplace(static_cast<uint32_t>(symbol), graph_.symbols.size()).second;
      if (is_new) graph_.symbols.emplace_back().symbol = symbol;
    }
  }

  /// Ignores expressions that are not a single symbol.
  void AddSource(ExprId expression, const std::string& source) {
    const auto found = indices_.find(static_cast<uint32_t>(expression));
    if (found == indices_.end()) return;
    graph_.symbols[found->second].sources.push_back(graphs_.strings.Intern(source));
  }

  /// By number, then name.
  std::pair<uint64_t, std::string_view> OrderOf(const GraphSymbol& symbol) const {
    const std::string_view name = graphs_.expressions.name(symbol.symbol);
    std::string_view number = name.substr(std::min(name.find_first_of("0123456789"), name.size()));
    return {ConsumeUint(number).value_or(0), name};
  }

  ExprId ExpressionOf(const Argument& argument) const {
    if (argument.kind != Argument::Kind::kValue) return ExprId::kNone;
    const ValueType* const type = TypeOf(graph_.values[argument.index]);
    return type == nullptr ? ExprId::kNone : type->expression;
  }

  /// torch._check(ge), aten._assert_scalar(ge, "Runtime assertion failed for expression u0 >= 0
  /// ...")
  void AddAssertion(const GraphNode& node) {
    const ExprId condition = ExpressionOf(graph_.arguments[node.first_argument]);
    if (condition != ExprId::kNone) return constraints_.Add(condition);
    if (node.num_arguments < 2) return;
    const std::string_view message = Text(graph_.arguments[node.first_argument + 1].text);
    const std::string_view text = TextBetween(message, "failed for expression ", " on node");
    if (!text.empty()) constraints_.Add(graphs_.expressions.Parse(text));
  }

  /// sym_constrain_range(u0, min=2, max=10)
  void AddBounds(const GraphNode& node, std::optional<int64_t> lower) {
    const ExprId value = ExpressionOf(graph_.arguments[node.first_argument]);
    if (value == ExprId::kNone) return;
    Interval range{lower, {}};
    for (uint32_t i = 1; i < node.num_arguments; ++i) {
      const Argument& argument = graph_.arguments[node.first_argument + i];
      if (argument.kind != Argument::Kind::kInt) continue;
      if (Text(argument.keyword) == "min") range.lower = argument.integer;
      if (Text(argument.keyword) == "max") range.upper = argument.integer;
    }
    constraints_.AddBounds(value, range);
  }

  GraphSet& graphs_;
  GraphModel& graph_;
  Constraints constraints_;
  llvm::DenseMap<uint32_t, size_t> indices_;  ///< of symbols, by ExprId
  llvm::DenseSet<uint32_t> seen_expressions_;
};

}  // namespace

void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint) {
  GraphFinisher finisher(graphs, graph);
  finisher.ClassifyPlaceholders(is_joint);
  finisher.CollectSymbols();
  finisher.CollectConstraints();
}

void SetHints(const SymbolHints& hints, GraphModel& graph) {
  for (GraphSymbol& symbol : graph.symbols) {
    const auto hint = hints.find(symbol.symbol);
    if (hint != hints.end()) symbol.hint = hint->second;
  }
}

void StatedRanges::Add(std::string_view size, const Interval& range, GraphSet& graphs,
                       uint32_t input, uint64_t line) {
  const ExprId expression = graphs.expressions.Parse(size);
  if (expression == ExprId::kNone) {
    graphs.stats.Bump(Stat::graph_expression_unknown, input, line);
  } else if (graphs.expressions.kind(expression) == ExprKind::kSymbol) {
    symbols_[expression] = range;
  } else {
    sizes_.emplace_back(expression, range);
  }
}

void StatedRanges::Apply(GraphSet& graphs, size_t first) const {
  llvm::DenseSet<uint32_t> known;  // symbols of graph `first`
  for (size_t index = first; index < graphs.graphs.size(); ++index) {
    for (GraphSymbol& symbol : graphs.graphs[index].symbols) {
      if (index == first) known.insert(static_cast<uint32_t>(symbol.symbol));
      const auto stated = symbols_.find(symbol.symbol);
      if (stated == symbols_.end()) continue;
      symbol.has_range = true;
      symbol.lower = stated->second.lower;
      symbol.upper = stated->second.upper;
    }
  }
  Constraints constraints(graphs.expressions, graphs.graphs[first]);
  for (const auto& [size, range] : sizes_) {
    const bool has_all = llvm::all_of(graphs.expressions.SymbolsOf(size), [&](ExprId symbol) {
      return known.contains(static_cast<uint32_t>(symbol));
    });
    if (has_all) constraints.AddBounds(size, range);
  }
}

}  // namespace shapewise
