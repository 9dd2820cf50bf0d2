#include "causes/xla_totals.h"

#include <algorithm>
#include <iterator>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// The total in which `metric` is counted; null if it is not tracked.
XlaTotal XlaProcess::* TotalOf(std::string_view metric) {
  if (metric == "CompileTime") return &XlaProcess::compiles;
  if (metric == "TransferFromDeviceTime") return &XlaProcess::reads;
  if (metric == "TransferFromServerTime") return &XlaProcess::reads;  // before 2.0
  if (metric == "aten::_local_scalar_dense") return &XlaProcess::scalars;
  return nullptr;
}

}  // namespace

CountFit XlaTotal::Fit(int64_t last_step) const {
  if (!by_steps.empty()) return by_steps.Fit(last_step);
  if (!by_runs.empty()) return by_runs.Fit(/*last_step=*/0);
  return {.is_rising = rose, .rate = {}, .count = count};
}

/// The process being read; starts another one if `steps` shows a restart.
XlaProcess& XlaTotals::At(Running& running, const ProcessKey& key, int64_t steps) {
  const bool is_restart =
      running.processes.empty() || steps < running.processes.back().last_step / 2;
  if (is_restart) {
    running.processes.emplace_back();
    running.processes.back().input = key.input;
    running.processes.back().rank = key.rank;
  }
  XlaProcess& process = running.processes.back();
  process.last_step = std::max(process.last_step, steps);
  return process;
}

std::optional<int64_t> XlaTotals::CountOf(const Report& report, std::string_view metric) const {
  const auto entry = report.entries.find(metric);
  if (entry == report.entries.end()) return std::nullopt;
  return MetricOf(session_, entry->second).count;
}

void XlaTotals::AddReport(Running& running, const ProcessKey& key) {
  const std::optional<int64_t> steps = CountOf(running.report, "MarkStep");
  const std::optional<int64_t> runs = CountOf(running.report, "ExecuteTime");
  for (const auto& [name, index] : running.report.entries) {
    const XlaMetricFact& metric = MetricOf(session_, index);
    XlaTotal XlaProcess::* const which = TotalOf(name);
    if (which == nullptr) continue;
    const int64_t last = running.processes.empty() ? 0 : running.processes.back().last_step;
    XlaTotal& total = At(running, key, steps.value_or(last)).*which;
    total.metric = name;
    total.events.push_back(index);
    total.times += session_.events()[index].times();
    if (metric.seconds) total.seconds = metric.seconds;
    total.rose |= total.count > 0 && *metric.count > total.count;
    total.count = *metric.count;
    if (steps) total.by_steps.Add(*steps, *metric.count);
    if (runs) total.by_runs.Add(*runs, *metric.count);
  }
  running.report.entries.clear();
}

bool XlaTotals::Add(size_t index) {
  const Event& event = session_.events()[index];
  const XlaMetricFact& fact = MetricOf(session_, index);
  if (!fact.count) return false;
  const ProcessKey key = ProcessOf(event);
  Running& running = running_[key];
  const std::string_view metric = session_.text(fact.metric);
  if (!fact.steps) {
    // An entry of a report: its meaning is known only at the end of the report.
    if (running.report.entries.contains(metric)) AddReport(running, key);
    running.report.entries.emplace(metric, index);
    return TotalOf(metric) != nullptr;
  }
  AddReport(running, key);
  XlaProcess& process = At(running, key, *fact.steps);
  XlaTotal XlaProcess::* const which = TotalOf(metric);
  if (which == nullptr) return false;
  XlaTotal& total = process.*which;
  total.metric = metric;
  total.is_frequent = true;
  total.events.push_back(index);
  total.times += event.times();
  total.by_steps.Add(*fact.steps, *fact.count);
  return true;
}

std::vector<XlaProcess> XlaTotals::Finish() {
  std::vector<XlaProcess> all;
  for (auto& [key, running] : running_) {
    AddReport(running, key);
    std::move(running.processes.begin(), running.processes.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace shapewise
