#include "report/result_json.h"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "model/fields.h"
#include "result/fields.h"

namespace shapewise {
namespace {

/// Writes the members of one object.
class FieldWriter {
 public:
  explicit FieldWriter(Json& json) : json_(json) {}

  template <typename T>
  void Always(const char* name, const T& value) {
    json_[name] = JsonOf(value);
  }
  void OrNull(const char* name, const std::string& text) { json_[name] = TextOrNull(text); }
  void OrNull(const char* name, int32_t dim) { json_[name] = DimOrNull(dim); }
  void OrNull(const char* name, const std::optional<double>& number) {
    json_[name] = NumberOrNull(number);
  }
  void OrNull(const char* name, const std::optional<Culprit>& culprit) {
    json_[name] = culprit ? Json{{"class", GuardClassName(culprit->guard_class)},
                                 {"value_type", TextOrNull(PythonTypeName(culprit->value_type))},
                                 {"source", TextOrNull(culprit->source)},
                                 {"dim", DimOrNull(culprit->dim)}}
                          : Json();
  }

 private:
  template <typename T>
  static Json JsonOf(const T& value) {
    return value;
  }
  static Json JsonOf(Severity severity) { return SeverityName(severity); }
  static Json JsonOf(const Place& place) { return PlaceJson(place); }
  static Json JsonOf(const Identity& identity) { return IdentityJson(identity); }
  static Json JsonOf(const std::vector<Action>& actions) { return ListJson(actions, ActionJson); }

  static Json JsonOf(const std::vector<NextStep>& steps) { return ListJson(steps, NextStepJson); }

  Json& json_;
};

Json ShareJson(const CompileShare& share) {
  return {{"compilations", share.compilations}, {"seconds", share.seconds}};
}

Json PhasesJson(const PhaseSeconds& phases) {
  return {{"dynamo", NumberOrNull(phases.dynamo)},
          {"aot", NumberOrNull(phases.aot)},
          {"inductor", NumberOrNull(phases.inductor)},
          {"code_gen", NumberOrNull(phases.code_gen)}};
}

Json StatJson(const StatInfo& info, const Stats::Count& count) {
  return {{"name", info.name},
          {"grade", info.grade == StatGrade::kDataLoss ? "data_loss" : "info"},
          {"count", count.times},
          {"input", count.first_input},
          {"line", PositionOrNull(count.first_line)},
          {"text", info.sentence}};
}

constexpr char kDelete = '\x7f';
// In UTF-8, U+0080 to U+00BF start with this byte; the second byte is their code point.
constexpr char kLeadByte = '\xc2';
constexpr unsigned char kLastControl = 0x9f;

struct FieldOfKind {
  EventKind kind;
  std::string_view field;

  bool operator==(const FieldOfKind&) const = default;
};

/// Fields of facts that are written only if the log states them.
constexpr FieldOfKind kFurther[] = {
    {EventKind::kImpliedRecompile, "reasons"},    {EventKind::kXlaMetric, "ops"},
    {EventKind::kXlaMetric, "seconds"},           {EventKind::kXlaCompile, "graph_input_gb"},
    {EventKind::kXlaCompile, "trigger_file"},     {EventKind::kXlaCompile, "trigger_line"},
    {EventKind::kXlaCompile, "trigger_function"}, {EventKind::kXlaExecution, "trigger_file"},
    {EventKind::kXlaExecution, "trigger_line"},   {EventKind::kXlaExecution, "trigger_function"},
    {EventKind::kXlaExecution, "fatal"},          {EventKind::kRecompile, "fatal"},
    {EventKind::kGraphBreak, "called_from"},
};

/// Fields that only causes show.
constexpr FieldOfKind kLeftOut[] = {
    {EventKind::kCompileError, "context"},      {EventKind::kTorchscript, "type"},
    {EventKind::kGraphBreak, "code"},           {EventKind::kGraphBreak, "calls_compiled"},
    {EventKind::kCompileError, "called_from"},  {EventKind::kImpliedBreak, "trigger_file"},
    {EventKind::kImpliedBreak, "trigger_line"}, {EventKind::kImpliedBreak, "trigger_function"},
};

/// Adds the visited fields to an object.
class EventFieldWriter {
 public:
  EventFieldWriter(Json& object, const Session& session) : object_(object), session_(session) {}

