// The JSON result, schema shapewise.lint/1. Lists are written element by element, one a line, so
// that memory stays flat and the result can be searched and compared by lines.

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "report/builtin_writers.h"
#include "report/event_json.h"

namespace shapewise {
namespace {

using Json = nlohmann::ordered_json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json LineOrNull(uint32_t line) { return line == 0 ? Json() : Json(line); }
Json DimOrNull(int32_t dim) { return dim < 0 ? Json() : Json(dim); }

template <typename Number>
Json NumberOrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json PlaceJson(const Place& place) {
  return {{"function", TextOrNull(place.function)},
          {"file", TextOrNull(place.file)},
          {"line", LineOrNull(place.line)}};
}

Json InputJson(const Input& input) {
  return {{"name", input.name},
          {"format", TextOrNull(input.format)},
          {"bytes", input.bytes},
          {"lines", input.lines},
          {"torch_lines", input.torch_lines}};
}

Json ShareJson(const CompileShare& share) {
  return {{"compilations", share.compilations}, {"seconds", share.seconds}};
}

Json PhasesJson(const PhaseSeconds& phases) {
  return {{"dynamo", NumberOrNull(phases.dynamo)},
          {"aot", NumberOrNull(phases.aot)},
          {"inductor", NumberOrNull(phases.inductor)},
          {"code_gen", NumberOrNull(phases.code_gen)}};
}

Json CostsJson(const std::optional<CompileCosts>& costs) {
  if (!costs) return {};
  const Json rank = costs->slowest_rank < 0 ? Json() : Json(costs->slowest_rank);
  return {{"seconds", costs->seconds},
          {"first_compiles", ShareJson(costs->first_compiles)},
          {"recompiles", ShareJson(costs->recompiles)},
          {"failed", ShareJson(costs->failed)},
          {"empty_graphs", ShareJson(costs->empty_graphs)},
          {"retrace_seconds", costs->retrace_seconds},
          {"backward", ShareJson(costs->backward)},
          {"unfinished", costs->unfinished},
          {"run_time_seconds", NumberOrNull(costs->run_time_seconds)},
          {"phases", PhasesJson(costs->phases)},
          {"cache",
           {{"hits", costs->cache.hits},
            {"misses", costs->cache.misses},
            {"bypasses", costs->cache.bypasses},
            {"seconds_saved", NumberOrNull(costs->cache.seconds_saved)}}},
          {"processes", costs->processes},
          {"slowest",
           {{"rank", rank}, {"input", costs->slowest_input}, {"seconds", costs->slowest_seconds}}}};
}

Json FunctionJson(const FunctionCost& function) {
  Json object = PlaceJson(function.where);
  object["compiles"] = function.compiles;
  object["recompiles"] = function.recompiles;
  object["failed"] = function.failed;
  object["empty_graphs"] = function.empty_graphs;
  object["seconds"] = NumberOrNull(function.seconds);
  object["recompile_seconds"] = NumberOrNull(function.recompile_seconds);
  object["retrace_seconds"] = NumberOrNull(function.retrace_seconds);
  object["phases"] = PhasesJson(function.phases);
  object["guards"] = NumberOrNull(function.guards);
  object["estimated_us_per_call"] = NumberOrNull(function.estimated_us);
  object["measured_guard_us"] = NumberOrNull(function.measured_guard_us);
  object["cache_entries"] = function.cache_entries;
  return object;
}

Json SummaryJson(const RunSummary& summary) {
  Json eager = Json::array();
  for (const EagerFunction& function : summary.eager_functions) {
    Json object = PlaceJson(function.where);
    object["limit"] = function.limit == 0 ? Json() : Json(function.limit);
    object["below"] = Json::array();
    for (const Place& below : function.below) object["below"].push_back(PlaceJson(below));
    eager.push_back(std::move(object));
  }
  return {{"recompiles", summary.recompiles},
          {"recompile_limit_hits", summary.recompile_limit_hits},
          {"graph_breaks", summary.graph_breaks},
          {"graph_break_sites", summary.graph_break_sites},
          {"skipped_frames", summary.skipped_frames},
          {"compiles", summary.compiles},
          {"compile_seconds", NumberOrNull(summary.compile_seconds)},
          {"costs", CostsJson(summary.costs)},
          {"eager_functions", std::move(eager)},
          {"ranks", summary.ranks},
          {"torch", {{"range", TextOrNull(summary.torch)}, {"why", TextOrNull(summary.torch_why)}}},
          {"lines", summary.lines},
          {"damaged", summary.damaged}};
}

Json ActionJson(const Action& action) {
  Json target = PlaceJson(action.target);
  target["source"] = TextOrNull(action.source);
  target["dim"] = DimOrNull(action.dim);
  return {{"kind", action.kind},
          {"target", std::move(target)},
          {"text", action.text},
          {"code", TextOrNull(action.code)},
          {"trap", TextOrNull(action.trap)},
          {"saves",
           {{"compiles", NumberOrNull(action.saves_compiles)},
            {"seconds", NumberOrNull(action.saves_seconds)},
            {"padding", nullptr},
            {"basis", "predicted"}}},
          {"confidence", action.confidence},
          {"torch", TextOrNull(action.torch)},
          {"evidence", action.evidence},
          {"validated", nullptr}};
}

Json IdentityJson(const Identity& identity) {
  return {{"kind", identity.kind},
          {"function", TextOrNull(identity.function)},
          {"file", TextOrNull(identity.file)},
          {"type", TextOrNull(identity.type)},
          {"class", TextOrNull(identity.guard_class)},
          {"source", TextOrNull(identity.source)},
          {"dim", DimOrNull(identity.dim)}};
}

Json FindingJson(const Finding& finding) {
  Json cause;
  if (finding.cause) {
    cause = {{"class", GuardClassName(finding.cause->guard_class)},
             {"source", TextOrNull(finding.cause->source)},
             {"dim", DimOrNull(finding.cause->dim)}};
  }
  Json advice = Json::array();
  for (const Action& action : finding.advice) advice.push_back(ActionJson(action));
  return {{"rule", finding.rule},
          {"name", finding.name},
          {"severity", SeverityName(finding.severity)},
          {"message", finding.message},
          {"where", PlaceJson(finding.where)},
          {"user", PlaceJson(finding.user)},
          {"cause", std::move(cause)},
          {"values", finding.values},
          {"pattern", TextOrNull(finding.pattern)},
          {"count", finding.count},
          {"cost_seconds", NumberOrNull(finding.cost_seconds)},
          {"ranks", finding.ranks},
          {"events", finding.events},
          {"advice", std::move(advice)},
          {"torch", TextOrNull(finding.torch)},
          {"runs_eager", finding.runs_eager},
          {"identity", IdentityJson(finding.identity)},
          {"fingerprint", finding.fingerprint}};
}

Json StatJson(const StatInfo& info, const Stats::Count& count) {
  return {{"name", info.name},
          {"grade", info.grade == StatGrade::kDataLoss ? "data_loss" : "info"},
          {"count", count.times},
          {"input", count.first_input},
          {"line", count.first_line == 0 ? Json() : Json(count.first_line)},
          {"text", info.sentence}};
}

/// Writes the members of one JSON object, each on its own line, lists one element a line.
class ObjectStream {
 public:
  explicit ObjectStream(llvm::raw_ostream& out) : out_(out) { out_ << "{\n"; }

