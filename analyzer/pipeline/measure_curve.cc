#include "pipeline/measure_curve.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "buckets/cost_model.h"
#include "ingest/graph_reader.h"
#include "model/graph_model.h"
#include "pipeline/json_members.h"
#include "support/median.h"
#include "support/terminal_text.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 12;
  std::string list;
  for (size_t i = 0; i < names.size() && i < kMost; ++i) {
    list += (i == 0 ? "" : ", ") + MakePrintable(names[i]);
  }
  return names.size() > kMost ? list + " ..." : list;
}

/// The graph to run: by name, else the top-level one with most symbols.
Expected<size_t> ChooseGraph(const CurveOptions& options, const GraphSet& graphs) {
  std::vector<bool> is_part(graphs.graphs.size());
  for (const GraphModel& graph : graphs.graphs) {
    for (const uint32_t part : graph.subgraphs) is_part[part] = true;
  }
  size_t chosen = graphs.graphs.size();
  std::vector<std::string> names;
  for (size_t i = 0; i < graphs.graphs.size(); ++i) {
    const GraphModel& graph = graphs.graphs[i];
    if (is_part[i]) continue;
    names.push_back(graph.name);
    if (!options.graph.empty() && graph.name != options.graph) continue;
    const bool is_better = chosen == graphs.graphs.size() ||
                           graph.symbols.size() > graphs.graphs[chosen].symbols.size();
    if (is_better) chosen = i;
  }
  if (chosen < graphs.graphs.size()) return chosen;
  if (names.empty()) {
    return MakeError(MakePrintable(options.dumps.front()) +
                     ": no graph in it; expected a dump that `shapewise graph` reads");
  }
  return MakeError("no graph is called '" + MakePrintable(options.graph) + "'; there are " +
                   Listed(names));
}

/// "dim 1 of L_k_": the first dim of an input with that size; empty: no input has it.
std::string DimOf(const GraphSet& graphs, const GraphModel& graph, const GraphSymbol& symbol) {
  for (const Placeholder& placeholder : graph.placeholders) {
    const GraphNode& node = graph.nodes[placeholder.node];
    if (node.num_values == 0) continue;
    const GraphValue& value = graph.values[node.first_value];
    if (value.type == kNoIndex) continue;
    const std::vector<ExprId>& shape = graphs.types[value.type].shape;
    const auto dim = std::ranges::find(shape, symbol.symbol);
    if (dim == shape.end()) continue;
    return "dim " + std::to_string(dim - shape.begin()) + " of " +
           std::string(graphs.strings.text(value.name));
  }
  return {};
}

/// "s25 (dim 1 of L_k_)", else with what the symbol comes from.
std::string Described(const GraphSet& graphs, const GraphModel& graph, const GraphSymbol& symbol) {
  std::string origin = DimOf(graphs, graph, symbol);
  if (origin.empty() && !symbol.sources.empty()) {
    origin = graphs.strings.text(symbol.sources.front());
  }
  const std::string name(graphs.expressions.name(symbol.symbol));
  return origin.empty() ? name : name + " (" + origin + ")";
}

/// Values of the symbols other than `varied`: those of `binds`, else those of the dump.
Expected<std::map<std::string, int64_t>> FixedSymbols(const std::vector<std::string>& binds,
                                                      const std::string& varied,
                                                      const GraphSet& graphs,
                                                      const GraphModel& graph) {
  std::map<std::string, int64_t> fixed;
  for (const std::string& bind : binds) {
    const size_t equals = bind.find('=');
    const std::string name = bind.substr(0, equals);
    const std::optional<int64_t> value =
        equals == std::string::npos ? std::nullopt : ParseNumber<int64_t>(bind.substr(equals + 1));
    const bool is_known = std::ranges::any_of(graph.symbols, [&](const GraphSymbol& symbol) {
      return graphs.expressions.name(symbol.symbol) == name;
    });
    if (!value || !is_known || name == varied) {
      return MakeError("--bind: expected another symbol of the graph with its value, such as " +
                       std::string("s0=8, not '") + MakePrintable(bind) + "'");
    }
    fixed[name] = *value;
  }
  std::vector<std::string> missing;
  std::string example;
  for (const GraphSymbol& symbol : graph.symbols) {
    const std::string name(graphs.expressions.name(symbol.symbol));
    if (name == varied || symbol.hint || fixed.contains(name)) continue;
    if (DimOf(graphs, graph, symbol).empty()) continue;  // it has no size to be made with
    missing.push_back(Described(graphs, graph, symbol));
    example += " --bind " + MakePrintable(name) + "=N";
  }
  if (missing.empty()) return fixed;
  return MakeError("the dump shows no value of " + Listed(missing) + ": give" + example);
}

