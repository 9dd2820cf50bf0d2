// The result for people, about one screen: what was lost, causes worst first, what to do,
// and what the log does not show.

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "report/document.h"
#include "report/formats.h"
#include "report/run_text.h"
#include "report/text_finding.h"

namespace shapewise {
namespace {

// Limits without --all, for a screen or two.
constexpr size_t kMaxCauses = 12;
constexpr size_t kMaxNotes = 6;
constexpr size_t kMaxEagerFunctions = 6;

void AddEagerFunctions(const std::vector<EagerFunction>& functions, Document& page) {
  if (functions.empty()) return;
  page.Begin(0, 2).Add(TextStyle::kError, EagerHeadline(functions));
  if (functions.size() == 1) {
    page.Add(": " + EagerText(functions.front()));
    return;
  }
  page.Add(":");
  page.AddSome(functions, kMaxEagerFunctions, "function", 2,
               [&](const EagerFunction& function) { page.Begin(2, 4).Add(EagerText(function)); });
}

/// Adds explanations from the rules of findings, once per rule.
class Explanations {
 public:
  Explanations(const std::vector<RuleProse>& prose, Document& page) : prose_(prose), page_(page) {}

  void AddFor(const Finding& finding) {
    const auto found = std::ranges::lower_bound(prose_, finding.rule, {}, &RuleProse::code);
    if (found == prose_.end() || found->code != finding.rule || found->sections.empty()) return;
    page_.BlankLine();
    if (!explained_.insert(finding.rule).second) {
      page_.Begin(kProseIndent).Add("Why it costs and what to do: see the first ");
      page_.Add(finding.rule + " above.");
      return;
    }
    bool is_first = true;
    for (const RuleProse::Section& section : found->sections) {
      if (!std::exchange(is_first, false)) page_.BlankLine();
      Add(section);
    }
  }

 private:
  static constexpr size_t kProseIndent = 4;

  void Add(const RuleProse::Section& section) {
    page_.Begin(kProseIndent).Add(TextStyle::kStrong, section.title);
    for (const RuleProse::Part& part : section.parts) {
      if (part.is_code) {
        page_.AddCode(kProseIndent + 4, part.text);
        continue;
      }
      std::string text = part.text;
      std::ranges::replace(text, '\n', ' ');
      const bool is_item = text.starts_with("- ");
      page_.Begin(kProseIndent + 2, kProseIndent + (is_item ? 4 : 2)).Add(text);
    }
  }

  const std::vector<RuleProse>& prose_;
  Document& page_;
  std::set<std::string> explained_;  // rules
};

void AddFindings(const LintResult& result, const Session& session, const ReportOptions& options,
                 Document& page) {
  Explanations explanations(options.prose, page);
  const size_t num_causes = CountSeverities(result.findings).causes();
  const size_t num_notes = result.findings.size() - num_causes;
  const size_t shown_causes = page.Shown(num_causes, kMaxCauses);
  const size_t shown_notes = page.Shown(num_notes, kMaxNotes);

  // Worst first, so that all notes come last.
  for (size_t i = 0; i < shown_causes; ++i) {
    page.BlankLine();
    AddFinding(result.findings[i], session, page.all(), page);
    explanations.AddFor(result.findings[i]);
  }
  if (shown_notes > 0) page.BlankLine();
  for (size_t i = 0; i < shown_notes; ++i) {
    AddNote(result.findings[num_causes + i], session, page);
    explanations.AddFor(result.findings[num_causes + i]);
  }

  Phrases hidden(" and ");
  hidden.AddCount(num_causes - shown_causes, "cause");
  hidden.AddCount(num_notes - shown_notes, "note");
  if (!hidden.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kStrong, hidden.text() + " more: --all");
  }
  if (!result.findings.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kFaint, "About a rule: shapewise explain ");
    page.Add(TextStyle::kFaint, result.findings.front().rule);
  }
}

/// "1697 guards, an estimated 44 us a call (403 us when measured with cold caches)"
std::string GuardsText(const FunctionCost& function) {
  if (!function.guards || !function.estimated_us) return {};
  std::string text = Counted(*function.guards, "guard");
  text += ", an estimated " + std::to_string(std::llround(*function.estimated_us)) + " us a call";
  if (function.measured_guard_us) {
    text += " (" + std::to_string(std::llround(*function.measured_guard_us)) +
            " us for guards when measured with cold caches)";
  }
  return text;
}

/// With --all: the compile time of each function, most expensive first.
void AddFunctions(const std::vector<FunctionCost>& functions, Document& page) {
  if (functions.empty()) return;
  page.AddTitle("Compiled functions");
  for (const FunctionCost& function : functions) {
    Phrases row("; ");
    Phrases counts(", ");
    counts.AddCount(function.compiles, "compile");
    std::string recompiles = Counted(function.recompiles, "recompile");
    if (function.recompile_seconds && *function.recompile_seconds > 0) {
      recompiles += " of " + SecondsText(*function.recompile_seconds);
    }
    if (function.recompiles > 0) counts.Add(recompiles);
    if (function.failed > 0) counts.Add(std::to_string(function.failed) + " failed");
    counts.AddCount(function.empty_graphs, "empty graph");
    for (const std::string& part :
         {counts.text(), PhasesText(function.phases), GuardsText(function)}) {
      if (!part.empty()) row.Add(part);
    }
    const std::string seconds =
        function.seconds ? SecondsText(*function.seconds) : std::string("? s");
    page.Begin(2, 6).Add(TextStyle::kStrong, seconds + "  " + PlaceText(function.where));
    if (!row.empty()) page.Add(": " + row.text());
  }
}

}  // namespace

void AddVerdict(const LintResult& result, const Session& session, Document& page) {
  const RunSummary& summary = result.summary;
  if (!summary.failure.empty()) {
    page.Begin(0, 2).Add(TextStyle::kError, "The program failed: " + summary.failure);
  }
  page.Begin(0, 2).Add(TextStyle::kStrong, HeadlineText(result));
  if (summary.costs && summary.costs->seconds > 0) {
    page.Begin(0, 2).Add(TextStyle::kStrong, CostText(*summary.costs));
  }
  AddEagerFunctions(summary.eager_functions, page);
  if (result.baseline) page.Begin(0, 2).Add(BaselineText(*result.baseline));
  page.Begin(0, 2).Add(TextStyle::kFaint, RunText(summary, session, page.all()));
  AddSteps(result.steps, session, page);
  AddServer(result.server, page);
  if (result.ranks) AddRanks(*result.ranks, page);
}

Document DescribeLint(const LintResult& result, const Session& session,
                      const ReportOptions& options) {
  Document page("lint", options.all);
  AddVerdict(result, session, page);
  AddFindings(result, session, options, page);
  if (options.all) AddFunctions(result.functions, page);
  AddGaps(result.gaps, page);
  page.AddList("Could not be read", result.unread);
  return page;
}

}  // namespace shapewise
