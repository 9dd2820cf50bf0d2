// Archives of torch.export.save: exported programs, in the layouts of 2.1 to 2.7 and of 2.8 on.

#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ingest/formats/pt2/exported_graph.h"
#include "ingest/graph_format.h"
#include "ingest/json_fields.h"
#include "llvm/ADT/StringMap.h"
#include "support/zip_archive.h"

namespace shapewise {
namespace {

namespace dom = simdjson::dom;

// Before int_oo (2.5), sys.maxsize - 1 meant infinity. In files of this schema version it is the
// bound of sizes with unbacked symbols.
constexpr int64_t kOldInfinity = std::numeric_limits<int64_t>::max() - 1;
constexpr int64_t kSchemaWithInfinity = 8;

/// One member of the signature's list; its name is the kind of input.
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

/// Schemas since 2 have one spec per input, in order.
std::vector<ExportedInput> ReadInputSpecs(dom::array specs) {
  std::vector<ExportedInput> inputs;
  for (const dom::element element : specs) {
    ExportedInput& input = inputs.emplace_back();
    const ExportedUnion chosen = UnionOf(element);
    const auto object = JsonAs<dom::object>(chosen.value);
    for (const InputSpec& spec : kInputSpecs) {
      if (!object || spec.name != chosen.tag) continue;
      input.kind = spec.kind;
      if (!spec.source.empty()) input.source = SourceOf(JsonText(*object, spec.source));
      input.constant = JsonText(*object, "name");
    }
  }
  return inputs;
}

/// Schema 1 maps names of inputs to those of parameters and buffers.
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
      const auto source = JsonAs<std::string_view>(entry.value);
      if (source) by_name[llvm::StringRef(entry.key)] = {kind, SourceOf(*source), {}};
    }
  }
  std::vector<ExportedInput> inputs;
  const auto list = JsonArray(graph, "inputs");
  if (!list) return inputs;
  for (const dom::element element : *list) {
    const auto object = JsonAs<dom::object>(UnionOf(element).value);
    inputs.push_back(by_name.lookup(object ? llvm::StringRef(JsonText(*object, "name")) : ""));
  }
  return inputs;
}

/// A bound; absent for null, "Infinity" and numbers that mean infinity.
std::optional<int64_t> Bound(dom::object range, std::string_view key, bool has_infinity) {
  const std::optional<int64_t> bound = JsonInt(range, key);
  if (!bound || has_infinity) return bound;
  return *bound < kOldInfinity && *bound > -kOldInfinity ? bound : std::nullopt;
}

StatedRanges ReadRanges(dom::object program, GraphBuilder& builder) {
  StatedRanges read;
  const auto ranges = JsonObject(program, "range_constraints");
  if (!ranges) return read;
  const auto version = JsonObject(program, "schema_version");
  const bool has_infinity =
      version && JsonInt(*version, "major").value_or(0) >= kSchemaWithInfinity;
  for (const dom::key_value_pair entry : *ranges) {
    const auto range = JsonAs<dom::object>(entry.value);
    if (!range) continue;
    read.Add(entry.key,
             {Bound(*range, "min_val", has_infinity), Bound(*range, "max_val", has_infinity)},
             builder.graphs(), builder.graph().input, 0);
  }
  return read;
}

/// Guards that torch.export saved with the exported program, as Python text.
void ReadGuards(dom::object program, GraphBuilder& builder) {
  const auto guards = JsonArray(program, "guards_code");
  if (!guards) return;
  ExprPool& expressions = builder.graphs().expressions;
  for (const dom::element element : *guards) {
    const auto text = JsonAs<std::string_view>(element);
    if (!text) continue;
    const ExprId predicate = expressions.Parse(*text);
    if (predicate == ExprId::kNone) {
      builder.Count(Stat::graph_expression_unknown);
    } else if (expressions.kind(predicate) != ExprKind::kTrue) {
      builder.graph().constraints.push_back(predicate);
    }
  }
}