Expected<std::string> ChooseSymbol(const std::string& wanted, const GraphSet& graphs,
                                   const GraphModel& graph) {
  std::vector<std::string> names;
  std::vector<std::string> described;
  for (const GraphSymbol& symbol : graph.symbols) {
    names.emplace_back(graphs.expressions.name(symbol.symbol));
    described.push_back(Described(graphs, graph, symbol));
  }
  if (names.empty()) {
    return MakeError("the graph '" + MakePrintable(graph.name) +
                     "' has no symbol, and runs at its own sizes only: capture it with dynamic "
                     "shapes");
  }
  if (wanted.empty() && names.size() == 1) return names.front();
  if (std::ranges::find(names, wanted) != names.end()) return wanted;
  return MakeError((wanted.empty() ? "several sizes could be varied"
                                   : "no symbol is called '" + MakePrintable(wanted) + "'") +
                   std::string("; --symbol names one of ") + Listed(described));
}

class Measurement {
 public:
  Measurement(const AskProgram& ask, Redactor* redactor, CurveRun& run)
      : ask_(ask), redactor_(redactor), fixed_(run.fixed), report_(run.report) {}

  /// Times one size; absent: it could not be run, which is recorded.
  Expected<std::optional<CurveReport::Point>> Of(int64_t size) {
    // Symbols of a graph have names of their own.
    const std::string key = report_.symbol.empty() ? "size" : report_.symbol;
    Json request = {{"time", {{key, size}}}};
    for (const auto& [symbol, value] : fixed_) request["time"][symbol] = value;
    Expected<std::string> line = ask_(request.dump());
    if (!line) return line.takeError();
    Expected<CurveAnswer> answer = ReadCurveAnswer(*line, key, size);
    if (!answer) return answer.takeError();
    if (redactor_ != nullptr) {
      redactor_->Redact(TextKind::kProse, answer->why, answer->dynamic_why);
    }
    if (!answer->point) {
      report_.refused.push_back("size " + std::to_string(size) + ": " + answer->why);
      return std::nullopt;
    }
    if (!answer->dynamic_why.empty()) ReportDynamic(size, answer->dynamic_why);
    if (answer->drift) {
      report_.drift = std::max(report_.drift.value_or(0), std::abs(*answer->drift));
    }
    report_.points.push_back(*answer->point);
    return answer->point;
  }

 private:
  /// Records why the dynamic graph could not be timed; usually the same at all sizes.
  void ReportDynamic(int64_t size, const std::string& why) {
    if (std::exchange(dynamic_why_, why) == why) return;
    report_.gaps.push_back("One dynamic graph was not timed at size " + std::to_string(size) +
                           ": " + why);
  }

  const AskProgram& ask_;
  Redactor* const redactor_;
  const std::map<std::string, int64_t>& fixed_;
  CurveReport& report_;
  std::string dynamic_why_;
};

std::string EndingText(ActiveCost::Ending ending, const CurveOptions& options) {
  switch (ending) {
    case ActiveCost::Ending::kGap:
      return "as sure as was asked for";
    case ActiveCost::Ending::kNoise:
      return "as sure as what was timed";
    case ActiveCost::Ending::kBudget:
      return "after " + std::to_string(options.active.measurements) + " measurements";
    case ActiveCost::Ending::kNothing:
      return "what is left is noise";
    case ActiveCost::Ending::kGoesOn:
      break;
  }
  return {};
}

Error MeasureActively(const CurveOptions& options, Measurement& measurement, CurveRun& run) {
  ActiveCost& active = *run.active;
  while (const std::optional<int64_t> size = active.NextSize()) {
    Expected<std::optional<CurveReport::Point>> point = measurement.Of(*size);
    if (!point) return point.takeError();
    if (*point) {
      active.Add(*size, (*point)->seconds.value, (*point)->spread.value_or(0));
    } else if (Error error = active.Refuse(*size)) {
      return error;
    }
  }
  CurveReport& report = run.report;
  report.candidates = active.candidates();
  if (std::isfinite(active.gap())) report.estimated_gap = active.gap();
  report.boundaries = active.plan().sizes;
  report.stopped_because = EndingText(active.ending(), options);
  if (!active.is_monotone()) {
    report.gaps.push_back(
        "Some sizes take longer than larger ones, by more than noise: there may be more such sizes "
        "between those that were measured, and the estimated gap does not count them.");
  }
  return Error::success();
}

