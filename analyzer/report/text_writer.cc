// Prints the result for people, about one screen: what was lost, causes worst first, what to do,
// and what the log does not show.

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/builtin_writers.h"
#include "report/printed_text.h"
#include "report/run_words.h"
#include "report/text_finding.h"
#include "report/text_ranks.h"
#include "report/text_server.h"
#include "report/text_steps.h"

namespace shapewise {
namespace {

// Limits without --all, for a screen or two.
constexpr size_t kMaxCauses = 12;
constexpr size_t kMaxNotes = 6;
constexpr size_t kMaxEagerFunctions = 6;

/// Prints the functions that are no longer compiled.
void PrintEagerFunctions(const std::vector<EagerFunction>& functions, bool all, PrintedText& page) {
  if (functions.empty()) return;
  page.Begin(0, 2).Add(TextStyle::kError, EagerHeadline(functions));
  if (functions.size() == 1) {
    page.Add(": " + EagerText(functions.front())).End();
    return;
  }
  page.Add(":").End();
  const size_t shown = all ? functions.size() : std::min(functions.size(), kMaxEagerFunctions);
  for (size_t i = 0; i < shown; ++i) page.Begin(2, 4).Add(EagerText(functions[i])).End();
  if (shown < functions.size()) {
    page.Begin(2).Add("and " + std::to_string(functions.size() - shown) + " more: --all").End();
  }
}

void PrintHeadline(const LintResult& result, const Session& session, bool all, PrintedText& page) {
  const RunSummary& summary = result.summary;
  page.Begin(0, 2).Add(TextStyle::kStrong, HeadlineText(result)).End();
  if (summary.costs && summary.costs->seconds > 0) {
    page.Begin(0, 2).Add(TextStyle::kStrong, CostText(*summary.costs)).End();
  }
  PrintEagerFunctions(summary.eager_functions, all, page);
  if (result.baseline) page.Begin(0, 2).Add(BaselineText(*result.baseline)).End();
  page.Begin(0, 2).Add(TextStyle::kFaint, RunText(summary, session)).End();
  PrintSteps(result.steps, session, all, page);
  PrintServer(result.server, all, page);
}

/// Prints explanations from the rules of findings, once per rule.
class ProsePrinter {
 public:
  ProsePrinter(const std::vector<RuleProse>& prose, PrintedText& page)
      : prose_(prose), page_(page) {}

  void PrintFor(const Finding& finding) {
    const auto found = std::ranges::lower_bound(prose_, finding.rule, {}, &RuleProse::code);
    if (found == prose_.end() || found->code != finding.rule || found->sections.empty()) return;
    page_.BlankLine();
    if (!explained_.insert(finding.rule).second) {
      page_.Begin(kProseIndent).Add("Why it costs and what to do: see the first ");
      page_.Add(finding.rule + " above.").End();
      return;
    }
    bool is_first = true;
    for (const RuleProse::Section& section : found->sections) {
      if (!std::exchange(is_first, false)) page_.BlankLine();
      Print(section);
    }
  }

 private:
  static constexpr size_t kProseIndent = 4;

  void Print(const RuleProse::Section& section) {
    page_.Begin(kProseIndent).Add(TextStyle::kStrong, section.title).End();
    for (const RuleProse::Part& part : section.parts) {
      if (part.is_code) {
        page_.Lines(kProseIndent + 4, TextStyle::kCode, part.text);
        continue;
      }
      std::string text = part.text;
      std::ranges::replace(text, '\n', ' ');
      const bool is_item = text.starts_with("- ");
      page_.Begin(kProseIndent + 2, kProseIndent + (is_item ? 4 : 2)).Add(text).End();
    }
  }

  const std::vector<RuleProse>& prose_;
  PrintedText& page_;
  std::set<std::string> explained_;  // rules
};

void PrintFindings(const LintResult& result, const Session& session, const ReportOptions& options,
                   PrintedText& page) {
  const bool all = options.all;
  ProsePrinter prose(options.prose, page);
  const size_t num_causes = CountSeverities(result.findings).causes();
  const size_t num_notes = result.findings.size() - num_causes;
  const size_t shown_causes = all ? num_causes : std::min(num_causes, kMaxCauses);
  const size_t shown_notes = all ? num_notes : std::min(num_notes, kMaxNotes);

  // Worst first, so that all notes come last.
  for (size_t i = 0; i < shown_causes; ++i) {
    page.BlankLine();
    PrintFinding(result.findings[i], session, page);
    prose.PrintFor(result.findings[i]);
  }
  if (shown_notes > 0) page.BlankLine();
  for (size_t i = 0; i < shown_notes; ++i) {
    PrintNote(result.findings[num_causes + i], session, page);
    prose.PrintFor(result.findings[num_causes + i]);
  }

  Phrases hidden(" and ");
  hidden.AddCount(num_causes - shown_causes, "cause");
  hidden.AddCount(num_notes - shown_notes, "note");
  if (!hidden.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kStrong, hidden.text() + " more: --all").End();
  }
  if (!result.findings.empty()) {
    page.BlankLine();
    page.Begin(0).Add(TextStyle::kFaint, "About a rule: shapewise explain ");
    page.Add(TextStyle::kFaint, result.findings.front().rule).End();
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
void PrintFunctions(const std::vector<FunctionCost>& functions, PrintedText& page) {
  if (functions.empty()) return;
  page.BlankLine();
  page.Begin(0).Add(TextStyle::kStrong, "Compiled functions").End();
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
    page.End();
  }
}

void PrintGaps(const std::vector<std::string>& gaps, PrintedText& page) {
  if (gaps.empty()) return;
  page.BlankLine();
  page.Begin(0).Add(TextStyle::kStrong, "Not visible in this log").End();
  for (const std::string& gap : gaps) page.Begin(2, 4).Add("- ").Add(gap).End();
}

}  // namespace

void WriteLintText(const LintResult& result, const Session& session, const ReportOptions& options,
                   llvm::raw_ostream& out) {
  PrintedText page(out, options.width, options.color);
  PrintHeadline(result, session, options.all, page);
  if (result.ranks) PrintRanks(*result.ranks, page);
  PrintFindings(result, session, options, page);
  if (options.all) PrintFunctions(result.functions, page);
  PrintGaps(result.gaps, page);
}

}  // namespace shapewise
