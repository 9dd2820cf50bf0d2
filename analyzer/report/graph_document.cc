// Graphs for people: inputs, dynamic sizes, and the effect of padding. As JSON: schema
// shapewise.graph/1.

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "report/document.h"
#include "report/formats.h"
#include "report/result_json.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

// Limits without --all.
constexpr size_t kMaxGraphs = 12;
constexpr size_t kMaxInputs = 16;
constexpr size_t kMaxSymbols = 24;
constexpr size_t kMaxOperators = 12;
constexpr size_t kMaxGraphSources = 4;
constexpr size_t kMaxReasons = 4;
constexpr size_t kMaxConstraints = 12;

constexpr size_t kGraphRowText = 14;

std::string ShapeText(const GraphSet& graphs, std::span<const ExprId> sizes) {
  std::string text = "[";
  for (const ExprId size : sizes) {
    if (text.size() > 1) text += ", ";
    text += size == ExprId::kNone ? "?" : graphs.expressions.ToText(size);
  }
  return text + "]";
}

/// "torch.float32 [s31, 6] cpu", "int s31"; empty: unknown.
std::string TypeText(const GraphSet& graphs, const ValueType* type) {
  if (type == nullptr) return {};
  std::string text(graphs.strings.text(type->dtype));
  if (type->kind == ValueType::Kind::kInt) text = "int";
  if (type->expression != ExprId::kNone) text += " " + graphs.expressions.ToText(type->expression);
  if (type->has_shape) text += " " + ShapeText(graphs, type->shape);
  if (type->device != StrId::kNone) text += " " + std::string(graphs.strings.text(type->device));
  return text;
}

/// "2 to 64", "2 or more"; empty: unknown.
std::string SymbolRange(const GraphSymbol& symbol) {
  if (!symbol.has_range) return {};
  if (!symbol.lower && !symbol.upper) return "any integer";
  if (!symbol.upper) return std::to_string(*symbol.lower) + " or more";
  if (!symbol.lower) return "up to " + std::to_string(*symbol.upper);
  return std::to_string(*symbol.lower) + " to " + std::to_string(*symbol.upper);
}

TextStyle StyleOf(PaddingVerdict verdict) {
  return verdict == PaddingVerdict::kUnsafe   ? TextStyle::kWarning
         : verdict == PaddingVerdict::kMasked ? TextStyle::kNote
                                              : TextStyle::kStrong;
}

class GraphPage {
 public:
  GraphPage(const GraphSet& graphs, const std::vector<GraphReport>& reports,
            const ReportOptions& options)
      : graphs_(graphs), reports_(reports), page_("graph", options.all) {}

  Document Make() {
    page_.AddSome(reports_, kMaxGraphs, "graph", 0, [&](const GraphReport& report) {
      if (&report != reports_.data()) page_.BlankLine();
      AddGraph(report);
    });
    AddDamage();
    return std::move(page_);
  }

 private:
  /// Begins the row `label`; the caller adds its text.
  Document& Row(std::string_view label) {
    return page_.Begin(kPageIndent, kGraphRowText + 2)
        .Add(TextStyle::kLabel, label)
        .Tab(kGraphRowText);
  }

  std::string PlaceOf(const GraphModel& graph) const {
    std::string place = graphs_.inputs[graph.input].name;
    if (!graph.member.empty()) place += "!" + graph.member;
    if (graph.line > 0) place += ":" + std::to_string(graph.line);
    return place;
  }

  void AddGraph(const GraphReport& report) {
    const GraphModel& graph = graphs_.graphs[report.graph];
    page_.Begin(0, 4).Add(TextStyle::kStrong, graph.name.empty() ? "graph" : graph.name);
    const std::string_view compile_id = graphs_.strings.text(graph.compile_id);
    if (!compile_id.empty()) page_.Add(" [" + std::string(compile_id) + "]");
    page_.Add(": " + Counted(CountNodes(graph), "node") + " (" + graph.format + ", " +
              PlaceOf(graph) + ")");
    if (graph.is_cut) {
      page_.Begin(kPageIndent, kPageIndent)
          .Add(TextStyle::kWarning, "cut")
          .Add(
              ": the dump ends before the graph does; what follows holds for the part that is "
              "there");
    }
    AddInputs(graph);
    AddOutputs(graph);
    AddOperators(graph);
    AddSymbols(graph, report);
    AddAlignment(report);
    AddConstraints(report);
  }

