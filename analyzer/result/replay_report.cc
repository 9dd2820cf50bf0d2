#include "shapewise/result/replay_report.h"

namespace shapewise {

std::string_view ReplayVerdictName(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::kNotRun:
      return "not_run";
    case ReplayVerdict::kBaseline:
      return "baseline";
    case ReplayVerdict::kFaster:
      return "faster";
    case ReplayVerdict::kFewer:
      return "fewer_compiles";
    case ReplayVerdict::kNoChange:
      return "no_difference";
    case ReplayVerdict::kSlower:
      return "slower";
    case ReplayVerdict::kDifferent:
      return "results_differ";
    case ReplayVerdict::kFailed:
      return "failed";
  }
  return {};
}

bool IsKept(ReplayVerdict verdict) {
  return verdict == ReplayVerdict::kFaster || verdict == ReplayVerdict::kFewer;
}

}  // namespace shapewise
