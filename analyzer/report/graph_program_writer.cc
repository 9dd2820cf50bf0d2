// Prints graphs as executable programs, schema shapewise.program/1: one JSON object per line, each
// a graph. The reader is analyzer/replay/program_reader.cc; documentation: analyzer/docs/replay.md.

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "report/formats.h"
#include "report/result_json.h"
#include "support/enum_name.h"

namespace shapewise {
namespace {

/// The name of `kind` in "op" of an expression tree; empty: not an operation.
std::string_view OperationName(ExprKind kind) {
  using K = ExprKind;
  constexpr std::pair<K, std::string_view> kNames[] = {
      {K::kAdd, "+"},        {K::kMul, "*"},    {K::kFloorDiv, "//"}, {K::kCeilDiv, "ceildiv"},
      {K::kTrueDiv, "/"},    {K::kMod, "%"},    {K::kPower, "**"},    {K::kMin, "min"},
      {K::kMax, "max"},      {K::kEqual, "=="}, {K::kNotEqual, "!="}, {K::kLess, "<"},
      {K::kLessEqual, "<="}, {K::kAnd, "and"},  {K::kOr, "or"},       {K::kNot, "not"},
      {K::kCall, "call"}};
  for (const auto& [operation, name] : kNames) {
    if (operation == kind) return name;
  }
  return {};
}

/// The tree of `id`; the pool limits the nesting of expressions (512).
Json ExpressionJson(const ExprPool& pool, ExprId id) {
  switch (pool.kind(id)) {
    case ExprKind::kNone:
      return nullptr;
    case ExprKind::kInteger:
      return pool.value(id);
    case ExprKind::kTrue:
      return true;
    case ExprKind::kFalse:
      return false;
    case ExprKind::kSymbol:
      return {{"sym", pool.name(id)}};
    case ExprKind::kInfinity:
      return {{"op", pool.value(id) < 0 ? "-oo" : "oo"}, {"args", Json::array()}};
    default:
      break;
  }
  Json json = {{"op", OperationName(pool.kind(id))}};
  if (pool.kind(id) == ExprKind::kCall) json["name"] = pool.name(id);
  Json& operands = json["args"] = Json::array();
  for (const ExprId operand : pool.operands(id)) operands.push_back(ExpressionJson(pool, operand));
  return json;
}

Json ExpressionsJson(const ExprPool& pool, std::span<const ExprId> ids) {
  return ListJson(ids, ExpressionJson, pool);
}

std::string_view TypeKindName(ValueType::Kind kind) {
  return EnumName<ValueType::Kind::kObject>(
      kind, {"unknown", "tensor", "int", "float", "bool", "none", "object"});
}

/// Null: unknown.
Json TypeJson(const GraphSet& graphs, const ValueType* type) {
  if (type == nullptr || type->kind == ValueType::Kind::kUnknown) return nullptr;
  const ExprPool& pool = graphs.expressions;
  Json json = {{"kind", TypeKindName(type->kind)}};
  if (type->kind == ValueType::Kind::kTensor || type->kind == ValueType::Kind::kObject) {
    json["dtype"] = TextOrNull(graphs.strings.text(type->dtype));
  }
  if (type->kind == ValueType::Kind::kTensor) {
    json["device"] = TextOrNull(graphs.strings.text(type->device));
    json["shape"] = type->has_shape ? ExpressionsJson(pool, type->shape) : Json();
    json["stride"] = type->has_stride ? ExpressionsJson(pool, type->stride) : Json();
    json["requires_grad"] = type->requires_grad ? Json(*type->requires_grad) : Json();
  }
  if (type->expression != ExprId::kNone) json["value"] = ExpressionJson(pool, type->expression);
  return json;
}

/// Writes one graph.
class ProgramJson {
 public:
  ProgramJson(const GraphSet& graphs, const GraphModel& graph) : graphs_(graphs), graph_(graph) {}

  Json Whole(const GraphReport& report) const {
    Json json = {{"schema", "shapewise.program/1"},
                 {"graph", report.graph},
                 {"name", graph_.name},
                 {"format", graph_.format},
                 {"torch", TextOrNull(Text(graph_.torch_version))},
                 {"input", graphs_.inputs[graph_.input].name},
                 {"compile_id", TextOrNull(Text(graph_.compile_id))},
                 {"cut", graph_.is_cut},
                 {"subgraphs", graph_.subgraphs}};
    json["symbols"] = ListJson(graph_.symbols, &ProgramJson::SymbolJson, *this);
    json["inputs"] = ListJson(graph_.placeholders, &ProgramJson::InputJson, *this);
    Json& nodes = json["nodes"] = Json::array();
    for (const GraphNode& node : graph_.nodes) {
      if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kOutput) continue;
      nodes.push_back(NodeJson(node));
    }
    json["outputs"] = OutputsJson();
    json["padding"] = ListJson(report.padding, PaddingJson);
    return json;
  }

 private:
  std::string_view Text(StrId id) const { return graphs_.strings.text(id); }

  Json SymbolJson(const GraphSymbol& symbol) const {
    return {{"name", graphs_.expressions.name(symbol.symbol)},
            {"hint", NumberOrNull(symbol.hint)},
            {"lower", symbol.has_range ? NumberOrNull(symbol.lower) : Json()},
            {"upper", symbol.has_range ? NumberOrNull(symbol.upper) : Json()}};
  }

  Json InputJson(const Placeholder& input) const {
    Json json = {{"name", NameOfNode(graphs_, graph_, input.node)},
                 {"kind", PlaceholderKindName(input.kind)},
                 {"source", TextOrNull(Text(input.source))},
                 {"type", TypeJson(graphs_, TypeOfNode(graphs_, graph_, input.node))}};
    if (input.default_value != StrId::kNone) json["default"] = Text(input.default_value);
    return json;
  }

