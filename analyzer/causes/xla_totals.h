// PyTorch/XLA's counters over a run: profiler lines and metrics reports.

#ifndef SHAPEWISE_CAUSES_XLA_TOTALS_H_
#define SHAPEWISE_CAUSES_XLA_TOTALS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "causes/count_series.h"
#include "model/event.h"
#include "model/session.h"

namespace shapewise {

/// One counter of one process.
struct XlaTotal {
  std::string metric;             ///< the name as printed last
  CountSeries by_steps;           ///< over steps
  CountSeries by_runs;            ///< over executions, for reports that do not count steps
  int64_t count = 0;              ///< in the last report
  bool rose = false;              ///< a report counts more than the one before
  bool is_frequent = false;       ///< PyTorch/XLA's profiler called it too frequent
  std::optional<double> seconds;  ///< accumulated, of the last report
  std::vector<size_t> events;
  uint64_t times = 0;  ///< number of events, including those that were only counted

  bool empty() const { return events.empty(); }
  /// The result of the better of the two series; of reports that count neither steps nor
  /// executions, their last count. `last_step` as for CountSeries::Fit.
  CountFit Fit(int64_t last_step) const;
  /// "step", or "run" where only by_runs is known.
  std::string_view unit() const { return by_steps.empty() ? "run" : "step"; }
};

/// The counters of one process, from its start to its end.
struct XlaProcess {
  uint32_t input = 0;
  int32_t rank = kNoRank;
  int64_t last_step = 0;  ///< highest step on any line of it
  XlaTotal compiles;      ///< CompileTime
  XlaTotal reads;         ///< TransferFromDeviceTime, TransferFromServerTime
  XlaTotal scalars;       ///< aten::_local_scalar_dense: .item() and similar calls
};

/// What the `xla_metric` event with `index` states.
inline const XlaMetricFact& MetricOf(const Session& session, size_t index) {
  return *session.detail(session.events()[index]).As<XlaMetricFact>();
}

/// Groups counters by process. A process whose steps start again counts as another one.
class XlaTotals {
 public:
  explicit XlaTotals(const Session& session) : session_(session) {}

  /// Adds an event of kind kXlaMetric. False: the counter is not tracked here.
  bool Add(size_t index);

  /// Ends the reports under way and gives the processes by rank and input, then in order.
  std::vector<XlaProcess> Finish();

 private:
  /// A metrics report: its entries follow one another, and no name comes twice.
  struct Report {
    std::map<std::string_view, size_t> entries;  ///< event by metric
  };
  struct Running {
    std::vector<XlaProcess> processes;  ///< the last one is still open
    Report report;
  };

  XlaProcess& At(Running& running, const ProcessKey& key, int64_t steps);
  void AddReport(Running& running, const ProcessKey& key);
  std::optional<int64_t> CountOf(const Report& report, std::string_view metric) const;

  const Session& session_;
  std::map<ProcessKey, Running> running_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_XLA_TOTALS_H_