/// Reads the sizes of calls; without given sizes to time, chooses those that matter for buckets.
Error ReadSizesOfCalls(const CurveOptions& options, const std::vector<std::string>& paths,
                       const SizeQuery& query, FileSource& files, CurveRun& run) {
  Expected<SizeRun> sizes = ReadSizeRun(paths, query, GroupingRule(), files);
  if (!sizes) return sizes.takeError();
  if (!sizes->unread.empty()) return MakeError(sizes->unread.front());
  run.sizes = sizes->history.Histogram();
  if (!options.sizes.empty()) return Error::success();
  Expected<SizeLine> line = MakeSizeLine(run.sizes, CostModel(), options.limits, /*mix_tail=*/true);
  if (!line) return line.takeError();
  Expected<ActiveCost> active = ActiveCost::Make(std::move(*line), options.active);
  if (!active) return active.takeError();
  run.active.emplace(std::move(*active));
  return Error::success();
}

// Maximum length of a quoted invalid answer.
constexpr size_t kShownBytes = 400;

std::string Shown(const std::string& line) {
  return line.size() <= kShownBytes ? MakePrintable(line)
                                    : MakePrintable(line.substr(0, kShownBytes)) + " ...";
}

std::optional<double> PositiveOf(const Json& json, const char* key) {
  const std::optional<double> number = NumberMember(json, key);
  return number && *number > 0 ? number : std::nullopt;
}

/// The median called `value`, with half of the interquartile range called `range` on both sides.
std::optional<MeasuredRange> RangeOf(const Json& json, const char* value, const char* range) {
  const std::optional<double> median = PositiveOf(json, value);
  if (!median) return std::nullopt;
  const double spread = PositiveOf(json, range).value_or(0) / 2;
  return MeasuredRange{
      .value = *median, .low = std::max(0.0, *median - spread), .high = *median + spread};
}

/// The relative error of a point: the largest of all given errors.
std::optional<double> SpreadOf(const Json& json) {
  std::optional<double> most;
  for (const char* key : {"spread", "dynamic_spread", "eager_spread"}) {
    const std::optional<double> spread = NumberMember(json, key);
    if (spread && *spread >= 0) most = std::clamp(*spread, most.value_or(0), 1.0);
  }
  return most;
}

// A call costs about as much as one that is larger by at most this factor.
constexpr double kNear = 1.25;

/// The curve of `cost_of` over points; absent: no values.
template <typename CostOf>
std::optional<CostModel> ModelOf(const CurveReport& report, const CostOf& cost_of) {
  CostCurve curve;
  for (const CurveReport::Point& point : report.points) {
    const std::optional<double> seconds = cost_of(point);
    if (seconds) curve.points.push_back({.size = point.size, .seconds = *seconds});
  }
  if (curve.points.empty()) return std::nullopt;
  Expected<CostModel> model = CostModel::OfCurve(std::move(curve));
  if (!model) {
    llvm::consumeError(model.takeError());
    return std::nullopt;
  }
  return std::move(*model);
}

std::optional<double> MedianOfPoints(const CurveReport& report,
                                     std::optional<double> CurveReport::Point::* member) {
  std::vector<double> seconds;
  for (const CurveReport::Point& point : report.points) {
    if (point.*member) seconds.push_back(*(point.*member));
  }
  if (seconds.empty()) return std::nullopt;
  return MedianOf(seconds);
}

double NoiseOfPoints(const CurveReport& report) {
  CostCurve curve;
  for (const CurveReport::Point& point : report.points) {
    CostPoint& cost = curve.points.emplace_back();
    cost.size = point.size;
    cost.seconds = point.seconds.value;
    if (point.dynamic) cost.dynamic = point.dynamic->value;
    cost.eager = point.eager;
    cost.spread = point.spread;
  }
  return NoiseOf(curve).share;
}

