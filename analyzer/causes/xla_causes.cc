#include "causes/find_causes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "causes/xla_places.h"
#include "causes/xla_totals.h"
#include "causes/xla_trouble.h"
#include "support/enum_name.h"

namespace shapewise {

std::string_view XlaTroubleName(XlaTrouble trouble) {
  return EnumName<XlaTrouble::kReport>(
      trouble,
      {"growing-graph", "graph-each-step", "several-graphs", "early-access", "rare-access",
       "unexpected-run", "pending-input", "compiles-grow", "compiles-rise", "compiles-unclear",
       "compiles-rare", "compiles-stopped", "host-reads", "not-lowered", "slow-compile", "report"});
}

XlaTrouble XlaTroubleFamily(XlaTrouble trouble) {
  switch (trouble) {
    case XlaTrouble::kGrowingGraph:
    case XlaTrouble::kSeveralGraphs:
      return XlaTrouble::kGraphEachStep;
    case XlaTrouble::kRareAccess:
      return XlaTrouble::kEarlyAccess;
    case XlaTrouble::kCompilesRise:
    case XlaTrouble::kCompilesUnclear:
    case XlaTrouble::kCompilesRare:
    case XlaTrouble::kCompilesStopped:
      return XlaTrouble::kCompilesGrow;
    default:
      return trouble;
  }
}

std::string_view XlaTroubleFamily(std::string_view word) {
  for (size_t i = 0; i < kNumXlaTroubles; ++i) {
    const XlaTrouble trouble = static_cast<XlaTrouble>(i);
    if (XlaTroubleName(trouble) == word) return XlaTroubleName(XlaTroubleFamily(trouble));
  }
  return word;
}

namespace {

constexpr size_t kManyGraphs = 3;      // graphs of one line that explain a growing total
constexpr size_t kSeveralGraphs = 4;   // graphs of one line that are worth reporting by themselves
constexpr double kEachStepRate = 0.3;  // compilations per execution, in the later half
// Executions at the ends of steps before others count as rare.
constexpr uint64_t kMinStepRuns = 10;
constexpr uint64_t kRareShare = 10;       // one in this many
constexpr int64_t kMinStepsForRate = 20;  // in a report, before its average is meaningful
// Share of all compilations, before the line is charged with the whole cost.
constexpr double kMostCompiles = 0.8;

/// "2.1", "0.35", "0.012": two significant digits.
std::string RateText(double rate, std::string_view unit) {
  std::array<char, 32> text{};
  const int decimals = rate >= 1 ? 1 : rate >= 0.1 ? 2 : 3;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, rate);
  return std::string(text.data()).append(" a ").append(unit);
}

void AddEvents(const std::vector<size_t>& events, Cause& cause) {
  cause.events.insert(cause.events.end(), events.begin(), events.end());
}

void AddSeconds(std::optional<double> seconds, Cause& cause) {
  if (seconds) cause.cost_seconds = cause.cost_seconds.value_or(0) + *seconds;
}

void SetFact(Cause& cause, std::string_view name, std::string text) {
  const auto found = std::find_if(cause.facts.begin(), cause.facts.end(),
                                  [name](const auto& fact) { return fact.first == name; });
  if (found != cause.facts.end()) {
    found->second = std::move(text);
  } else {
    cause.facts.emplace_back(name, std::move(text));
  }
}

/// Sets the facts about a total and how fast it rises.
void SetFacts(Cause& cause, const XlaTotal& total, const CountFit& fit) {
  cause.amount = fit.count;
  if (fit.steps > 0) {
    SetFact(cause, "steps", std::to_string(fit.steps).append(" ").append(total.unit()).append("s"));
    SetFact(cause, "since",
            std::string(total.unit()).append(" ").append(std::to_string(fit.since)));
  }
  if (fit.rate) SetFact(cause, "rate", RateText(*fit.rate, total.unit()));
}

/// Whether the compilations of reports are worth a look, though they do not say over how many
/// steps: they took minutes, are more than a program has different steps, or rose in between.
bool AreMany(const XlaTotal& compiles, const CountFit& fit) {
  constexpr double kMinSeconds = 120;
  constexpr int64_t kMinPrograms = 100;
  return compiles.seconds.value_or(0) >= kMinSeconds || fit.count >= kMinPrograms ||
         (fit.steps == 0 && fit.is_rising);
}

/// The trouble of one process's compilations; kReport: none.
XlaTrouble TroubleOf(const XlaTotal& compiles, const CountFit& fit) {
  const bool is_frequent = compiles.is_frequent || (fit.steps >= kMinStepsForRate && fit.rate &&
                                                    *fit.rate >= kFrequentRate);
  switch (fit.trend) {
    case CountTrend::kGrowing:
      return XlaTrouble::kCompilesGrow;
    case CountTrend::kRare:
      return XlaTrouble::kCompilesRare;
    case CountTrend::kStopped:
      return compiles.is_frequent ? XlaTrouble::kCompilesStopped : XlaTrouble::kReport;
    case CountTrend::kUnclear:
      if (!is_frequent && AreMany(compiles, fit)) return XlaTrouble::kCompilesUnclear;
      if (!is_frequent) return XlaTrouble::kReport;
      return fit.is_rising ? XlaTrouble::kCompilesRise : XlaTrouble::kCompilesUnclear;
  }
  return XlaTrouble::kReport;
}

bool AreFrequentReads(const XlaTotal& reads, const CountFit& fit) {
  if (fit.trend == CountTrend::kStopped || fit.trend == CountTrend::kRare) return false;
  if (reads.is_frequent || fit.trend == CountTrend::kGrowing) return true;
  return fit.steps >= kMinStepsForRate && fit.rate && *fit.rate >= kFrequentRate;
}

/// Blocks and counters of one process: the rank may be known for only one of them.
bool IsSameProcess(const XlaPlace& place, const XlaProcess& process) {
  return std::any_of(place.processes.begin(), place.processes.end(), [&process](const auto& key) {
    return key.input == process.input &&
           (key.rank == process.rank || key.rank == kNoRank || process.rank == kNoRank);
  });
}

/// A line of user code and its problem.
struct Line {
  const XlaPlace* place = nullptr;
  XlaTrouble trouble = XlaTrouble::kReport;
  Cause cause;
};

class XlaFolder {
 public:
  explicit XlaFolder(const Session& session)
      : session_(session), places_(session), totals_(session) {}

