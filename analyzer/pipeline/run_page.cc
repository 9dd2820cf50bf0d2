#include "pipeline/run_page.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "dynamo/policy_text.h"
#include "dynamo/run_function.h"
#include "guards/guard_cost.h"
#include "pipeline/predict.h"
#include "pipeline/run_inputs.h"

namespace shapewise {
namespace {

using RunFunctions = std::vector<std::unique_ptr<RunFunction>>;

constexpr std::string_view kUsualPolicies[] = {"dynamic=True", "dynamic=False", "limit 64"};
constexpr size_t kMaxAdvisedPolicies = 3;
constexpr size_t kMaxGuardRows = 24;

/// `action` as a what-if; empty: the simulator does not support it.
std::string PolicyOf(const Action& action) {
  if (action.kind != "mark_dynamic" || action.source.empty() || action.dim < 0) return {};
  return "mark_dynamic(" + action.source + ", " + std::to_string(action.dim) + ")";
}

/// Whether `change` applies to some function of the run.
bool FitsSomewhere(const PolicyChange& change, const RunFunctions& functions) {
  return std::ranges::any_of(functions, [&](const std::unique_ptr<RunFunction>& function) {
    return !function->history.calls.empty() &&
           ApplyPolicy(change, function->policy, function->history).unmatched.empty();
  });
}

/// The what-ifs of a page: general ones first, then those in the advice.
std::vector<PolicyChange> PoliciesOf(const std::vector<Finding>& findings,
                                     const RunFunctions& functions) {
  std::vector<PolicyChange> policies;
  const auto add = [&policies](std::string_view text) {
    Expected<PolicyChange> change = ParsePolicy(text);
    if (change) return policies.push_back(std::move(*change));
    llvm::consumeError(change.takeError());  // a source that cannot be written in Python
  };
  for (const std::string_view text : kUsualPolicies) add(text);
  const size_t most = policies.size() + kMaxAdvisedPolicies;
  for (const Finding& finding : findings) {
    for (const Action& action : finding.advice) {
      const std::string text = PolicyOf(action);
      if (text.empty() || policies.size() == most) continue;
      const size_t before = policies.size();
      add(text);
      if (policies.size() == before) continue;
      const std::string& written = policies.back().text;
      const bool is_known =
          std::any_of(policies.begin(), policies.end() - 1,
                      [&](const PolicyChange& other) { return other.text == written; });
      if (is_known || !FitsSomewhere(policies.back(), functions)) policies.pop_back();
    }
  }
  return policies;
}

/// The functions and data loaders whose sizes are shown.
std::vector<CalledSizes> SizesOf(const RunFunctions& functions, const RecordedFunctions& recorded,
                                 const RecordedFunctions& batches) {
  const auto is_ordered = [](const std::unique_ptr<RecordedFunction>& function) {
    return function->unordered_calls == 0;
  };
  const bool are_ordered = std::ranges::all_of(recorded, is_ordered);
  std::vector<CalledSizes> sizes;
  for (const std::unique_ptr<RunFunction>& function : functions) {
    const bool is_recorded = function->origin == HistoryOrigin::kCalls;
    sizes.push_back({function->where, &function->history, is_recorded, !is_recorded || are_ordered,
                     function->history.is_lower_bound});
  }
  for (const std::unique_ptr<RecordedFunction>& loader : batches) {
    sizes.push_back({{loader->function, loader->file, loader->line},
                     &loader->history,
                     /*is_recorded=*/true,
                     is_ordered(loader),
                     loader->dropped_calls > 0});
  }
  return sizes;
}

}  // namespace

RunPage MakeRunPage(const Session& session, const std::vector<Finding>& findings,
                    RecordedFunctions recorded) {
  RunPage page;
  // Batches of a loader have sizes, but are not compiled.
  const auto loaders = std::ranges::stable_partition(
      recorded, [](const auto& function) { return function->is_compiled; });
  const RecordedFunctions batches(std::make_move_iterator(loaders.begin()),
                                  std::make_move_iterator(loaders.end()));
  recorded.erase(loaders.begin(), loaders.end());
  const RunFunctions functions = FunctionsOfRun(session, recorded);

  // Simulate the calls unchanged and with other settings.
  RunPredictionOptions options;
  options.policies = PoliciesOf(findings, functions);
  options.simulator.assume_no_questions = true;
  if (Error error = PredictFunctions(options, functions,
                                     LinkFunctions(session, /*probes=*/nullptr, functions),
                                     page.prediction)) {
    // Every what-if applies to some function, so no error can occur.
    llvm::consumeError(std::move(error));
  }

  // Plan buckets for the dims that vary most.
  PlanShapes(SizesOf(functions, recorded, batches), page);

  // Count guards.
  page.guards = FindGuardHeat(session);
  page.functions_guarded = page.guards.size();
  if (page.guards.size() > kMaxGuardRows) page.guards.resize(kMaxGuardRows);
  return page;
}

Error ReportOnRun(const LintOptions& options, FileSource& files, RunReport& report) {
  SplitInputs inputs = SplitRecords(options.paths, files);
  RecordedFunctions recorded;
  Redactor* const redactor = options.read.redactor;
  std::vector<std::string> unread = std::move(inputs.unread);
  if (redactor != nullptr) redactor->Redact(TextKind::kProse, unread);
  for (std::string& message :
       ReadRunRecords(inputs.records, files, redactor, recorded, report.records)) {
    unread.push_back(std::move(message));
  }
  LintOptions logs = options;
  logs.paths = std::move(inputs.others);
  logs.has_calls |= !report.records.empty();
  logs.read.guard_texts = true;
  Expected<LintResult> result = Lint(logs, files, report.session);
  if (!result) return result.takeError();
  report.result = std::move(*result);
  report.result.unread.insert(report.result.unread.begin(), unread.begin(), unread.end());
  report.page = MakeRunPage(report.session, report.result.findings, std::move(recorded));
  return Error::success();
}

}  // namespace shapewise
