#include "result/tune_report.h"

#include "support/enum_name.h"
#include "support/text_list.h"

namespace shapewise {

std::string_view TuneEndName(TuneEnd end) {
  return EnumName<TuneEnd::kInterrupted>(end,
                                         {"ended", "steps", "seconds", "timeout", "interrupted"});
}

std::string_view TuneVerdictName(TuneVerdict verdict) {
  return EnumName<TuneVerdict::kNotApplied>(
      verdict, {"not_run", "better", "no_difference", "mixed", "worse", "results_differ", "failed",
                "not_applied"});
}

std::string TuneCountsText(const TuneRun& run) {
  std::string text = Counted(run.compiles, "compile");
  const auto add = [&](uint64_t count, const std::string& noun) {
    if (count == 0) return;
    text += ", " + Counted(count, noun);
  };
  add(run.graph_breaks, "graph break");
  add(run.limit_hits, "limit hit");
  add(run.eager_calls, "eager call");
  add(run.errors, "error");
  return text;
}

}  // namespace shapewise
