// Prints the plan as text to paste: shell lines, Python lines, a patch.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/formats.h"
#include "report/text_finding.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// The actions of the plan that belong in one of `places`.
std::vector<const RankedAction*> Planned(const Advice& advice, std::vector<PasteAt> places) {
  std::vector<const RankedAction*> planned;
  for (const size_t index : advice.plan) {
    const RankedAction& ranked = advice.actions[index];
    if (std::ranges::find(places, ranked.at) != places.end()) planned.push_back(&ranked);
  }
  return planned;
}

void WriteComment(std::string_view text, llvm::raw_ostream& out) {
  out << "# " << MakePrintable(text) << "\n";
}

void WriteHead(const RankedAction& ranked, llvm::raw_ostream& out) {
  const std::string saved = SavingText(ranked.saving);
  WriteComment(ranked.action.text, out);
  if (!saved.empty()) WriteComment("predicted to save " + saved, out);
  if (!ranked.action.trap.empty()) WriteComment(ranked.action.trap, out);
}

template <typename WriteLine>
void ForLines(std::string_view text, const WriteLine& write) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    write(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

/// Says what there is if nothing is planned.
void WriteEmptyPlan(const Advice& advice, llvm::raw_ostream& out) {
  WriteComment(advice.actions.empty() ? "Nothing to advise"
                                      : "Nothing is planned: it is not known that one of " +
                                            Counted(advice.actions.size(), "action") +
                                            " saves anything (shapewise advise)",
               out);
}

/// Lists the other actions of the plan, to show that this text is not complete.
void WriteRest(const Advice& advice, size_t written, llvm::raw_ostream& out) {
  if (written < advice.plan.size()) {
    WriteComment("The plan has " + Counted(advice.plan.size() - written, "other action") +
                     " of another form: shapewise advise",
                 out);
  }
  if (advice.plan.empty()) WriteEmptyPlan(advice, out);
}

/// Whether it is a setting of the program that may save something.
bool IsUsefulSetting(const RankedAction& ranked) {
  const bool saves_nothing =
      ranked.saving && ranked.saving->compiles == 0 && ranked.saving->eager_functions == 0;
  return ranked.at == PasteAt::kConfig && !ranked.is_experiment && !saves_nothing;
}

}  // namespace

void WriteAdviceEnvironment(const Advice& advice, const Session& /*session*/,
                            const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  const auto planned = Planned(advice, {PasteAt::kEnvironment});
  for (const RankedAction* ranked : planned) {
    WriteHead(*ranked, out);
    ForLines(ranked->action.code, [&](std::string_view line) {
      out << (line.starts_with("export ") ? "" : "export ") << MakePrintable(line) << "\n";
    });
  }
  WriteRest(advice, planned.size(), out);
}

void WriteAdviceConfig(const Advice& advice, const Session& /*session*/,
                       const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  size_t written = 0;
  for (const RankedAction* ranked : Planned(advice, {PasteAt::kConfig, PasteAt::kEnvironment})) {
    std::string code;
    bool is_whole = true;
    ForLines(ranked->action.code, [&](std::string_view line) {
      const std::string statement =
          ranked->at == PasteAt::kConfig ? std::string(line) : ConfigOfVariable(line);
      is_whole = is_whole && !statement.empty();
      code += statement + "\n";
    });
    if (!is_whole) continue;
    ++written;
    WriteHead(*ranked, out);
    ForLines(code, [&](std::string_view line) { out << MakePrintable(line) << "\n"; });
  }
  WriteRest(advice, written, out);
  if (!advice.plan.empty()) return;
  for (const RankedAction& ranked : advice.actions) {
    if (!IsUsefulSetting(ranked)) continue;
    WriteHead(ranked, out);
    ForLines(ranked.action.code, [&](std::string_view line) { WriteComment(line, out); });
  }
}

/// Other text comes before the diff: programs that apply patches skip it.
void WriteAdvicePatch(const Advice& advice, const Session& /*session*/,
                      const ReportOptions& /*options*/, llvm::raw_ostream& out) {
  if (advice.plan.empty()) WriteEmptyPlan(advice, out);
  if (!advice.patch) return;
  for (const std::string& skipped : advice.patch->skipped) WriteComment(skipped, out);
  out << advice.patch->diff;
}

}  // namespace shapewise
