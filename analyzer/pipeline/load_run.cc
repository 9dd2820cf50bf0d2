#include "pipeline/load_run.h"

#include <utility>

#include "pipeline/rule_selection.h"
#include "pipeline/saved_result_tap.h"
#include "rules/rule_set.h"
#include "saved/saved_result.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

Error ReadBack(const SavedResultTap::Saved& text, const LintOptions& options, LoadedRun& run) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();
  Expected<SavedResult> saved = ReadSavedResult(text.text, MakePrintable(text.name));
  if (!saved) return saved.takeError();
  run.result = std::move(saved->result);
  run.is_saved = true;
  run.is_baseline = saved->is_baseline;
  std::erase_if(run.result.findings, [&](const Finding& finding) {
    return !selection->Has(finding.rule, finding.name);
  });
  return Error::success();
}

}  // namespace

Expected<std::unique_ptr<LoadedRun>> LoadRun(const LintOptions& options, FileSource& files) {
  auto run = std::make_unique<LoadedRun>();
  SavedResultTap tap(files);
  Expected<LintResult> result = Lint(options, tap, run->session);
  if (!result) return result.takeError();
  Error unread = Error::success();
  for (const std::string& message : result->unread) {
    unread = llvm::joinErrors(std::move(unread), MakeError(message));
  }
  if (unread) return unread;
  if (tap.saved().empty()) {
    run->result = std::move(*result);
    return run;
  }
  if (run->session.inputs().size() > 1) {
    return MakeError(MakePrintable(tap.saved().front().name) +
                     ": a saved result is a whole run and cannot be combined with other inputs");
  }
  if (Error error = ReadBack(tap.saved().front(), options, *run)) return error;
  return run;
}

}  // namespace shapewise
