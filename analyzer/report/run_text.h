// A run in words: the first lines of a report, its steps, its ranks, the starts of its servers.

#ifndef SHAPEWISE_REPORT_RUN_TEXT_H_
#define SHAPEWISE_REPORT_RUN_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/session.h"
#include "report/document.h"
#include "result/finding.h"
#include "result/rank_divergence.h"
#include "result/server_report.h"
#include "result/step_report.h"

namespace shapewise {

/// The duration of a step: "112.0 ms" where SecondsText would print one digit.
std::string StepText(double seconds);

/// Adds step durations, the number of slow steps, and what they coincide with; nothing without
/// steps. Without --all, only the first few tracks.
void AddSteps(const StepReport& report, const Session& session, Document& page);

/// Adds how far the ranks agree, which rank diverges where and when, the largest skew, and the
/// longest estimated wait. Adds nothing if ranks were not compared.
void AddRanks(const RankComparison& comparison, Document& page);

/// Adds the time of each start by phase, one line per worker; nothing without a server. Without
/// --all, only the first few workers of each start.
void AddServer(const ServerReport& report, Document& page);

/// Joins phrases with a separator.
class Phrases {
 public:
  explicit Phrases(std::string_view separator) : separator_(separator) {}

  void Add(std::string_view phrase) {
    if (!text_.empty()) text_ += separator_;
    text_ += phrase;
  }
  /// Adds "3 recompiles"; nothing if `count` is 0.
  void AddCount(uint64_t count, std::string_view noun);
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string_view separator_;
  std::string text_;
};

struct SeverityCounts {
  uint64_t errors = 0;
  uint64_t warnings = 0;
  uint64_t notes = 0;
  uint64_t causes() const { return errors + warnings; }
};
SeverityCounts CountSeverities(const std::vector<Finding>& findings);

/// "2 causes (1 error, 1 warning) and 1 note: 14 recompiles, 2 graph breaks at 1 place"
std::string HeadlineText(const LintResult& result);

/// "53.2 s compiling: 2.91 s of it recompiles, 0.25 s traced in vain before graph breaks"
std::string CostText(const CompileCosts& costs);

/// "2 functions running eagerly since they hit their recompile limit"; empty for none.
std::string EagerHeadline(const std::vector<EagerFunction>& functions);

/// "forward (train.py:6), limit 8, with 2 resume functions of it"
std::string EagerText(const EagerFunction& function);

/// What is suppressed by the baseline.
std::string BaselineText(const BaselineUse& baseline);

/// What was read: "57 lines in 1 input; 10 compiles; ranks 0-1; fits torch 2.13". `with_reasons`:
/// also which lines show the release.
std::string RunText(const RunSummary& summary, const Session& session, bool with_reasons);

/// "Dynamo 0.28 s, AOT 1.79 s, Inductor 45.7 s (45.5 s of it generating code)"
std::string PhasesText(const PhaseSeconds& phases);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_RUN_TEXT_H_
