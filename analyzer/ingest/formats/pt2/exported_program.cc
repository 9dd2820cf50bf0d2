#include "ingest/formats/pt2/exported_program.h"

#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/formats/pt2/exported_graph.h"
#include "ingest/json_fields.h"
#include "ingest/stated_ranges.h"
#include "ingest/symbol_index.h"
#include "llvm/ADT/StringMap.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;

// Before int_oo (2.5), sys.maxsize - 1 stood for infinity. In files of this schema's version it is
// the bound that sizes of unbacked symbols have.
constexpr int64_t kOldInfinity = std::numeric_limits<int64_t>::max() - 1;
constexpr int64_t kSchemaWithInfinity = 8;

/// One member of the signature's list, whose name is the kind of input.
struct InputSpec {
  std::string_view name;  ///< of the union's member
  PlaceholderKind kind;
  std::string_view source;  ///< key of what it is to the user
};
constexpr InputSpec kInputSpecs[] = {
    {"user_input", PlaceholderKind::kInput, {}},
    {"constant_input", PlaceholderKind::kInput, {}},
    {"parameter", PlaceholderKind::kParameter, "parameter_name"},
    {"buffer", PlaceholderKind::kBuffer, "buffer_name"},
    {"tensor_constant", PlaceholderKind::kConstant, "tensor_constant_name"},
    {"custom_obj", PlaceholderKind::kConstant, "custom_obj_name"},
    {"token", PlaceholderKind::kConstant, {}},
};

/// "self.fc.weight" for "fc.weight".
std::string SourceOf(std::string_view name) {
  return name.empty() ? std::string() : "self." + std::string(name);
}

/// Schemas since 2 have one spec an input, in their order.
std::vector<ExportedInput> ReadInputSpecs(dom::array specs) {
  std::vector<ExportedInput> inputs;
  for (const dom::element element : specs) {
    ExportedInput& input = inputs.emplace_back();
    const ExportedUnion chosen = UnionOf(element);
    dom::object object;
    if (chosen.value.get(object) != simdjson::SUCCESS) continue;
    for (const InputSpec& spec : kInputSpecs) {
      if (spec.name != chosen.tag) continue;
      input.kind = spec.kind;
      if (!spec.source.empty()) input.source = SourceOf(JsonText(object, spec.source));
      input.constant = JsonText(object, "name");
    }
  }
  return inputs;
}

/// Schema 1 has tables from names of inputs to those of parameters and buffers.
std::vector<ExportedInput> ReadInputTables(dom::object signature, dom::object graph) {
  llvm::StringMap<ExportedInput> by_name;
  constexpr std::pair<std::string_view, PlaceholderKind> kTables[] = {
      {"inputs_to_parameters", PlaceholderKind::kParameter},
      {"inputs_to_buffers", PlaceholderKind::kBuffer},
  };
  for (const auto& [key, kind] : kTables) {
    const auto table = JsonObject(signature, key);
    if (!table) continue;
    for (const dom::key_value_pair entry : *table) {
      std::string_view source;
      if (entry.value.get(source) != simdjson::SUCCESS) continue;
      by_name[llvm::StringRef(entry.key.data(), entry.key.size())] = {kind, SourceOf(source), {}};
    }
  }
  std::vector<ExportedInput> inputs;
  const auto list = JsonArray(graph, "inputs");
  if (!list) return inputs;
  for (const dom::element element : *list) {
    dom::object object;
    const bool is_object = UnionOf(element).value.get(object) == simdjson::SUCCESS;
    inputs.push_back(by_name.lookup(is_object ? llvm::StringRef(JsonText(object, "name")) : ""));
  }
  return inputs;
}

/// A bound; absent for null, "Infinity" and what stands for it.
std::optional<int64_t> Bound(dom::object range, std::string_view key, bool has_infinity) {
  const std::optional<int64_t> bound = JsonInt(range, key);
  if (!bound || has_infinity) return bound;
  return *bound < kOldInfinity && *bound > -kOldInfinity ? bound : std::nullopt;
}

