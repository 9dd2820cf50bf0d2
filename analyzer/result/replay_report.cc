#include "result/replay_report.h"

#include "support/enum_name.h"

namespace shapewise {

std::string_view ReplayVerdictName(ReplayVerdict verdict) {
  return EnumName<ReplayVerdict::kFailed>(
      verdict, {"not_run", "baseline", "faster", "fewer_compiles", "no_difference", "slower",
                "results_differ", "failed"});
}

bool IsKept(ReplayVerdict verdict) {
  return verdict == ReplayVerdict::kFaster || verdict == ReplayVerdict::kFewer;
}

}  // namespace shapewise