  void AddInputs(const GraphModel& graph) {
    std::vector<const Placeholder*> inputs;
    size_t num_parameters = 0;
    for (const Placeholder& placeholder : graph.placeholders) {
      const bool is_parameter = placeholder.kind == PlaceholderKind::kParameter ||
                                placeholder.kind == PlaceholderKind::kBuffer ||
                                placeholder.kind == PlaceholderKind::kConstant;
      if (is_parameter && !page_.all()) {
        ++num_parameters;
      } else {
        inputs.push_back(&placeholder);
      }
    }
    page_.AddSome(inputs, kMaxInputs, "input", kGraphRowText, [&](const Placeholder* input) {
      // The symbols themselves are printed below.
      const bool is_size = input->kind == PlaceholderKind::kSymbol;
      Row(is_size ? "size" : PlaceholderKindName(input->kind))
          .Add(TextStyle::kStrong, NameOfNode(graphs_, graph, input->node));
      std::string type = TypeText(graphs_, TypeOfNode(graphs_, graph, input->node));
      if (is_size && type == "int " + std::string(NameOfNode(graphs_, graph, input->node))) {
        type.clear();  // the symbol has its name
      }
      if (!type.empty()) page_.Add(" " + type);
      const std::string_view source = graphs_.strings.text(input->source);
      if (!source.empty()) page_.Add(TextStyle::kFaint, " " + std::string(source));
    });
    if (num_parameters > 0) {
      Row("parameters").Add(std::to_string(num_parameters) + ", with buffers and constants");
    }
  }

  void AddOutputs(const GraphModel& graph) {
    page_.AddSome(graph.outputs, kMaxInputs, "output", kGraphRowText, [&](uint32_t value) {
      Row("output").Add(TextStyle::kStrong, graphs_.strings.text(graph.values[value].name));
      const std::string type = TypeText(graphs_, TypeOfValue(graphs_, graph, value));
      if (!type.empty()) page_.Add(" " + type);
    });
  }

  void AddOperators(const GraphModel& graph) {
    std::vector<std::pair<std::string_view, size_t>> operators = CountOperators(graphs_, graph);
    if (operators.empty()) return;
    llvm::stable_sort(operators, [](const auto& a, const auto& b) { return a.second > b.second; });
    Row("operators");
    AddNames(operators, kMaxOperators, [](const auto& one) {
      return std::string(one.first) + " " + std::to_string(one.second);
    });
  }

  /// Adds the names of the first `limit` items, and how many more there are.
  template <typename Items, typename ToText>
  void AddNames(const Items& items, size_t limit, const ToText& to_text) {
    const size_t shown = page_.Shown(items.size(), limit);
    page_.Add(Joined(std::span(items).first(shown), ", ", to_text));
    if (shown == items.size()) return;
    page_.Add(TextStyle::kFaint, " and " + std::to_string(items.size() - shown) + " more");
  }

  void AddSymbols(const GraphModel& graph, const GraphReport& report) {
    std::map<std::string_view, const SymbolPadding*> padding_of;
    for (const SymbolPadding& padding : report.padding) {
      padding_of.try_emplace(padding.symbol, &padding);
    }
    if (graph.symbols.empty()) {
      Row("symbols").Add("none: every size is fixed, or the dump prints no sizes");
      return;
    }
    page_.AddSome(graph.symbols, kMaxSymbols, "symbol", kGraphRowText,
                  [&](const GraphSymbol& symbol) {
                    const std::string name = graphs_.expressions.ToText(symbol.symbol);
                    Row("symbol").Add(TextStyle::kStrong, name);
                    const std::string range = SymbolRange(symbol);
                    if (!range.empty()) page_.Add(": " + range);
                    if (symbol.hint) page_.Add(", was " + std::to_string(*symbol.hint));
                    if (!symbol.sources.empty()) {
                      page_.Add("; from ");
                      AddNames(symbol.sources, kMaxGraphSources,
                               [&](StrId source) { return graphs_.strings.text(source); });
                    }
                    const auto verdict = padding_of.find(name);
                    if (verdict != padding_of.end()) AddPadding(*verdict->second);
                  });
  }

