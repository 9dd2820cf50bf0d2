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

RankWords WordsOf(const RankComparison& comparison) {
  RankWords words;
  const auto parting = std::ranges::find_if(comparison.divergences, IsParting);
  const bool has_parted = parting != comparison.divergences.end();
  const std::string records = Counted(comparison.agreed, "record");
  words.before = Capitalized(RanksText(comparison.ranks));
  if (!has_parted) {
    words.before += " compiled alike, as far as each log goes (" + records + ")";
  } else {
    words.before += comparison.agreed == 0 ? " have no record in common: "
                                           : " compiled alike at first (" + records + "), then ";
    words.parted = RanksText(parting->ranks) + " diverged";
    const std::string time = FormatLogTime(parting->action.time);
    if (!time.empty()) words.after = " at " + time;
    words.after += ": " + ActText(parting->action);
  }
  if (comparison.skew && comparison.skew->seconds >= kMinShownSkew) {
    const RankSkew& skew = *comparison.skew;
    words.after += "; largest skew " + SecondsText(skew.seconds) + " between the " +
                   (skew.of_ends ? "ends" : "beginnings") + " of " + ActText(skew.action) +
                   ", rank " + std::to_string(skew.last) + " last";
  }
  const auto wait = std::ranges::max_element(
      comparison.divergences, {},
      [](const RankDivergence& divergence) { return divergence.wait_seconds.value_or(0); });
  if (wait != comparison.divergences.end() && wait->wait_seconds) {
    const bool waits_for_others = wait->kind == DivergenceKind::kCache;
    words.after += "; " + RanksText(waits_for_others ? wait->actors : wait->others) + " waited " +
                   SecondsText(*wait->wait_seconds) + " (estimated)";
  }
  return words;
}

void AddRanks(const RankComparison& comparison, Document& page) {
  if (comparison.ranks.size() < 2) return;
  const RankWords words = WordsOf(comparison);
  page.Begin(0, 2).Add(words.before).Add(TextStyle::kStrong, words.parted).Add(words.after);
}

}  // namespace shapewise
