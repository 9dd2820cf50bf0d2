// Prints graphs as JSON, schema shapewise.graph/1.

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/json_values.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

/// A size as a number if it is one, else as PyTorch prints it; null: unknown.
Json SizeJson(const GraphSet& graphs, ExprId size) {
  if (size == ExprId::kNone) return nullptr;
  if (graphs.expressions.kind(size) == ExprKind::kInteger) return graphs.expressions.value(size);
  return graphs.expressions.ToText(size);
}

Json SizesJson(const GraphSet& graphs, std::span<const ExprId> sizes) {
  Json json = Json::array();
  for (const ExprId size : sizes) json.push_back(SizeJson(graphs, size));
  return json;
}

/// Adds the type of a value; unknown parts are null.
void AddType(const GraphSet& graphs, const ValueType* type, Json& json) {
  const StringPool& strings = graphs.strings;
  json["dtype"] = type == nullptr ? Json() : TextOrNull(strings.text(type->dtype));
  json["shape"] = type == nullptr || !type->has_shape ? Json() : SizesJson(graphs, type->shape);
  json["stride"] = type == nullptr || !type->has_stride ? Json() : SizesJson(graphs, type->stride);
  json["device"] = type == nullptr ? Json() : TextOrNull(strings.text(type->device));
  if (type != nullptr && type->expression != ExprId::kNone) {
    json["value"] = SizeJson(graphs, type->expression);
  }
}

Json PlaceholderJson(const GraphSet& graphs, const GraphModel& graph,
                     const Placeholder& placeholder) {
  Json json = {{"name", NameOfNode(graphs, graph, placeholder.node)},
               {"kind", PlaceholderKindName(placeholder.kind)}};
  AddType(graphs, TypeOfNode(graphs, graph, placeholder.node), json);
  json["source"] = TextOrNull(graphs.strings.text(placeholder.source));
  if (placeholder.default_value != StrId::kNone) {
    json["default"] = graphs.strings.text(placeholder.default_value);
  }
  return json;
}

Json OutputJson(const GraphSet& graphs, const GraphModel& graph, uint32_t value) {
  Json json = {{"name", graphs.strings.text(graph.values[value].name)}};
  AddType(graphs, TypeOfValue(graphs, graph, value), json);
  return json;
}

Json SymbolJson(const GraphSet& graphs, const GraphSymbol& symbol) {
  Json sources = Json::array();
  for (const StrId source : symbol.sources) sources.push_back(graphs.strings.text(source));
  Json range;
  if (symbol.has_range) {
    range = Json::array({NumberOrNull(symbol.lower), NumberOrNull(symbol.upper)});
  }
  return {{"name", graphs.expressions.ToText(symbol.symbol)},
          {"range", std::move(range)},
          {"hint", NumberOrNull(symbol.hint)},
          {"sources", std::move(sources)}};
}

Json ReasonJson(const PaddingReason& reason) {
  return {{"node", reason.node},
          {"op", TextOrNull(reason.op)},
          {"why", reason.why},
          {"line", reason.line == 0 ? Json() : Json(reason.line)},
          {"user_file", TextOrNull(reason.user_file)},
          {"user_line", reason.user_line == 0 ? Json() : Json(reason.user_line)}};
}

Json PaddingJson(const SymbolPadding& padding) {
  Json because = Json::array();
  for (const PaddingReason& reason : padding.because) because.push_back(ReasonJson(reason));
  return {{"symbol", padding.symbol},
          {"verdict", PaddingVerdictName(padding.verdict)},
          {"because", std::move(because)},
          {"outputs_to_cut", padding.outputs_to_cut}};
}

Json AlignmentJson(const AlignmentAdvice& advice) {
  return {{"symbol", advice.symbol},
          {"multiple", advice.multiple},
          {"node", advice.node},
          {"why", advice.why}};
}

Json GraphJson(const GraphSet& graphs, const GraphReport& report) {
  const GraphModel& graph = graphs.graphs[report.graph];
  Json json = {{"name", graph.name},
               {"format", graph.format},
               {"input", graph.input},
               {"line", graph.line == 0 ? Json() : Json(graph.line)},
               {"member", TextOrNull(graph.member)},
               {"compile_id", TextOrNull(graphs.strings.text(graph.compile_id))},
               {"torch", TextOrNull(graphs.strings.text(graph.torch_version))},
               {"cut", graph.is_cut},
               {"nodes", CountNodes(graph)}};
  Json& placeholders = json["placeholders"] = Json::array();
  for (const Placeholder& placeholder : graph.placeholders) {
    placeholders.push_back(PlaceholderJson(graphs, graph, placeholder));
  }
  Json& outputs = json["outputs"] = Json::array();
  for (const uint32_t value : graph.outputs) outputs.push_back(OutputJson(graphs, graph, value));
  Json& operators = json["ops"] = Json::object();
  for (const auto& [name, count] : CountOperators(graphs, graph)) {
    operators[std::string(name)] = count;
  }
  Json& symbols = json["symbols"] = Json::array();
  for (const GraphSymbol& symbol : graph.symbols) symbols.push_back(SymbolJson(graphs, symbol));
  json["constraints"] = report.constraints;
  Json& padding = json["padding"] = Json::array();
  for (const SymbolPadding& verdict : report.padding) padding.push_back(PaddingJson(verdict));
  Json& alignment = json["alignment"] = Json::array();
  for (const AlignmentAdvice& advice : report.alignment) alignment.push_back(AlignmentJson(advice));
  json["subgraphs"] = graph.subgraphs;
  return json;
}

}  // namespace

void WriteGraphJson(const GraphSet& graphs, const std::vector<GraphReport>& reports,
                    const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object(out);
  object.Member("schema", "shapewise.graph/1");
  object.Member("tool", ToolJson(options));
  object.List("inputs", graphs.inputs, [](const GraphSet::Input& input) -> Json {
    return {{"name", input.name}, {"format", TextOrNull(input.format)}, {"lines", input.lines}};
  });
  object.List("graphs", reports,
              [&](const GraphReport& report) { return GraphJson(graphs, report); });
  AddStats(graphs.stats, object);
  object.End();
}

}  // namespace shapewise