  void AddPadding(const SymbolPadding& padding) {
    page_.Begin(kGraphRowText, kGraphRowText + 2)
        .Add("padding it is ")
        .Add(StyleOf(padding.verdict), PaddingVerdictName(padding.verdict));
    if (!padding.outputs_to_cut.empty()) {
      page_.Add("; cut back output " + Joined(padding.outputs_to_cut, ", "));
    }
    page_.AddSome(padding.because, kMaxReasons, "reason", kGraphRowText + 2,
                  [&](const PaddingReason& reason) {
                    page_.Begin(kGraphRowText + 2, kGraphRowText + 4).Add(reason.node);
                    if (!reason.op.empty()) page_.Add(" (" + reason.op + ")");
                    page_.Add(": " + reason.why);
                    if (reason.user_file.empty()) return;
                    page_.Add(TextStyle::kFaint,
                              "  " + reason.user_file + ":" + std::to_string(reason.user_line));
                  });
  }

  void AddAlignment(const GraphReport& report) {
    for (const AlignmentAdvice& advice : report.alignment) {
      Row("alignment")
          .Add(advice.symbol + " as a multiple of " + std::to_string(advice.multiple) + ": " +
               advice.node + ": " + advice.why);
    }
  }

  void AddConstraints(const GraphReport& report) {
    page_.AddSome(report.constraints, kMaxConstraints, "condition", kGraphRowText,
                  [&](const std::string& condition) { Row("relies on").Add(condition); });
  }

  void AddDamage() {
    std::vector<std::string> damage;
    for (size_t stat = 0; stat < kNumStats; ++stat) {
      const StatInfo& info = kStatInfos[stat];
      const Stats::Count& count = graphs_.stats.count(stat);
      if (info.grade != StatGrade::kDataLoss || count.times == 0) continue;
      std::string place = graphs_.inputs[count.first_input].name;
      if (count.first_line != 0) place += ":" + std::to_string(count.first_line);
      damage.push_back(std::string(info.sentence.substr(0, info.sentence.size() - 1)) + ": " +
                       std::to_string(count.times) + ", first at " + place + ".");
    }
    page_.AddList("What could not be read", damage);
  }

  const GraphSet& graphs_;
  const std::vector<GraphReport>& reports_;
  Document page_;
};

bool IsCall(NodeKind kind) {
  return kind == NodeKind::kCallFunction || kind == NodeKind::kCallMethod ||
         kind == NodeKind::kCallModule || kind == NodeKind::kOperator;
}

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

Document DescribeGraphs(const GraphSet& graphs, const std::vector<GraphReport>& reports,
                        const ReportOptions& options) {
  return GraphPage(graphs, reports, options).Make();
}

std::vector<std::pair<std::string_view, size_t>> CountOperators(const GraphSet& graphs,
                                                                const GraphModel& graph) {
  llvm::DenseMap<uint32_t, size_t> counts;
  for (const GraphNode& node : graph.nodes) {
    if (IsCall(node.kind)) ++counts[static_cast<uint32_t>(node.target)];
  }
  std::vector<std::pair<std::string_view, size_t>> operators;
  operators.reserve(counts.size());
  for (const auto& [target, count] : counts) {
    operators.emplace_back(graphs.strings.text(static_cast<StrId>(target)), count);
  }
  llvm::sort(operators);
  return operators;
}

const ValueType* TypeOfValue(const GraphSet& graphs, const GraphModel& graph, uint32_t value) {
  const uint32_t type = graph.values[value].type;
  return type == kNoIndex ? nullptr : &graphs.types[type];
}

const ValueType* TypeOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node) {
  const GraphNode& made_by = graph.nodes[node];
  return made_by.num_values == 0 ? nullptr : TypeOfValue(graphs, graph, made_by.first_value);
}

std::string_view NameOfNode(const GraphSet& graphs, const GraphModel& graph, uint32_t node) {
  const GraphNode& named = graph.nodes[node];
  return graphs.strings.text(named.num_values == 0 ? named.target
                                                   : graph.values[named.first_value].name);
}

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