  template <typename Field>
  void operator()(std::string_view name, const Field& field) {
    if constexpr (std::same_as<Field, EventFact>) {
      kind_ = static_cast<EventKind>(field.index());
      std::visit([this](const auto& fact) { VisitFields(*this, fact); }, field);
      kind_.reset();
    } else if constexpr (HasFields<const Field>) {
      VisitFields(*this, field);
    } else {
      Json value = JsonOf(field);
      const bool is_known = !value.empty() && value != false;
      if (is_known ? !Is(name, kLeftOut) : IsAlwaysThere(name)) object_[name] = std::move(value);
    }
  }

 private:
  template <size_t kCount>
  bool Is(std::string_view name, const FieldOfKind (&list)[kCount]) const {
    return kind_ && std::ranges::find(list, FieldOfKind{*kind_, name}) != std::end(list);
  }
  /// Fields that every reason has, and those that every event of a kind has.
  bool IsAlwaysThere(std::string_view name) const {
    if (!kind_) return name == "entry" || name == "guard";
    return !Is(name, kFurther) && !Is(name, kLeftOut);
  }

  Json JsonOf(StrId text) const { return TextOrNull(session_.text(text)); }
  Json JsonOf(bool flag) const { return flag; }
  Json JsonOf(uint32_t line) const { return PositionOrNull(line); }
  Json JsonOf(int32_t dim) const { return DimOrNull(dim); }
  template <typename Number>
  Json JsonOf(const std::optional<Number>& number) const {
    return NumberOrNull(number);
  }
  template <typename Item>
  Json JsonOf(const std::vector<Item>& items) const {
    return ListJson(items, [this](const Item& item) { return JsonOf(item); });
  }
  Json JsonOf(ReasonId id) const {
    Json object;
    VisitFields(EventFieldWriter(object, session_), session_.reason(id));
    return object;
  }
  Json JsonOf(GuardClass word) const { return GuardClassName(word); }
  Json JsonOf(PythonType word) const { return TextOrNull(PythonTypeName(word)); }
  Json JsonOf(Why word) const { return TextOrNull(WhyName(word)); }
  Json JsonOf(LimitName word) const { return TextOrNull(LimitNameText(word)); }
  Json JsonOf(PerfHint word) const { return TextOrNull(PerfHintName(word)); }
  Json JsonOf(CudagraphAction word) const { return TextOrNull(CudagraphActionName(word)); }
  Json JsonOf(TorchscriptAction word) const { return TextOrNull(TorchscriptActionName(word)); }
  Json JsonOf(CacheOutcome word) const { return TextOrNull(CacheOutcomeName(word)); }

  Json& object_;
  const Session& session_;
  std::optional<EventKind> kind_;
};

/// The simulated saving; null: not simulated, or unknown.
Json SavesJson(const Action& action) {
  if (!action.saves_compiles && !action.saves_seconds) return {};
  return {{"compiles", NumberOrNull(action.saves_compiles)},
          {"seconds", NumberOrNull(action.saves_seconds)},
          {"padding", nullptr},
          {"basis", "predicted"}};
}

}  // namespace

Json NextStepJson(const NextStep& step) {
  Json json;
  VisitFields(FieldWriter(json), step);
  return json;
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
          {"saves", SavesJson(action)},
          {"confidence", action.confidence},
          {"torch", TextOrNull(action.torch)},
          {"evidence", action.evidence},
          {"validated", nullptr}};
}

