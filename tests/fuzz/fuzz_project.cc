// Fuzzes `check` on a small project: several files that import each other, settings, every form of
// the report, fixes. The laws: `--select RULE` is the full answer filtered by the rule; the number
// of threads does not matter; every form is well-formed and has every finding, but for those that
// Markdown only counts; a file that parses still does after its fixes, and fixes come to an end;
// nothing crashes, hangs or grows without bound.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/code_rule_set.h"
#include "check/fixes.h"
#include "cli/settings.h"
#include "pipeline/check.h"
#include "report/report.h"
#include "support/file_bundle.h"
#include "support/report_laws.h"

namespace shapewise {
namespace {

/// Each of these laws repeats the whole check: a few rules, and short projects, are enough. What
/// long projects show is crashes and time, for which one check is run.
constexpr size_t kMaxProjectSelections = 3;
constexpr size_t kMaxRepeatedBytes = 16 * 1024;

/// Reports of more findings are written and not read again, which takes longer than the check.
constexpr size_t kMaxReadFindings = 256;

/// Fixes that overlap are made one after the other, each by a run of its own.
constexpr size_t kMaxFixRounds = 16;

using Files = std::map<std::string, std::string>;

constexpr std::string_view kSettingsName = "shapewise.toml";

/// What the settings file of the project asks for; files that cannot be read ask for nothing.
CheckOptions ReadOptionsOf(const Files& files) {
  CheckOptions options;
  options.jobs = 1;
  const auto file = files.find(std::string(kSettingsName));
  if (file == files.end()) return options;
  Settings settings;
  Expected<bool> found =
      ReadSettings(file->second, {.path = "/w/shapewise.toml", .way_up = ""}, settings);
  if (!found) {
    llvm::consumeError(found.takeError());
    return options;
  }
  options.select = settings.check.select.value_or(std::vector<std::string>());
  options.ignore = settings.check.ignore.value_or(std::vector<std::string>());
  if (settings.check.mode == "train") options.mode = CodeMode::kTraining;
  if (settings.check.mode == "eval") options.mode = CodeMode::kEvaluation;
  return options;
}

/// The files of a project; those below lib/ are there only to be imported.
CodeInputs MakeInputs(const Files& files) {
  CodeInputs inputs;
  for (const auto& [name, text] : files) {
    if (name == kSettingsName) continue;
    std::optional<PythonFile> file =
        CodeInputs::FileOf(name, text, /*is_checked=*/!name.starts_with("lib/"));
    if (file) inputs.files.push_back(std::move(*file));
  }
  inputs.num_files = inputs.files.size();
  return inputs;
}

std::string Print(const CheckFormat& format, const CheckResult& result, const CodeInputs& inputs) {
  std::string text;
  llvm::raw_string_ostream out(text);
  format.write(result, TextsOf(result, inputs), {.tool_version = "0.0", .all = true}, out);
  out.flush();
  return text;
}

nlohmann::json FindingsJson(const CheckResult& result, const CodeInputs& inputs) {
  const std::string text = Print(*FindFormat(CheckFormats(), "json"), result, inputs);
  return nlohmann::json::parse(text)["findings"];
}

void CheckReports(const CheckResult& result, const CodeInputs& inputs) {
  for (const CheckFormat& format : CheckFormats()) {
    const std::string text = Print(format, result, inputs);
    if (result.findings.size() > kMaxReadFindings) continue;
    if (!IsWellFormed(format.name, text)) std::abort();
    // A comment on a pull request has a limited number of rows and says how many more there are.
    if (format.name == "markdown" && text.find("\n... and ") != std::string::npos) continue;
    for (const CodeFinding& finding : result.findings) {
      if (text.find(finding.rule) == std::string::npos) std::abort();
    }
  }
  if (result.findings.size() > kMaxReadFindings) return;
  if (FindingsJson(result, inputs).size() != result.findings.size()) std::abort();
}

void CheckSelection(const CheckOptions& options, const CodeInputs& inputs,
                    const CheckResult& result) {
  if (!options.select.empty() || !options.ignore.empty()) return;
  const nlohmann::json all = FindingsJson(result, inputs);
  std::set<std::string> rules;
  for (const CodeFinding& finding : result.findings) rules.insert(finding.rule);
  // Whether a comment suppresses a rule is known only where that rule is selected, too.
  rules.erase(std::string(kUnusedIgnoreCode));
  size_t num_selections = 0;
  for (const std::string& rule : rules) {
    if (++num_selections > kMaxProjectSelections) break;
    CheckOptions selected = options;
    selected.select = {rule};
    const CodeAnalysis analysis = llvm::cantFail(AnalyzeCode(selected, inputs));
    nlohmann::json expected = nlohmann::json::array();
    for (const nlohmann::json& finding : all) {
      if (finding["rule"] == rule) expected.push_back(finding);
    }
    if (FindingsJson(analysis.result, inputs) != expected) std::abort();
  }
}

size_t CountFaults(const CheckResult& result, const std::string& file) {
  return static_cast<size_t>(std::ranges::count(result.faults, file, &CodeFault::file));
}

/// Applies the fixes of each file of `files`; whether any changed it.
bool ApplyAll(const CodeInputs& inputs, const CheckResult& result, bool allow_unsafe,
              Files& files) {
  bool is_changed = false;
  for (const PythonFile& file : inputs.files) {
    if (!file.is_checked || file.notebook != nullptr) continue;
    std::vector<CodeFinding> findings;
    std::ranges::copy_if(result.findings, std::back_inserter(findings),
                         [&](const CodeFinding& finding) { return finding.file == file.path; });
    FixedText fixed = ApplyFixes(file.text, findings, allow_unsafe);
    is_changed |= fixed.text != file.text;
    files[file.path] = std::move(fixed.text);
  }
  return is_changed;
}

void CheckFixes(const CheckOptions& options, Files files, bool allow_unsafe) {
  CodeInputs inputs = MakeInputs(files);
  CodeAnalysis analysis = llvm::cantFail(AnalyzeCode(options, inputs));
  for (size_t round = 0; ApplyAll(inputs, analysis.result, allow_unsafe, files); ++round) {
    CodeInputs fixed = MakeInputs(files);
    CodeAnalysis again = llvm::cantFail(AnalyzeCode(options, fixed));
    for (const PythonFile& file : fixed.files) {
      if (CountFaults(analysis.result, file.path) == 0 &&
          CountFaults(again.result, file.path) > 0) {
        std::abort();
      }
    }
    if (round > kMaxFixRounds) std::abort();
    inputs = std::move(fixed);
    analysis = std::move(again);
  }
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  // The first byte says which laws to look at; the rest are the files.
  const std::string_view bundle(reinterpret_cast<const char*>(data) + 1, size - 1);
  shapewise::Files files;
  for (const auto& [name, text] : shapewise::SplitBundle(bundle, "model.py")) files[name] = text;
  const shapewise::CheckOptions options = shapewise::ReadOptionsOf(files);
  const shapewise::CodeInputs inputs = shapewise::MakeInputs(files);
  shapewise::Expected<shapewise::CodeAnalysis> analysis = AnalyzeCode(options, inputs);
  if (!analysis) {
    // A selector that fits no rule.
    llvm::consumeError(analysis.takeError());
    return 0;
  }
  shapewise::CheckReports(analysis->result, inputs);
  if (size >= shapewise::kMaxRepeatedBytes) return 0;
  if ((data[0] & 1) != 0) shapewise::CheckSelection(options, inputs, analysis->result);
  if ((data[0] & 2) != 0) {
    shapewise::CheckOptions threaded = options;
    threaded.jobs = 3;
    const shapewise::CodeAnalysis again = llvm::cantFail(AnalyzeCode(threaded, inputs));
    if (SaveAnalysis(again) != SaveAnalysis(*analysis)) std::abort();
  }
  if ((data[0] & 4) != 0) {
    shapewise::CheckFixes(options, files, /*allow_unsafe=*/(data[0] & 8) != 0);
  }
  return 0;
}
