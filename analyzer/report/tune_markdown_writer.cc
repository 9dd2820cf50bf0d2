// Prints a tune as a comment on a pull request: GitHub's Markdown.

#include <string>

#include "report/markdown_text.h"
#include "report/measured_text.h"
#include "report/tune_writers.h"
#include "shapewise/support/terminal_text.h"

namespace shapewise {
namespace {

void WriteRow(const TuneRun& run, const std::string& name, const std::string& verdict,
              llvm::raw_ostream& out) {
  out << "| " << name << " | " << run.compiles << " | " << run.graph_breaks << " | "
      << run.limit_hits << " | " << run.eager_calls << " | " << run.errors << " | "
      << Fixed(run.compile_seconds, 2) << " | " << RangeText(run.steps_per_second) << " | "
      << verdict << " |\n";
}

void WriteCode(std::string_view language, std::string_view text, llvm::raw_ostream& out) {
  out << "```" << language << "\n" << MakeLinesPrintable(text);
  if (!text.ends_with('\n')) out << "\n";
  out << "```\n";
}

}  // namespace

void WriteTuneMarkdown(const TuneReport& report, const ReportOptions& /*options*/,
                       llvm::raw_ostream& out) {
  out << "### shapewise tune\n\n" << MarkdownText(TuneVerdictText(report)) << "\n";
  if (report.baseline.calls == 0) return;
  out << "\n| action | compiles | breaks | limits | eager | errors | compile s | steps/s | "
         "verdict |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  WriteRow(report.baseline, "as it is", "", out);
  for (const TunedAction& action : report.actions) {
    if (!action.run) continue;
    std::string verdict(TuneVerdictName(action.verdict));
    if (!action.why.empty()) verdict += ": " + action.why;
    WriteRow(*action.run, MarkdownCode(action.policy), MarkdownText(verdict), out);
  }
  if (!report.best) return;
  const TunedAction& best = report.actions[*report.best];
  for (const RankedAction& part : best.parts) {
    out << "\n" << MarkdownText(part.action.text + PasteText(part)) << "\n";
    if (part.action.code.empty()) continue;
    out << "\n";
    WriteCode(part.at == PasteAt::kEnvironment ? "sh" : "python", part.action.code, out);
  }
  for (const TunePatch& patch : best.patches) {
    out << "\n";
    WriteCode("diff", patch.diff, out);
  }
}

}  // namespace shapewise
