#include "shapewise/result/tune_report.h"

namespace shapewise {

std::string_view TuneEndName(TuneEnd end) {
  switch (end) {
    case TuneEnd::kEnded:
      return "ended";
    case TuneEnd::kSteps:
      return "steps";
    case TuneEnd::kSeconds:
      return "seconds";
    case TuneEnd::kTimeout:
      return "timeout";
    case TuneEnd::kInterrupted:
      return "interrupted";
  }
  return {};
}

std::string_view TuneVerdictName(TuneVerdict verdict) {
  switch (verdict) {
    case TuneVerdict::kNotRun:
      return "not_run";
    case TuneVerdict::kBetter:
      return "better";
    case TuneVerdict::kNoChange:
      return "no_difference";
    case TuneVerdict::kMixed:
      return "mixed";
    case TuneVerdict::kWorse:
      return "worse";
    case TuneVerdict::kDifferent:
      return "results_differ";
    case TuneVerdict::kFailed:
      return "failed";
    case TuneVerdict::kNotApplied:
      return "not_applied";
  }
  return {};
}

std::string TuneCountsText(const TuneRun& run) {
  std::string text = std::to_string(run.compiles) + (run.compiles == 1 ? " compile" : " compiles");
  const auto add = [&](uint64_t count, const std::string& noun) {
    if (count == 0) return;
    text += ", " + std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  add(run.graph_breaks, "graph break");
  add(run.limit_hits, "limit hit");
  add(run.eager_calls, "eager call");
  add(run.errors, "error");
  return text;
}

}  // namespace shapewise
