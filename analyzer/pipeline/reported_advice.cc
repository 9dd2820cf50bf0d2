#include "pipeline/reported_advice.h"

#include <utility>

namespace shapewise {

std::string CallerInside(const Cause& cause) {
  return cause.calls_compiled ? std::string() : cause.caller;
}

bool FollowsFromBreak(const ReportedCause& one) {
  if (one.finding.advice.empty()) return false;
  const bool is_skipped = one.cause.kind == CauseKind::kSkippedFrame;
  const bool is_recompile = one.cause.kind == CauseKind::kRecompile;
  return is_skipped || (is_recompile && one.finding.advice.front().kind == "fix_break");
}

Action NewAction(std::string_view kind, std::string text) {
  Action action;
  action.kind = kind;
  action.torch = ">=2.0";
  action.confidence = 0.9;
  action.text = std::move(text);
  return action;
}

void PutBefore(Finding& finding, Action action) {
  if (!finding.advice.empty()) action.evidence = finding.advice.front().evidence;
  finding.advice.insert(finding.advice.begin(), std::move(action));
}

}  // namespace shapewise
