// Prints graphs as JSON, schema shapewise.graph/1.

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "report/formats.h"
#include "report/json_stream.h"
#include "report/result_json.h"

namespace shapewise {
namespace {

/// A size as a number if it is one, else as PyTorch prints it; null: unknown.
Json SizeJson(const GraphSet& graphs, ExprId size) {
  if (size == ExprId::kNone) return nullptr;
  if (graphs.expressions.kind(size) == ExprKind::kInteger) return graphs.expressions.value(size);
  return graphs.expressions.ToText(size);
}

Json SymbolicSizesJson(const GraphSet& graphs, std::span<const ExprId> sizes) {
  return ListJson(sizes, SizeJson, graphs);
}

/// Adds the type of a value; unknown parts are null.
void AddType(const GraphSet& graphs, const ValueType* type, Json& json) {
  const StringPool& strings = graphs.strings;
  json["dtype"] = type == nullptr ? Json() : TextOrNull(strings.text(type->dtype));
  json["shape"] =
      type == nullptr || !type->has_shape ? Json() : SymbolicSizesJson(graphs, type->shape);
  json["stride"] =
      type == nullptr || !type->has_stride ? Json() : SymbolicSizesJson(graphs, type->stride);
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
  const auto text_of = [&](StrId id) { return Json(graphs.strings.text(id)); };
  Json range;
  if (symbol.has_range) {
    range = Json::array({NumberOrNull(symbol.lower), NumberOrNull(symbol.upper)});
  }
  return {{"name", graphs.expressions.ToText(symbol.symbol)},
          {"range", std::move(range)},
          {"hint", NumberOrNull(symbol.hint)},
          {"sources", ListJson(symbol.sources, text_of)}};
}

Json ReasonJson(const PaddingReason& reason) {
  return {{"node", reason.node},
          {"op", TextOrNull(reason.op)},
          {"why", reason.why},
          {"line", PositionOrNull(reason.line)},
          {"user_file", TextOrNull(reason.user_file)},
          {"user_line", PositionOrNull(reason.user_line)}};
}

Json PaddingJson(const SymbolPadding& padding) {
  return {{"symbol", padding.symbol},
          {"verdict", PaddingVerdictName(padding.verdict)},
          {"because", ListJson(padding.because, ReasonJson)},
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
  Json operators = Json::object();
  for (const auto& [name, count] : CountOperators(graphs, graph)) {
    operators[std::string(name)] = count;
  }
  return {{"name", graph.name},
          {"format", graph.format},
          {"input", graph.input},
          {"line", PositionOrNull(graph.line)},
          {"member", TextOrNull(graph.member)},
          {"compile_id", TextOrNull(graphs.strings.text(graph.compile_id))},
          {"torch", TextOrNull(graphs.strings.text(graph.torch_version))},
          {"cut", graph.is_cut},
          {"nodes", CountNodes(graph)},
          {"placeholders", ListJson(graph.placeholders, PlaceholderJson, graphs, graph)},
          {"outputs", ListJson(graph.outputs, OutputJson, graphs, graph)},
          {"ops", std::move(operators)},
          {"symbols", ListJson(graph.symbols, SymbolJson, graphs)},
          {"constraints", report.constraints},
          {"padding", ListJson(report.padding, PaddingJson)},
          {"alignment", ListJson(report.alignment, AlignmentJson)},
          {"subgraphs", graph.subgraphs}};
}

}  // namespace

void WriteGraphJson(const GraphSet& graphs, const std::vector<GraphReport>& reports,
                    const ReportOptions& options, llvm::raw_ostream& out) {
  JsonStream object("shapewise.graph/1", options, out);
  object.List("inputs", graphs.inputs, [](const GraphSet::Input& input) -> Json {
    return {{"name", input.name}, {"format", TextOrNull(input.format)}, {"lines", input.lines}};
  });
  object.List("graphs", reports, GraphJson, graphs);
  AddStats(graphs.stats, object);
}

}  // namespace shapewise
