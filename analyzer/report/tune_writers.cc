#include "report/tune_writers.h"

#include "report/text_finding.h"

namespace shapewise {

std::span<const TuneFormat> TuneFormats() {
  static constexpr auto formats =
      DocumentFormats<TuneReport>::FormatsOf<DescribeTune>(TuneFormat{"json", WriteTuneJson});
  return formats;
}

std::string TuneVerdictText(const TuneReport& report) {
  const TuneRun& base = report.baseline;
  if (base.calls == 0) return "No function compiled by torch.compile was called.";
  if (!report.best) {
    return report.is_interrupted ? "Interrupted: no action helped so far."
                                 : "No action helps: " + TuneCountsText(base) + ".";
  }
  const TunedAction& best = report.actions[*report.best];
  return "Best: " + best.policy + ": " + best.why + ".";
}

std::string PasteText(const RankedAction& part) {
  if (part.action.code.empty()) return ":";
  const Place& target = part.action.target;
  std::string function = "the compiled function";
  if (!target.function.empty()) {
    const std::string place = PlaceText(target);
    function = target.function + (place.empty() ? "" : " (" + place + ")");
  }
  switch (part.at) {
    case PasteAt::kEnvironment:
      return " Set in the environment:";
    case PasteAt::kConfig:
      return " Paste before the first compile:";
    case PasteAt::kCompileCall:
      return " Paste as an argument of torch.compile" +
             (target.function.empty() ? "" : " of " + function) + ":";
    case PasteAt::kBeforeCall:
      return " Paste before each call of " + function + ":";
    case PasteAt::kDecorator:
      return " Paste above " + function + ":";
    case PasteAt::kByHand:
      break;
  }
  return " In the code:";
}

}  // namespace shapewise
