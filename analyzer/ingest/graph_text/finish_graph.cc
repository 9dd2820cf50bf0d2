#include "ingest/graph_text/finish_graph.h"

#include <algorithm>
#include <utility>

#include "ingest/symbol_index.h"
#include "llvm/ADT/DenseSet.h"
#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// Whether `name` is one that torch gives to a symbol: "s77", "u0", "zuf1".
bool IsSymbolName(std::string_view name) {
  for (const std::string_view head : {"zuf", "zf", "zs", "s", "u", "i", "b"}) {
    std::string_view digits = name;
    if (!ConsumeFront(digits, head) || digits.empty()) continue;
    return std::all_of(digits.begin(), digits.end(), IsDigit);
  }
  return false;
}

/// Whether `name` is `head` and a number: "primals_3".
bool IsNumbered(std::string_view name, std::string_view head, uint64_t& number) {
  if (!ConsumeFront(name, head)) return false;
  const std::optional<uint64_t> value = ConsumeUint(name);
  number = value.value_or(0);
  return value && name.empty();
}

class GraphFinisher {
 public:
  GraphFinisher(GraphSet& graphs, GraphModel& graph)
      : graphs_(graphs), graph_(graph), symbols_(graph) {}

  void ClassifyPlaceholders(bool is_joint);
  void CollectSymbols();
  void CollectConstraints();

 private:
  std::string_view Text(StrId id) const { return graphs_.strings.text(id); }
  const ValueType* TypeOf(const GraphValue& value) const {
    return value.type == kNoIndex ? nullptr : &graphs_.types[value.type];
  }
  const GraphValue& ValueOf(const Placeholder& placeholder) const {
    return graph_.values[graph_.nodes[placeholder.node].first_value];
  }
  /// "L['x']", else the name of the placeholder.
  std::string NameOf(const Placeholder& placeholder) const;
  bool IsSymbolic(const Placeholder& placeholder) const;
  bool LooksJoint() const;
  void AddSymbolsOf(ExprId expression);
  void AddSource(ExprId expression, const std::string& source);
  void AddConstraint(ExprId predicate);
  ExprId ExpressionOf(const Argument& argument) const;
  void AddAssertion(const GraphNode& node);
  void AddBounds(const GraphNode& node, std::optional<int64_t> lower);

  GraphSet& graphs_;
  GraphModel& graph_;
  SymbolIndex symbols_;
  llvm::DenseSet<uint32_t> seen_expressions_;
  llvm::DenseSet<uint32_t> seen_constraints_;
};

bool GraphFinisher::IsSymbolic(const Placeholder& placeholder) const {
  const GraphValue& value = ValueOf(placeholder);
  const ValueType* const type = TypeOf(value);
  if (type == nullptr) return false;
  const bool is_number = type->kind == ValueType::Kind::kInt ||
                         type->kind == ValueType::Kind::kFloat ||
                         type->kind == ValueType::Kind::kBool;
  return is_number && (type->expression != ExprId::kNone || IsSymbolName(Text(value.name)));
}

/// Whether all inputs of forward and backward are there: primals from 1 on, then tangents.
bool GraphFinisher::LooksJoint() const {
  uint64_t last = 0;
  for (const Placeholder& placeholder : graph_.placeholders) {
    const std::string_view name = Text(ValueOf(placeholder).name);
    uint64_t number = 0;
    if (IsNumbered(name, "tangents_", number)) continue;
    if (!IsNumbered(name, "primals_", number) || number != ++last) return false;
  }
  return true;
}