  /// The reasons that concern inputs: the values that they need at padded positions.
  static Json PaddingJson(const SymbolPadding& padding) {
    Json inputs = Json::array();
    for (const PaddingReason& reason : padding.because) {
      if (reason.op != "placeholder") continue;
      inputs.push_back({{"input", reason.node}, {"why", reason.why}});
    }
    return {{"symbol", padding.symbol},
            {"verdict", PaddingVerdictName(padding.verdict)},
            {"inputs", std::move(inputs)},
            {"outputs_to_cut", padding.outputs_to_cut}};
  }

  Json NodeJson(const GraphNode& node) const {
    Json outputs = Json::array();
    Json types = Json::array();
    for (uint32_t value = node.first_value; value < node.first_value + node.num_values; ++value) {
      outputs.push_back(Text(graph_.values[value].name));
      types.push_back(TypeJson(graphs_, TypeOfValue(graphs_, graph_, value)));
    }
    Json args = Json::array();
    Json kwargs = Json::object();
    for (uint32_t i = 0; i < node.num_arguments; ++i) {
      const Argument& argument = graph_.arguments[node.first_argument + i];
      if (argument.keyword == StrId::kNone) {
        args.push_back(ArgumentJson(argument));
      } else {
        kwargs[std::string(Text(argument.keyword))] = ArgumentJson(argument);
      }
    }
    return {{"op", NodeKindName(node.kind)},    {"target", Text(node.target)},
            {"args", std::move(args)},          {"kwargs", std::move(kwargs)},
            {"outputs", std::move(outputs)},    {"types", std::move(types)},
            {"line", PositionOrNull(node.line)}};
  }

  Json ArgumentJson(const Argument& argument) const {
    switch (argument.kind) {
      case Argument::Kind::kValue:
        return {{"value", Text(graph_.values[argument.index].name)}};
      case Argument::Kind::kInt:
        return argument.integer;
      case Argument::Kind::kFloat:
        return FloatJson(argument.number);
      case Argument::Kind::kBool:
        return argument.integer != 0;
      case Argument::Kind::kNone:
        return nullptr;
      case Argument::Kind::kString:
        return {{"str", Text(argument.text)}};
      case Argument::Kind::kConstant:
        return {{"const", Text(argument.text)}};
      case Argument::Kind::kList:
        return {{"list", ChildrenJson(argument)}};
      case Argument::Kind::kTuple:
        return {{"tuple", ChildrenJson(argument)}};
      case Argument::Kind::kDict:
        return {{"dict", PairsJson(argument)}};
      case Argument::Kind::kSlice:
        return {{"slice", ChildrenJson(argument)}};
      case Argument::Kind::kText:
        return TextJson(Text(argument.text));
    }
    return nullptr;
  }

  /// JSON cannot represent numbers that are not finite.
  static Json FloatJson(double number) {
    if (std::isnan(number)) return {{"const", "nan"}};
    if (std::isinf(number)) return {{"const", number < 0 ? "-inf" : "inf"}};
    return number;
  }

  /// An unparsed argument that is an expression over the symbols is a size.
  Json TextJson(std::string_view text) const {
    ExprPool pool;
    const ExprId id = pool.Parse(text);
    bool is_size = id != ExprId::kNone && pool.IsInteger(id);
    for (const ExprId symbol : is_size ? pool.SymbolsOf(id) : std::vector<ExprId>()) {
      is_size = is_size && HasSymbol(pool.name(symbol));
    }
    if (!is_size) return {{"text", text}};
    return {{"expr", ExpressionJson(pool, id)}};
  }

  bool HasSymbol(std::string_view name) const {
    for (const GraphSymbol& symbol : graph_.symbols) {
      if (graphs_.expressions.name(symbol.symbol) == name) return true;
    }
    return false;
  }

  Json ChildrenJson(const Argument& argument) const {
    Json json = Json::array();
    for (uint32_t i = 0; i < argument.num_children; ++i) {
      json.push_back(ArgumentJson(graph_.arguments[argument.first_child + i]));
    }
    return json;
  }

  Json PairsJson(const Argument& argument) const {
    Json json = Json::array();
    for (uint32_t i = 0; i + 1 < argument.num_children; i += 2) {
      const uint32_t key = argument.first_child + i;
      json.push_back(
          {ArgumentJson(graph_.arguments[key]), ArgumentJson(graph_.arguments[key + 1])});
    }
    return json;
  }

  /// As in the output node; the returned values if the format has no such node.
  Json OutputsJson() const {
    for (const GraphNode& node : graph_.nodes) {
      if (node.kind != NodeKind::kOutput) continue;
      if (node.num_arguments == 1) return ArgumentJson(graph_.arguments[node.first_argument]);
      Json tuple = Json::array();
      for (uint32_t i = 0; i < node.num_arguments; ++i) {
        tuple.push_back(ArgumentJson(graph_.arguments[node.first_argument + i]));
      }
      return {{"tuple", std::move(tuple)}};
    }
    Json tuple = Json::array();
    for (const uint32_t value : graph_.outputs) {
      tuple.push_back({{"value", Text(graph_.values[value].name)}});
    }
    return {{"tuple", std::move(tuple)}};
  }

  const GraphSet& graphs_;
  const GraphModel& graph_;
};

}  // namespace

void WriteGraphProgram(const GraphSet& graphs, const std::vector<GraphReport>& reports,
                       const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  for (const GraphReport& report : reports) {
    const ProgramJson program(graphs, graphs.graphs[report.graph]);
    out << JsonText(program.Whole(report)) << "\n";
  }
}

}  // namespace shapewise