  void Add(size_t index);
  std::vector<Cause> Finish();

 private:
  void AddMetric(size_t index);
  void JudgeLines();
  XlaTrouble JudgeStepEnd(const XlaPlace& place) const;
  XlaTrouble JudgeAccess(const XlaPlace& place) const;
  CountTrend CompileTrendAt(const XlaPlace& place) const;
  bool HasMostGraphs(const XlaPlace& place) const;
  Line* LineOf(const XlaProcess& process, std::initializer_list<XlaTrouble> troubles,
               size_t min_graphs);
  void AddCompileCauses();
  void AddCompiles(Line& line, const XlaProcess& process, XlaTrouble trouble, const CountFit& fit);
  void AddReadCauses();
  void AddOtherCauses();
  void AddCause(XlaTrouble trouble, Cause cause);
  void AddRemainingEvents();
  uint64_t TimesOf(const std::vector<size_t>& events) const;

  const Session& session_;
  XlaPlaces places_;
  XlaTotals totals_;
  std::vector<XlaProcess> processes_;
  std::vector<Line> lines_;
  std::vector<size_t> all_;             // all XLA events
  std::vector<size_t> not_lowered_;     // events
  std::vector<size_t> slow_compiles_;   // events
  std::vector<size_t> pending_inputs_;  // events
  std::vector<Cause> causes_;
};

void XlaFolder::Add(size_t index) {
  switch (session_.detail(session_.events()[index]).kind()) {
    case EventKind::kXlaCompile:
    case EventKind::kXlaExecution:
      places_.Add(index);
      break;
    case EventKind::kXlaMetric:
      AddMetric(index);
      break;
    default:
      return;
  }
  all_.push_back(index);
}

uint64_t XlaFolder::TimesOf(const std::vector<size_t>& events) const {
  uint64_t times = 0;
  for (const size_t index : events) times += session_.events()[index].times();
  return times;
}

void XlaFolder::AddMetric(size_t index) {
  const XlaMetricFact& fact = MetricOf(session_, index);
  const std::string_view metric = session_.text(fact.metric);
  if (totals_.Add(index)) return;
  if (metric == "not_lowered" || metric.starts_with("aten::")) {
    not_lowered_.push_back(index);
  } else if (metric == "CompileTime" && fact.seconds) {
    slow_compiles_.push_back(index);
  } else if (metric == "DynamoSyncInputExecuteTime") {
    pending_inputs_.push_back(index);
  }
}

/// The compile trend of the process that `place` ran in; the worst of several.
CountTrend XlaFolder::CompileTrendAt(const XlaPlace& place) const {
  CountTrend worst = CountTrend::kUnclear;
  for (const XlaProcess& process : processes_) {
    if (process.compiles.empty() || !IsSameProcess(place, process)) continue;
    worst = std::max(worst, process.compiles.Fit(process.last_step).trend);
  }
  return worst;
}

bool XlaFolder::HasMostGraphs(const XlaPlace& place) const {
  return std::all_of(lines_.begin(), lines_.end(), [&place](const Line& line) {
    return line.place->NumGraphs() <= place.NumGraphs();
  });
}

XlaTrouble XlaFolder::JudgeStepEnd(const XlaPlace& place) const {
  const std::optional<double> late_rate = place.LateRate();
  const CountTrend trend = CompileTrendAt(place);
  const bool has_stopped = late_rate ? *late_rate == 0 : trend == CountTrend::kStopped;
  if (has_stopped) return XlaTrouble::kReport;
  if (place.IsGrowing()) return XlaTrouble::kGrowingGraph;
  const bool is_each_step = late_rate ? *late_rate >= kEachStepRate
                                      : trend == CountTrend::kGrowing && HasMostGraphs(place);
  if (is_each_step && place.NumGraphs() >= kManyGraphs) return XlaTrouble::kGraphEachStep;
  if (place.NumGraphs() >= kSeveralGraphs) return XlaTrouble::kSeveralGraphs;
  return XlaTrouble::kReport;
}

XlaTrouble XlaFolder::JudgeAccess(const XlaPlace& place) const {
  uint64_t step_runs = 0;
  for (const Line& line : lines_) {
    if (line.place->trigger == XlaTrigger::kStepEnd) step_runs += line.place->executions;
  }
  // Without execution blocks, a line is visible only when it compiles, however often it runs.
  const bool is_rare = place.executions > 0 && step_runs >= kMinStepRuns &&
                       place.executions * kRareShare <= step_runs;
  return is_rare ? XlaTrouble::kRareAccess : XlaTrouble::kEarlyAccess;
}

void XlaFolder::JudgeLines() {
  for (const XlaPlace& place : places_.places()) lines_.push_back({&place, {}, {}});
  for (Line& line : lines_) {
    const XlaPlace& place = *line.place;
    switch (place.trigger) {
      case XlaTrigger::kStepEnd:
        line.trouble = JudgeStepEnd(place);
        break;
      case XlaTrigger::kValueAccess:
        line.trouble = JudgeAccess(place);
        break;
      case XlaTrigger::kDynamoInput:
        line.trouble = XlaTrouble::kPendingInput;
        break;
      case XlaTrigger::kInsideWhole:
        line.trouble = XlaTrouble::kUnexpectedRun;
        break;
    }
    Cause& cause = line.cause;
    cause.where = cause.user = place.where;
    cause.message = place.cause;
    cause.count = std::max(place.compiles, place.executions);
    cause.fatal = place.trigger == XlaTrigger::kInsideWhole;
    cause.events = place.events;
    cause.distinct_values = place.graphs.size();
    if (line.trouble == XlaTrouble::kGrowingGraph) {
      cause.values = place.InputTexts();
      cause.distinct_values = std::set(cause.values.begin(), cause.values.end()).size();
      cause.pattern = ValuePattern::kGrowing;
    }
    if (cause.values.size() > kMaxCauseValues) cause.values.resize(kMaxCauseValues);
    SetFact(cause, "access", place.access);
    cause.has_unseen_values = place.kept_compiles < place.compiles;
    SetFact(cause, "graphs",
            (cause.has_unseen_values ? "at least " : "") + std::to_string(place.graphs.size()));
    if (const auto rate = place.LateRate()) SetFact(cause, "rate", RateText(*rate, "run"));
  }
}

/// The line of `process` with one of these troubles and the most graphs; null if not found.
Line* XlaFolder::LineOf(const XlaProcess& process, std::initializer_list<XlaTrouble> troubles,
                        size_t min_graphs) {
  Line* most = nullptr;
  for (Line& line : lines_) {
    if (std::find(troubles.begin(), troubles.end(), line.trouble) == troubles.end()) continue;
    if (!IsSameProcess(*line.place, process) || line.place->NumGraphs() < min_graphs) continue;
    if (most == nullptr || line.place->NumGraphs() > most->place->NumGraphs()) most = &line;
  }
  return most;
}

/// The compilations of `process` come from `line`: report both in one finding.
void XlaFolder::AddCompiles(Line& line, const XlaProcess& process, XlaTrouble trouble,
                            const CountFit& fit) {
  const XlaTotal& compiles = process.compiles;
  AddEvents(compiles.events, line.cause);
  if (trouble == XlaTrouble::kCompilesGrow) SetFacts(line.cause, compiles, fit);
  const bool made_most = static_cast<double>(line.place->NumGraphs()) >=
                         kMostCompiles * static_cast<double>(fit.count);
  if (made_most) AddSeconds(compiles.seconds, line.cause);
}

void XlaFolder::AddCompileCauses() {
  struct Unexplained {
    XlaTrouble trouble;
    CountFit fit;
    const XlaProcess* process;
  };
  std::optional<Unexplained> worst;
  Cause cause;
  for (const XlaProcess& process : processes_) {
    if (process.compiles.empty()) continue;
    const CountFit fit = process.compiles.Fit(process.last_step);
    const XlaTrouble trouble = TroubleOf(process.compiles, fit);
    if (trouble == XlaTrouble::kReport) continue;
    Line* line = nullptr;
    if (trouble != XlaTrouble::kCompilesStopped) {
      line = LineOf(process,
                    {XlaTrouble::kGrowingGraph, XlaTrouble::kGraphEachStep,
                     XlaTrouble::kEarlyAccess, XlaTrouble::kPendingInput},
                    kManyGraphs);
    }
    if (line != nullptr) {
      AddCompiles(*line, process, trouble, fit);
      continue;
    }
    // A line with several graphs is the place to look at, though it does not explain all
    // compilations.
    if (Line* several = LineOf(process, {XlaTrouble::kSeveralGraphs}, kSeveralGraphs)) {
      cause.where = cause.user = several->place->where;
      AddEvents(several->place->events, cause);
      several->trouble = XlaTrouble::kReport;
    }
    AddEvents(process.compiles.events, cause);
    cause.count += process.compiles.times;
    AddSeconds(process.compiles.seconds, cause);
    const auto badness = [](const Unexplained& one) {
      return std::pair(-static_cast<int>(one.trouble), one.fit.rate.value_or(0));
    };
    const Unexplained one = {trouble, fit, &process};
    if (!worst || badness(one) > badness(*worst)) worst = one;
  }
  if (!worst) return;
  cause.type = worst->process->compiles.metric;
  SetFacts(cause, worst->process->compiles, worst->fit);
  AddCause(worst->trouble, std::move(cause));
}

void XlaFolder::AddReadCauses() {
  Cause cause;
  for (const XlaProcess& process : processes_) {
    const XlaTotal& reads = process.reads.empty() ? process.scalars : process.reads;
    if (reads.empty()) continue;
    const CountFit fit = reads.Fit(process.last_step);
    if (!AreFrequentReads(reads, fit)) continue;
    const auto num_accesses = std::count_if(lines_.begin(), lines_.end(), [&](const Line& line) {
      return line.trouble == XlaTrouble::kEarlyAccess && IsSameProcess(*line.place, process);
    });
    // If only one line looks at values, the reads come from it.
    if (num_accesses == 1) {
      Cause& access = LineOf(process, {XlaTrouble::kEarlyAccess}, 0)->cause;
      AddEvents(process.reads.events, access);
      AddEvents(process.scalars.events, access);
      continue;
    }
    if (fit.count > cause.amount.value_or(-1)) {
      SetFacts(cause, reads, fit);
      cause.type = reads.metric;
    }
    AddEvents(process.reads.events, cause);
    AddEvents(process.scalars.events, cause);
    cause.count += process.reads.times + process.scalars.times;
  }
  if (cause.count > 0) AddCause(XlaTrouble::kHostReads, std::move(cause));
}

void XlaFolder::AddOtherCauses() {
  if (!not_lowered_.empty()) {
    Cause cause;
    cause.type = "not_lowered";
    std::set<StrId> seen;
    for (const size_t index : not_lowered_) {
      const XlaMetricFact& fact = MetricOf(session_, index);
      std::vector<StrId> ops = fact.ops;
      if (ops.empty() && session_.text(fact.metric).starts_with("aten::")) {
        ops.push_back(fact.metric);
      }
      for (const StrId op : ops) {
        if (!seen.insert(op).second || seen.size() > kMaxCauseValues) continue;
        cause.values.emplace_back(session_.text(op));
      }
      if (fact.count) cause.amount = std::max(cause.amount.value_or(0), *fact.count);
    }
    cause.distinct_values = seen.size();
    cause.events = not_lowered_;
    cause.count = TimesOf(not_lowered_);
    AddCause(XlaTrouble::kNotLowered, std::move(cause));
  }
  if (!slow_compiles_.empty()) {
    Cause cause;
    cause.type = "CompileTime";
    for (const size_t index : slow_compiles_) {
      const double seconds = *MetricOf(session_, index).seconds;
      cause.cost_seconds = std::max(cause.cost_seconds.value_or(0), seconds);
    }
    SetFact(cause, "seconds", std::to_string(static_cast<int64_t>(*cause.cost_seconds)));
    cause.events = slow_compiles_;
    cause.count = TimesOf(slow_compiles_);
    AddCause(XlaTrouble::kSlowCompile, std::move(cause));
  }
  if (pending_inputs_.empty()) return;
  Cause pending;
  pending.type = "DynamoSyncInputExecuteTime";
  for (const size_t index : pending_inputs_) {
    const std::optional<int64_t> count = MetricOf(session_, index).count;
    if (count) pending.amount = std::max(pending.amount.value_or(0), *count);
  }
  const auto line = std::find_if(lines_.begin(), lines_.end(), [](const Line& one) {
    return one.trouble == XlaTrouble::kPendingInput;
  });
  if (line != lines_.end()) {
    line->cause.amount = pending.amount;
    AddEvents(pending_inputs_, line->cause);
    return;
  }
  pending.events = pending_inputs_;
  pending.count = static_cast<uint64_t>(pending.amount.value_or(1));
  AddCause(XlaTrouble::kPendingInput, std::move(pending));
}

void XlaFolder::AddCause(XlaTrouble trouble, Cause cause) {
  cause.kind = CauseKind::kXla;
  cause.why = XlaTroubleName(trouble);
  cause.display_function = cause.where.function;
  std::sort(cause.events.begin(), cause.events.end());
  cause.events.erase(std::unique(cause.events.begin(), cause.events.end()), cause.events.end());
  std::set<int32_t> ranks;
  for (const size_t index : cause.events) {
    const int32_t rank = session_.events()[index].rank;
    if (rank != kNoRank) ranks.insert(rank);
  }
  cause.ranks.assign(ranks.begin(), ranks.end());
  std::erase_if(cause.facts, [](const auto& fact) { return fact.second.empty(); });
  std::sort(cause.facts.begin(), cause.facts.end());
  causes_.push_back(std::move(cause));
}

/// Adds the remaining events, which no cause contains.
void XlaFolder::AddRemainingEvents() {
  std::set<size_t> assigned;
  for (const Cause& cause : causes_) assigned.insert(cause.events.begin(), cause.events.end());
  Cause report;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(report.events),
               [&assigned](size_t index) { return !assigned.contains(index); });
  if (report.events.empty()) return;
  report.count = TimesOf(report.events);
  AddCause(XlaTrouble::kReport, std::move(report));
}

std::vector<Cause> XlaFolder::Finish() {
  processes_ = totals_.Finish();
  JudgeLines();
  AddCompileCauses();
  AddReadCauses();
  AddOtherCauses();
  for (Line& line : lines_) {
    if (line.trouble != XlaTrouble::kReport) AddCause(line.trouble, std::move(line.cause));
  }
  AddRemainingEvents();
  return std::move(causes_);
}

}  // namespace

std::vector<Cause> FoldXla(const Session& session, const std::vector<size_t>& order) {
  XlaFolder folder(session);
  for (const size_t index : order) folder.Add(index);
  return folder.Finish();
}

}  // namespace shapewise