StatedRanges ReadRanges(dom::object program, GraphSet& graphs, uint32_t input) {
  StatedRanges read;
  const auto ranges = JsonObject(program, "range_constraints");
  if (!ranges) return read;
  const auto version = JsonObject(program, "schema_version");
  const bool has_infinity =
      version && JsonInt(*version, "major").value_or(0) >= kSchemaWithInfinity;
  for (const dom::key_value_pair entry : *ranges) {
    dom::object range;
    if (entry.value.get(range) != simdjson::SUCCESS) continue;
    const ExprId size = graphs.expressions.Parse(entry.key);
    if (size == ExprId::kNone) {
      graphs.stats.Bump(Stat::graph_expression_unknown, input, 0);
      continue;
    }
    read.Add(graphs.expressions, size,
             {Bound(range, "min_val", has_infinity), Bound(range, "max_val", has_infinity)});
  }
  return read;
}

/// Guards that torch.export kept for the exported program, as Python text.
void ReadGuards(dom::object program, GraphSet& graphs, GraphModel& graph) {
  const auto guards = JsonArray(program, "guards_code");
  if (!guards) return;
  for (const dom::element element : *guards) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) continue;
    const ExprId predicate = graphs.expressions.Parse(text);
    if (predicate == ExprId::kNone) {
      graphs.stats.Bump(Stat::graph_expression_unknown, graph.input, 0);
    } else if (graphs.expressions.kind(predicate) != ExprKind::kTrue) {
      graph.constraints.push_back(predicate);
    }
  }
}

/// Hints of the whole program, for a subgraph that has some of its symbols.
void TakeHints(SymbolIndex& program, GraphModel& subgraph) {
  for (GraphSymbol& symbol : subgraph.symbols) {
    const GraphSymbol* const told = program.Find(symbol.symbol);
    if (told != nullptr && !symbol.hint) symbol.hint = told->hint;
  }
}

}  // namespace

Error ReadExportedProgram(std::string_view json, const std::string& name, const std::string& member,
                          uint32_t input, GraphSet& graphs) {
  JsonParser parser;
  dom::element root;
  if (!parser.Parse(json, root)) return MakeError(member + " is no JSON, or was cut short");
  dom::object program;
  const auto is_object = root.get(program) == simdjson::SUCCESS;
  const auto graph_module = is_object ? JsonObject(program, "graph_module") : std::nullopt;
  const auto graph_json = graph_module ? JsonObject(*graph_module, "graph") : std::nullopt;
  if (!graph_json) {
    return MakeError(member + " holds no graph: an exported program has \"graph_module\" there");
  }

  const auto add_graph = [&](const std::string& graph_name) -> GraphModel& {
    GraphModel& graph = graphs.graphs.emplace_back();
    graph.name = graph_name;
    graph.format = "pt2";
    graph.input = input;
    graph.member = member;
    graph.torch_version = graphs.strings.Intern(JsonText(program, "torch_version"));
    return graph;
  };
  GraphModel& graph = add_graph(name);
  std::vector<ExportedInput> inputs;
  if (const auto signature = JsonObject(*graph_module, "signature")) {
    const auto specs = JsonArray(*signature, "input_specs");
    inputs = specs ? ReadInputSpecs(*specs) : ReadInputTables(*signature, *graph_json);
  }
  ReadGuards(program, graphs, graph);
  const size_t first = graphs.graphs.size() - 1;
  ExportedGraphReader reader(graphs, graph, input);
  reader.Read(*graph_json, inputs);
  SymbolIndex symbols(graph);

  // Subgraphs of subgraphs wait their turn, so that the depth of the nesting costs no stack.
  std::deque<std::pair<uint32_t, ExportedGraphReader::Subgraph>> waiting;
  const auto add_waiting = [&](uint32_t caller, const ExportedGraphReader& read) {
    for (const ExportedGraphReader::Subgraph& subgraph : read.subgraphs()) {
      waiting.emplace_back(caller, subgraph);
    }
  };
  add_waiting(static_cast<uint32_t>(first), reader);
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& [caller, subgraph] = waiting.front();
    const auto index = static_cast<uint32_t>(graphs.graphs.size());
    graphs.graphs[caller].subgraphs.push_back(index);
    GraphModel& added = add_graph(subgraph.first);
    ExportedGraphReader subgraph_reader(graphs, added, input);
    subgraph_reader.Read(subgraph.second, {});
    TakeHints(symbols, added);
    add_waiting(index, subgraph_reader);
  }
  ReadRanges(program, graphs, input).Apply(graphs, first);
  return Error::success();
}

}  // namespace shapewise
