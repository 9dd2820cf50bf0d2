#include "pipeline/baseline.h"

#include <utility>

#include "compare/compare_runs.h"
#include "compare/match_findings.h"
#include "pipeline/load_run.h"
#include "pipeline/rule_selection.h"
#include "rules/rule_set.h"
#include "saved/saved_result.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// Discards inputs that are not saved results.
class IgnoringSink final : public LineSink {
 public:
  void OnLines(std::string_view /*lines*/, uint64_t /*first_line*/) override {}
  size_t OnPiece(std::string_view piece, uint64_t /*line*/, bool /*is_first*/,
                 bool /*is_last*/) override {
    return piece.size();
  }
};

}  // namespace

Expected<std::vector<Finding>> LoadBaseline(const std::string& path, FileSource& files) {
  SavedResultTap tap(files);
  IgnoringSink sink;
  Stats stats;
  TextTotals totals;
  if (Error error = tap.Read(path, sink, stats, 0, totals)) return error;
  const std::string name = MakePrintable(path);
  if (tap.saved().empty()) {
    return MakeError(name + ": expected a baseline, which begins with {\"schema\": " +
                     "\"shapewise.baseline/1\"");
  }
  Expected<SavedResult> saved = ReadSavedResult(tap.saved().front().text, name);
  if (!saved) return saved.takeError();
  return std::move(saved->result.findings);
}

Error SuppressKnown(const std::vector<Finding>& known, const std::string& file,
                    const LintOptions& options, LintResult& result) {
  Expected<RuleSelection> selection =
      RuleSelection::Make(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  BaselineUse use;
  use.file = file;
  std::vector<const Finding*> known_as(result.findings.size());
  std::vector<bool> occurs(known.size());
  for (const FindingMatch& match : MatchFindings(known, result.findings)) {
    known_as[match.after] = &known[match.before];
    occurs[match.before] = true;
  }

  std::vector<Finding> remaining;
  for (size_t i = 0; i < result.findings.size(); ++i) {
    Finding& finding = result.findings[i];
    const bool is_held_back = known_as[i] != nullptr && !IsWorse(*known_as[i], finding);
    if (known_as[i] != nullptr && !is_held_back) use.worse.push_back(finding.fingerprint);
    (is_held_back ? use.held_back : remaining).push_back(std::move(finding));
  }
  result.findings = std::move(remaining);

  for (size_t i = 0; i < known.size(); ++i) {
    if (occurs[i] || !WouldShow(result.coverage, known[i])) continue;
    const Rule* rule = RuleSet::Builtin().Find(known[i].rule);
    const bool is_asked_for = rule == nullptr || selection->Has(rule->code, rule->name);
    if (is_asked_for) use.stale.push_back(known[i]);
  }
  result.baseline = std::move(use);
  return Error::success();
}

}  // namespace shapewise