/// Appends the graph in `json` and its subgraphs to `graphs`. The export schema, versions 1 to 8:
/// torch/_export/serde/schema.py. `name` is that of the model, `member` its path in its archive.
/// Error: not JSON, or not an exported program.
Error ReadExportedProgram(std::string_view json, const std::string& name, const std::string& member,
                          uint32_t input, GraphSet& graphs) {
  JsonParser parser;
  dom::element root;
  if (!parser.Parse(json, root)) return MakeError(member + " is no JSON, or was cut short");
  const dom::object program = JsonAs<dom::object>(root).value_or(dom::object());
  const auto graph_module = root.is_object() ? JsonObject(program, "graph_module") : std::nullopt;
  const auto graph_json = graph_module ? JsonObject(*graph_module, "graph") : std::nullopt;
  if (!graph_json) {
    return MakeError(member + " holds no graph: an exported program has \"graph_module\" there");
  }

  std::vector<ExportedInput> inputs;
  if (const auto signature = JsonObject(*graph_module, "signature")) {
    const auto specs = JsonArray(*signature, "input_specs");
    inputs = specs ? ReadInputSpecs(*specs) : ReadInputTables(*signature, *graph_json);
  }
  const auto first = static_cast<uint32_t>(graphs.graphs.size());
  GraphBuilder builder(graphs);
  SymbolHints hints;
  // Subgraphs of subgraphs are queued, so that deep nesting does not exhaust the stack.
  std::deque<std::pair<uint32_t, ExportedSubgraph>> waiting;
  waiting.push_back({first, {name, *graph_json}});
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& [caller, subgraph] = waiting.front();
    builder.Begin({.input = input, .format = {}, .name = {}}, "pt2", subgraph.first, 0);
    const uint32_t index = builder.graph_index();
    builder.graph().member = member;
    builder.graph().torch_version = builder.Intern(JsonText(program, "torch_version"));
    if (index == first) {
      ReadGuards(program, builder);
    } else {
      graphs.graphs[caller].subgraphs.push_back(index);
      inputs.clear();
    }
    for (ExportedSubgraph& below : ReadExportedGraph(subgraph.second, inputs, builder, hints)) {
      waiting.emplace_back(index, std::move(below));
    }
  }
  ReadRanges(program, builder).Apply(graphs, first);
  return Error::success();
}

/// The name of the model in "package/models/NAME.json", or in the file of older layouts; empty for
/// other members.
std::string_view ModelName(std::string_view member) {
  constexpr std::string_view kFolder = "models/";
  constexpr std::string_view kExtension = ".json";
  const std::string_view file = member.substr(member.rfind('/') + 1);
  // Below one root folder with any name, or at the top level.
  const size_t at = member.find(kFolder);
  const bool is_in_folder =
      at != std::string_view::npos && (at == 0 || member.find('/') + 1 == at) &&
      at + kFolder.size() + file.size() == member.size() && file.ends_with(kExtension);
  if (is_in_folder && file != kExtension) return file.substr(0, file.size() - kExtension.size());
  return file == "serialized_exported_program.json" ? "GraphModule" : "";
}

bool IsProgram(const ZipArchive::Member& member) { return !ModelName(member.name).empty(); }

bool SniffPt2(const GraphInput& input) { return ZipArchive::HasMember(input.bytes, IsProgram); }

Error ReadPt2(const GraphInput& input, GraphSet& graphs) {
  graphs.inputs[input.index].lines = 0;
  Expected<ZipArchive> archive = ZipArchive::Open(input.bytes);
  if (!archive) return archive.takeError();
  for (const ZipArchive::Member& member : archive->members()) {
    if (!IsProgram(member)) continue;
    Expected<std::string_view> json = archive->Read(member);
    if (!json) return json.takeError();
    const std::string name(ModelName(member.name));
    if (Error error =
            ReadExportedProgram(*json, name, std::string(member.name), input.index, graphs)) {
      return error;
    }
  }
  return Error::success();
}

}  // namespace

const GraphFormat kPt2Format{SniffPt2, ReadPt2};

}  // namespace shapewise