/// The mean cost of calls that run at `size_of` their size.
template <typename SizeOf>
double MeanOf(const SizeHistogram& sizes, const CostModel& cost, const SizeOf& size_of) {
  double sum = 0;
  for (const SizeCount& count : sizes.counts) {
    sum += static_cast<double>(count.calls) * cost.Of(/*rows=*/1, size_of(count.sizes[0]));
  }
  return sum / static_cast<double>(sizes.calls);
}

/// The number of calls from which the way with faster calls takes less time; absent: from the
/// first, or unknown.
std::optional<uint64_t> CallsToBreakEven(const ServingTime& one, const ServingTime& other) {
  if (!one.compile_seconds || !other.compile_seconds) return std::nullopt;
  constexpr double kMost = 1e15;
  const double calls =
      (*one.compile_seconds - *other.compile_seconds) / (other.call_seconds - one.call_seconds);
  if (!(calls > 0) || calls > kMost) return std::nullopt;
  return static_cast<uint64_t>(std::ceil(calls));
}

}  // namespace

Error PrepareCurve(const CurveOptions& options, FileSource& files, CurveRun& run) {
  GraphSet graphs;
  const std::vector<std::string> unread = ReadGraphs(options.dumps, files, graphs);
  if (!unread.empty()) return MakeError(unread.front());
  Expected<size_t> graph = ChooseGraph(options, graphs);
  if (!graph) return graph.takeError();
  const GraphModel& model = graphs.graphs[*graph];
  Expected<std::string> symbol = ChooseSymbol(options.symbol, graphs, model);
  if (!symbol) return symbol.takeError();
  Expected<std::map<std::string, int64_t>> fixed =
      FixedSymbols(options.binds, *symbol, graphs, model);
  if (!fixed) return fixed.takeError();
  run.fixed = std::move(*fixed);
  run.report.graph = model.name;
  run.report.symbol = std::move(*symbol);
  run.program = options.program_of(graphs, *graph);
  if (options.lengths.empty()) return Error::success();
  return ReadSizesOfCalls(options, options.lengths, options.query, files, run);
}

Error PrepareCallableCurve(const CurveOptions& options, const ReplayOptions& replay,
                           FileSource& files, CurveRun& run) {
  ReplayRun timing;
  if (Error error = PrepareTiming(replay, files, timing)) return error;
  run.job = std::move(timing.job);
  run.files = std::move(timing.files);
  run.report.subject = std::move(timing.report.subject);
  run.report.dims = replay.dims;
  run.report.gaps = std::move(timing.report.gaps);
  if (!options.lengths.empty()) {
    return ReadSizesOfCalls(options, options.lengths, options.query, files, run);
  }
  SizeQuery query;
  query.sources = {replay.dims.front()};
  query.function = timing.report.function;
  return ReadSizesOfCalls(options, replay.calls, query, files, run);
}

Error MeasureCurve(const CurveOptions& options, std::optional<uint64_t> steps,
                   const AskProgram& ask, CurveRun& run) {
  CurveReport& report = run.report;
  Measurement measurement(ask, options.redactor, run);
  if (run.active) {
    if (Error error = MeasureActively(options, measurement, run)) return error;
  } else {
    for (const int64_t size : options.sizes) {
      if (std::ranges::find(report.points, size, &CurveReport::Point::size) !=
          report.points.end()) {
        continue;
      }
      Expected<std::optional<CurveReport::Point>> point = measurement.Of(size);
      if (!point) return point.takeError();
    }
  }
  if (report.points.empty()) {
    return MakeError(report.refused.empty() ? "no size was measured" : report.refused.front());
  }
  std::ranges::sort(report.points, {}, &CurveReport::Point::size);
  CompareServing(run.sizes, steps.value_or(run.sizes.calls), report);
  return Error::success();
}

