// Redacts results of replay and tune. These run the program under its own names, so their results
// are redacted instead of their inputs: sentences of shapewise by the learned names, those of the
// program as messages.

#include <utility>

#include "redact/redact_calls.h"

namespace shapewise {
namespace {

/// Keeps the words of a policy, redacts its sources.
std::string RewritePolicyText(Redactor& redactor, const std::string& text) {
  Expected<PolicyChange> change = ParsePolicy(text);
  if (!change) {
    llvm::consumeError(change.takeError());
    return redactor.Rewrite(TextKind::kProse, text);
  }
  RedactChange(redactor, *change);
  return std::move(change->text);
}

void RewriteSentences(const Redactor& redactor, std::vector<std::string>& sentences) {
  for (std::string& sentence : sentences) sentence = redactor.RewriteCode(sentence);
}

void RewritePolicy(Redactor& redactor, ReplayedPolicy& policy) {
  policy.policy = RewritePolicyText(redactor, policy.policy);
  PolicyForecast& predicted = policy.predicted;
  predicted.why = redactor.RewriteCode(predicted.why);
  predicted.assumed = redactor.RewriteCode(predicted.assumed);
  RewriteSentences(redactor, predicted.traps);
  PolicyMeasurement& measured = policy.measured;
  redactor.Redact(TextKind::kProse, measured.error, measured.equal_why);
}

void RewriteRun(Redactor& redactor, TuneRun& run) {
  redactor.Redact(TextKind::kProse, run.error, run.problem, run.equal_why);
  redactor.Redact(TextKind::kPath, run.folder);
  for (TunedFunction& function : run.functions) {
    redactor.Redact(TextKind::kExpression, function.name);
  }
}

void RewriteTuned(Redactor& redactor, TunedAction& action) {
  action.policy = RewritePolicyText(redactor, action.policy);
  redactor.Redact(TextKind::kProse, action.why);
  for (RankedAction& part : action.parts) {
    part.policy = RewritePolicyText(redactor, part.policy);
    redactor.Redact(TextKind::kExpression, part.action.target.function);
    redactor.Redact(TextKind::kPath, part.action.target.file);
    part.action.text = redactor.RewriteCode(part.action.text);
    part.action.code = redactor.RewriteCode(part.action.code);
  }
  action.patches.clear();  // contains code
  if (action.run) RewriteRun(redactor, *action.run);
}

}  // namespace

void RedactTune(Redactor& redactor, TuneReport& report) {
  redactor.Redact(TextKind::kProse, report.command);
  redactor.Redact(TextKind::kPath, report.folder);
  RewriteRun(redactor, report.baseline);
  if (report.repeated) RewriteRun(redactor, *report.repeated);
  for (TunedAction& action : report.actions) RewriteTuned(redactor, action);
  if (report.confirmed_before) RewriteRun(redactor, *report.confirmed_before);
  if (report.confirmed) RewriteTuned(redactor, *report.confirmed);
  redactor.Redact(TextKind::kProse, report.gaps);
}

void RedactReplay(Redactor& redactor, size_t first_own, ReplayReport& report) {
  redactor.Redact(TextKind::kPath, report.script);
  redactor.Redact(TextKind::kExpression, report.function, report.where.function);
  redactor.Redact(TextKind::kPath, report.where.file);
  for (ReplayedPolicy& policy : report.policies) RewritePolicy(redactor, policy);
  for (size_t i = 0; i < report.gaps.size(); ++i) {
    std::string& gap = report.gaps[i];
    gap = i < first_own ? redactor.RewriteCode(gap) : redactor.Rewrite(TextKind::kProse, gap);
  }
}

void RedactCurve(Redactor& redactor, CurveReport& report) {
  redactor.Redact(TextKind::kExpression, report.dims, report.graph, report.symbol);
  RewriteSentences(redactor, report.gaps);
}

}  // namespace shapewise