Json SummaryJson(const RunSummary& summary) {
  Json eager = Json::array();
  for (const EagerFunction& function : summary.eager_functions) {
    Json object = PlaceJson(function.where);
    object["limit"] = PositionOrNull(function.limit);
    object["below"] = Json::array();
    for (const Place& below : function.below) object["below"].push_back(PlaceJson(below));
    eager.push_back(std::move(object));
  }
  Json json;
  VisitCounts(FieldWriter(json), summary);
  json["costs"] = CostsJson(summary.costs);
  json["eager_functions"] = std::move(eager);
  json["ranks"] = summary.ranks;
  json["torch"] = {{"range", TextOrNull(summary.torch)}, {"why", TextOrNull(summary.torch_why)}};
  json["lines"] = summary.lines;
  json["damaged"] = summary.damaged;
  json["unknown_lines"] = summary.unknown_lines;
  if (!summary.failure.empty()) json["failure"] = summary.failure;
  return json;
}

Json CoverageJson(const Coverage& coverage) {
  const auto json = [](Printed printed) {
    return printed == Printed::kUnknown ? Json() : Json(printed == Printed::kYes);
  };
  return {{"recompiles", json(coverage.recompiles)}, {"graph_breaks", json(coverage.graph_breaks)}};
}

Json IdentityJson(const Identity& identity) {
  Json json;
  VisitFields(FieldWriter(json), identity);
  return json;
}

Json FindingJson(const Finding& finding) {
  Json json;
  VisitFields(FieldWriter(json), finding);
  return json;
}

Json KnownCauseJson(const Finding& finding) {
  return {{"rule", finding.rule},
          {"severity", SeverityName(finding.severity)},
          {"count", finding.count},
          {"runs_eager", finding.runs_eager},
          {"identity", IdentityJson(finding.identity)},
          {"fingerprint", finding.fingerprint}};
}

Json BaselineUseJson(const BaselineUse& baseline) {
  const auto list = [](const std::vector<Finding>& findings) {
    return ListJson(findings, KnownCauseJson);
  };
  return {{"file", baseline.file},
          {"held_back", list(baseline.held_back)},
          {"stale", list(baseline.stale)},
          {"worse", baseline.worse}};
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

Json FunctionCostJson(const FunctionCost& function) {
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

void AddStats(const Stats& stats, JsonStream& object) {
  std::vector<size_t> counted;
  for (size_t stat = 0; stat < kNumStats; ++stat) {
    if (stats.count(stat).times != 0) counted.push_back(stat);
  }
  object.List("stats", counted,
              [&](size_t stat) { return StatJson(kStatInfos[stat], stats.count(stat)); });
}

std::string JsonText(const Json& value) {
  using Handler = Json::error_handler_t;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/false, Handler::replace);
  // They occur only in strings, and rarely.
  constexpr std::string_view kSuspects = "\x7f\xc2";
  size_t at = text.find_first_of(kSuspects);
  if (at == std::string::npos) return text;
  std::string escaped;
  size_t done = 0;
  for (; at != std::string::npos; at = text.find_first_of(kSuspects, at + 1)) {
    const size_t last = text[at] == kLeadByte ? at + 1 : at;
    const auto code = static_cast<unsigned char>(text[last]);
    if (text[at] != kDelete && code > kLastControl) continue;
    escaped.append(text, done, at - done);
    escaped += "\\u00" + llvm::utohexstr(code, /*LowerCase=*/true);
    done = last + 1;
  }
  return escaped.append(text, done);
}

Json EventJson(const Session& session, const Event& event) {
  const EventDetail& detail = session.detail(event);
  Json object;
  object["kind"] = EventKindName(detail.kind());
  object["input"] = event.input;
  object["line"] = event.line;
  if (event.rank != kNoRank) object["rank"] = event.rank;
  EventFieldWriter fields(object, session);
  fields("compile_id", event.compile_id);
  if (event.time.known()) object["time"] = FormatLogTime(event.time);
  VisitFields(fields, detail);
  if (event.folded > 0) object["folded"] = event.folded;
  return object;
}

}  // namespace shapewise