Expected<CurveAnswer> ReadCurveAnswer(const std::string& line, const std::string& key,
                                      int64_t size) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return MakeError("what times the sizes answered no JSON: " + Shown(line));
  if (const Json* asked = FindMember(json, "time")) {
    const Json* echo = FindMember(*asked, key.c_str());
    if (echo == nullptr || *echo != Json(size)) {
      return MakeError("asked for size " + std::to_string(size) +
                       ", what times the sizes answered of another: " + Shown(line));
    }
  }
  CurveAnswer answer;
  answer.why = TextMember(json, "error");
  const std::optional<MeasuredRange> seconds = RangeOf(json, "seconds", "iqr");
  if (!answer.why.empty()) return answer;
  if (!seconds) return MakeError("what times the sizes answered no time: " + Shown(line));
  CurveReport::Point& point = answer.point.emplace();
  point.size = size;
  point.seconds = *seconds;
  constexpr double kMostBytes = 9e15;
  if (const auto bytes = PositiveOf(json, "peak_bytes"); bytes && *bytes <= kMostBytes) {
    point.peak_bytes = static_cast<uint64_t>(*bytes);
  }
  point.compile_seconds = PositiveOf(json, "compile_seconds");
  point.dynamic = RangeOf(json, "dynamic", "dynamic_iqr");
  point.dynamic_compile_seconds = PositiveOf(json, "dynamic_compile_seconds");
  point.eager = PositiveOf(json, "eager");
  point.spread = SpreadOf(json);
  if (const Json* reference = FindMember(json, "reference")) {
    answer.drift = NumberMember(*reference, "drift");
  }
  if (!point.dynamic) answer.dynamic_why = TextMember(json, "dynamic_error");
  return answer;
}

Error ReadReadiness(const std::string& line, CurveReport& report) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (const std::string why = TextMember(json, "fatal"); !why.empty()) {
    return MakeError("no size can be timed: " + MakePrintable(why));
  }
  const Json* ready = FindMember(json, "ready");
  if (ready == nullptr) {
    return MakeError("what times the sizes does not say that it is ready: " + Shown(line));
  }
  report.device = TextMember(*ready, "device");
  report.torch = TextMember(*ready, "torch");
  return Error::success();
}

void CompareServing(const SizeHistogram& sizes, uint64_t steps, CurveReport& report) {
  using Point = CurveReport::Point;
  std::vector<int64_t> buckets = report.boundaries;
  if (buckets.empty()) {
    for (const Point& point : report.points) buckets.push_back(point.size);
  }
  const auto cost =
      ModelOf(report, [](const Point& point) { return std::optional(point.seconds.value); });
  if (!cost || sizes.calls == 0 || sizes.counts.back().sizes[0] > buckets.back()) return;
  // Below the smallest timed size, calls cost at most as much as there.
  const auto smallest = static_cast<double>(sizes.counts.front().sizes[0]);
  if (smallest * kNear < static_cast<double>(report.points.front().size)) return;
  const auto dynamic = ModelOf(report, [](const Point& point) {
    return point.dynamic ? std::optional(point.dynamic->value) : std::nullopt;
  });
  const auto eager = ModelOf(report, [](const Point& point) { return point.eager; });
  if (!dynamic && !eager) return;

  report.steps = steps;
  report.noise = NoiseOfPoints(report);
  const auto add = [&](std::string name, size_t compiles, double call,
                       std::optional<double> compile_seconds) {
    ServingTime way;
    way.name = std::move(name);
    way.compiles = compiles;
    way.call_seconds = call;
    if (compile_seconds) {
      way.compile_seconds = *compile_seconds * static_cast<double>(compiles);
      way.seconds = *way.compile_seconds + call * static_cast<double>(steps);
    }
    report.ways.push_back(std::move(way));
  };
  const auto bucket_of = [&](int64_t size) { return *std::ranges::lower_bound(buckets, size); };
  const auto own = [](int64_t size) { return size; };
  add(Counted(buckets.size(), "bucket"), buckets.size(), MeanOf(sizes, *cost, bucket_of),
      MedianOfPoints(report, &Point::compile_seconds));
  if (dynamic) {
    add("one dynamic graph", 1, MeanOf(sizes, *dynamic, own),
        MedianOfPoints(report, &Point::dynamic_compile_seconds));
    report.break_even_calls = CallsToBreakEven(report.ways[0], report.ways[1]);
  }
  if (eager) add("eager", 0, MeanOf(sizes, *eager, own), 0);
  const bool is_known = std::ranges::all_of(
      report.ways, [](const ServingTime& way) { return way.seconds.has_value(); });
  std::ranges::stable_sort(report.ways, [&](const ServingTime& a, const ServingTime& b) {
    return is_known ? *a.seconds < *b.seconds : a.call_seconds < b.call_seconds;
  });
}

}  // namespace shapewise