  void Member(const char* key, const Json& value) {
    Key(key);
    Value(value);
  }

  void BeginList(const char* key) {
    Key(key);
    out_ << "[";
    is_first_element_ = true;
  }
  void Element(const Json& value) {
    out_ << (is_first_element_ ? "\n  " : ",\n  ");
    is_first_element_ = false;
    Value(value);
  }
  void EndList() { out_ << (is_first_element_ ? "]" : "\n ]"); }

  template <typename Items, typename ToJson>
  void List(const char* key, const Items& items, const ToJson& to_json) {
    BeginList(key);
    for (const auto& item : items) Element(to_json(item));
    EndList();
  }

  void End() { out_ << "\n}\n"; }

 private:
  void Key(const char* key) {
    out_ << (is_first_member_ ? " \"" : ",\n \"") << key << "\": ";
    is_first_member_ = false;
  }
  void Value(const Json& value) {
    // Texts are bytes of the input; "replace" makes U+FFFD of what is not UTF-8.
    out_ << value.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
  }

  llvm::raw_ostream& out_;
  bool is_first_member_ = true;
  bool is_first_element_ = true;
};

class JsonWriter final : public ReportWriter {
 public:
  std::string_view name() const override { return "json"; }

  void Write(const LintResult& result, const Session& session, const ReportOptions& options,
             llvm::raw_ostream& out) const override {
    ObjectStream object(out);
    object.Member("schema", "shapewise.lint/1");
    object.Member("tool", {{"name", "shapewise"}, {"version", options.tool_version}});
    object.List("inputs", session.inputs(), InputJson);
    object.Member("summary", SummaryJson(result.summary));
    object.List("findings", result.findings, FindingJson);
    object.List("functions", result.functions, FunctionJson);
    object.List("gaps", result.gaps, [](const std::string& gap) { return Json(gap); });
    object.BeginList("stats");
    for (size_t stat = 0; stat < kNumStats; ++stat) {
      const Stats::Count& count = session.stats().count(stat);
      if (count.times != 0) object.Element(StatJson(kStatInfos[stat], count));
    }
    object.EndList();
    if (options.with_events) {
      object.List("events", session.events(),
                  [&](const Event& event) { return EventJson(event, session); });
    }
    object.End();
  }
};

}  // namespace

const ReportWriter& JsonReport() {
  static const JsonWriter writer;
  return writer;
}

}  // namespace shapewise