void GraphFinisher::ClassifyPlaceholders(bool is_joint) {
  const bool has_tangents = std::any_of(
      graph_.placeholders.begin(), graph_.placeholders.end(), [&](const Placeholder& placeholder) {
        return Text(ValueOf(placeholder).name).starts_with("tangents_");
      });
  const bool is_backward = has_tangents && !is_joint && !LooksJoint();
  for (Placeholder& placeholder : graph_.placeholders) {
    const std::string_view target = Text(graph_.nodes[placeholder.node].target);
    if (placeholder.source == StrId::kNone) {
      placeholder.source = graphs_.strings.Intern(SourceOfMangledName(target));
    }
    if (placeholder.kind != PlaceholderKind::kInput) continue;
    const std::string_view name = Text(ValueOf(placeholder).name);
    const bool is_dynamo = target.starts_with("L_") || target.starts_with("G_");
    if (IsSymbolic(placeholder)) {
      placeholder.kind = PlaceholderKind::kSymbol;
    } else if (name.starts_with("tangents_")) {
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

void GraphFinisher::AddSymbolsOf(ExprId expression) {
  if (expression == ExprId::kNone) return;
  if (!seen_expressions_.insert(static_cast<uint32_t>(expression)).second) return;
  for (const ExprId symbol : graphs_.expressions.SymbolsOf(expression)) {
    // A size of no known form is a symbol to the expressions, and none to the reader.
    const std::string_view name = graphs_.expressions.name(symbol);
    if (!std::all_of(name.begin(), name.end(), IsWordChar)) continue;
    symbols_.Of(symbol);
  }
}

void GraphFinisher::AddSource(ExprId expression, const std::string& source) {
  GraphSymbol* const symbol = symbols_.Find(expression);
  if (symbol != nullptr) symbol->sources.push_back(graphs_.strings.Intern(source));
}

std::string GraphFinisher::NameOf(const Placeholder& placeholder) const {
  const std::string_view source = Text(placeholder.source);
  return std::string(source.empty() ? Text(graph_.nodes[placeholder.node].target) : source);
}

void GraphFinisher::CollectSymbols() {
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
    if (placeholder.kind == PlaceholderKind::kSymbol) {
      AddSource(type->expression, NameOf(placeholder));
    }
    for (size_t dim = 0; dim < type->shape.size(); ++dim) {
      if (graphs_.expressions.kind(type->shape[dim]) != ExprKind::kSymbol) continue;
      AddSource(type->shape[dim],
                PropertyText(NameOf(placeholder), SourceRef::Property::kSize, dim));
    }
  }
  const auto number_of = [&](const GraphSymbol& symbol) {
    std::string_view name = graphs_.expressions.name(symbol.symbol);
    while (!name.empty() && !IsDigit(name[0])) name.remove_prefix(1);
    return ConsumeUint(name).value_or(0);
  };
  std::sort(graph_.symbols.begin(), graph_.symbols.end(),
            [&](const GraphSymbol& a, const GraphSymbol& b) {
              return std::pair(number_of(a), graphs_.expressions.name(a.symbol)) <
                     std::pair(number_of(b), graphs_.expressions.name(b.symbol));
            });
}

void GraphFinisher::AddConstraint(ExprId predicate) {
  const ExprKind kind = graphs_.expressions.kind(predicate);
  if (!IsPredicate(kind) || kind == ExprKind::kTrue) return;
  if (seen_constraints_.insert(static_cast<uint32_t>(predicate)).second) {
    graph_.constraints.push_back(predicate);
  }
}

ExprId GraphFinisher::ExpressionOf(const Argument& argument) const {
  if (argument.kind != Argument::Kind::kValue) return ExprId::kNone;
  const ValueType* const type = TypeOf(graph_.values[argument.index]);
  return type == nullptr ? ExprId::kNone : type->expression;
}

/// torch._check(ge), aten._assert_scalar(ge, "Runtime assertion failed for expression u0 >= 0 ...")
void GraphFinisher::AddAssertion(const GraphNode& node) {
  if (node.num_arguments == 0) return;
  const ExprId told = ExpressionOf(graph_.arguments[node.first_argument]);
  if (told != ExprId::kNone) return AddConstraint(told);
  if (node.num_arguments < 2) return;
  const std::string_view message = Text(graph_.arguments[node.first_argument + 1].text);
  const std::string_view text = TextBetween(message, "failed for expression ", " on node");
  if (!text.empty()) AddConstraint(graphs_.expressions.Parse(text));
}

/// sym_constrain_range(u0, min=2, max=10)
void GraphFinisher::AddBounds(const GraphNode& node, std::optional<int64_t> lower) {
  if (node.num_arguments == 0) return;
  const ExprId value = ExpressionOf(graph_.arguments[node.first_argument]);
  if (value == ExprId::kNone) return;
  std::optional<int64_t> upper;
  for (uint32_t i = 1; i < node.num_arguments; ++i) {
    const Argument& argument = graph_.arguments[node.first_argument + i];
    if (argument.kind != Argument::Kind::kInt) continue;
    if (Text(argument.keyword) == "min") lower = argument.integer;
    if (Text(argument.keyword) == "max") upper = argument.integer;
  }
  ExprPool& pool = graphs_.expressions;
  if (lower) AddConstraint(pool.Binary(ExprKind::kLessEqual, pool.Integer(*lower), value));
  if (upper) AddConstraint(pool.Binary(ExprKind::kLessEqual, value, pool.Integer(*upper)));
}

void GraphFinisher::CollectConstraints() {
  for (const GraphNode& node : graph_.nodes) {
    if (node.kind != NodeKind::kCallFunction) continue;
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

}  // namespace

std::string SourceOfMangledName(std::string_view name) {
  const bool is_global = name.starts_with("G_");
  if ((!is_global && !name.starts_with("L_")) || !name.ends_with('_') || name.size() < 4) return {};
  std::string_view rest = name.substr(2, name.size() - 3);
  std::string source(is_global ? "G['" : "L['");
  // Words of which none may have an underscore of its own; they stand between known ones.
  const auto take_word = [&]() {
    const std::string_view word = rest.substr(0, rest.find('_'));
    rest.remove_prefix(word.size());
    ConsumeFront(rest, "_");
    return word;
  };
  const std::string_view base = take_word();
  if (base.empty()) return {};
  source += base;
  source += "']";
  while (!rest.empty()) {
    const std::string_view member = take_word();
    const std::string_view key = take_word();
    const bool is_known = member == "modules" || member == "parameters" || member == "buffers";
    const bool goes_on = member == "modules";
    if (!is_known || key.empty() || (!goes_on && !rest.empty())) return {};
    source += "._";
    source += member;
    source += "['";
    source += key;
    source += "']";
  }
  return source;
}

void FinishGraph(GraphSet& graphs, GraphModel& graph, bool is_joint) {
  GraphFinisher finisher(graphs, graph);
  finisher.ClassifyPlaceholders(is_joint);
  finisher.CollectSymbols();
  finisher.CollectConstraints();
}

GraphSymbol* FindSymbol(GraphSet& graphs, GraphModel& graph, std::string_view name) {
  const auto found = std::find_if(
      graph.symbols.begin(), graph.symbols.end(),
      [&](const GraphSymbol& symbol) { return graphs.expressions.name(symbol.symbol) == name; });
  return found == graph.symbols.end() ? nullptr : &*found;
}

}  // namespace shapewise
