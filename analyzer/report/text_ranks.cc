#include "report/text_ranks.h"

#include <algorithm>
#include <string>

#include "report/text_finding.h"

namespace shapewise {
namespace {

// Smaller differences between ranks are ordinary variation.
constexpr double kMinShownSkew = 0.1;

bool IsParting(const RankDivergence& divergence) {
  switch (divergence.kind) {
    case DivergenceKind::kRecompile:
    case DivergenceKind::kBreak:
    case DivergenceKind::kOrder:
    case DivergenceKind::kPrograms:
      return true;
    default:
      return false;
  }
}

std::string ActText(const RankAction& action) {
  const std::string& function =
      action.where.function.empty() ? action.user.function : action.where.function;
  std::string text = function.empty() ? action.what : function;
  if (!action.compile_id.empty()) text += " (" + action.compile_id + ")";
  return text;
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text.front() == 'r') text.front() = 'R';
  return text;
}

}  // namespace

void AddRanks(const RankComparison& comparison, Document& page) {
  if (comparison.ranks.size() < 2) return;
  page.Begin(0, 2).Add(Capitalized(RanksText(comparison.ranks)));
  const auto parting = std::ranges::find_if(comparison.divergences, IsParting);
  const std::string records = Counted(comparison.agreed, "record");
  if (parting == comparison.divergences.end()) {
    page.Add(" compiled alike, as far as each log goes (" + records + ")");
  } else {
    page.Add(comparison.agreed == 0 ? " have no record in common: "
                                    : " compiled alike at first (" + records + "), then ");
    page.Add(TextStyle::kStrong, RanksText(parting->ranks) + " diverged");
    const std::string time = FormatLogTime(parting->action.time);
    page.Add((time.empty() ? "" : " at " + time) + ": " + ActText(parting->action));
  }
  if (comparison.skew && comparison.skew->seconds >= kMinShownSkew) {
    const RankSkew& skew = *comparison.skew;
    page.Add("; largest skew " + SecondsText(skew.seconds) + " between the " +
             (skew.of_ends ? "ends" : "beginnings") + " of " + ActText(skew.action) + ", rank " +
             std::to_string(skew.last) + " last");
  }
  const auto wait = std::ranges::max_element(
      comparison.divergences, {},
      [](const RankDivergence& divergence) { return divergence.wait_seconds.value_or(0); });
  if (wait != comparison.divergences.end() && wait->wait_seconds) {
    const bool waits_for_others = wait->kind == DivergenceKind::kCache;
    page.Add("; " + RanksText(waits_for_others ? wait->actors : wait->others) + " waited " +
             SecondsText(*wait->wait_seconds) + " (estimated)");
  }
}

}  // namespace shapewise
