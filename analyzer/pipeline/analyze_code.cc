#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/xxhash.h"
#include "pipeline/rule_selection.h"
#include "shapewise/check/code_rule_set.h"
#include "shapewise/check/judge_facts.h"
#include "shapewise/check/reader_rules.h"
#include "shapewise/check/suppressions.h"
#include "shapewise/pipeline/check.h"
#include "shapewise/rules/rule_set.h"
#include "shapewise/source/flow.h"
#include "shapewise/source/project.h"
#include "shapewise/support/in_parallel.h"

namespace shapewise {
namespace {

/// Files of a project, as numbers of its own: in the order of CodeInputs::files.
void AddFiles(const CodeInputs& inputs, Project& project) {
  std::vector<std::string> paths;
  paths.reserve(inputs.files.size());
  for (const PythonFile& file : inputs.files) paths.push_back(file.path);
  const std::vector<std::string> modules = ModuleNames(paths);
  for (size_t i = 0; i < paths.size(); ++i) {
    const PythonFile& file = inputs.files[i];
    project.AddFile(file.path, modules[i], file.text, file.is_checked);
  }
}

/// Lines and columns, from 1, of bytes of one text.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text), starts_(LineStarts(text)) {}

  CodeRange RangeOf(FileSpan span) const {
    const auto [line, column] = PlaceOf(span.begin);
    const auto [end_line, end_column] = PlaceOf(std::max(span.begin, span.end));
    return {.line = line, .column = column, .end_line = end_line, .end_column = end_column};
  }

 private:
  std::pair<uint32_t, uint32_t> PlaceOf(size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const size_t begin = *std::prev(next);
    // Bytes that go on with a character of UTF-8 are none of their own.
    const auto characters = std::ranges::count_if(text_.substr(begin, offset - begin), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    return {static_cast<uint32_t>(next - starts_.begin()), static_cast<uint32_t>(characters + 1)};
  }

  std::string_view text_;
  std::vector<size_t> starts_;
};

std::vector<CodeFault> FaultsOf(const Project& project) {
  std::vector<CodeFault> faults;
  for (const SourceFault& fault : project.Faults()) {
    const SourceFile& file = project.files()[fault.file];
    if (!file.is_checked) continue;
    CodeFault& told = faults.emplace_back();
    told.file = file.path;
    told.range = PlaceFinder(file.text).RangeOf(fault.span);
    told.message = fault.message;
  }
  return faults;
}

/// Says of faults what their rule says.
void TellBy(const CodeRule& rule, std::vector<CodeFault>& faults) {
  for (CodeFault& fault : faults) {
    fault.rule = rule.code;
    fault.name = rule.name;
    fault.severity = rule.severity;
    fault.message = ReaderMessage(rule, fault.message);
    fault.advice = rule.advice;
  }
}

bool ByPlace(const CodeFinding& a, const CodeFinding& b) {
  return std::tie(a.file, a.range, a.rule, a.message) <
         std::tie(b.file, b.range, b.rule, b.message);
}

/// Takes out of the findings what comments hold back, file by file.
class CommentReader {
 public:
  CommentReader(const RuleSelection& selection, const CodeInputs& inputs)
      : selection_(selection), inputs_(inputs) {
    for (const CodeRule& rule : RuleSet::Builtin().code_rules()) {
      if (selection.Has(rule.code, rule.name)) active_.push_back(rule.code);
    }
  }

  void Read(CheckResult& result) {
    std::map<std::string, std::vector<CodeFinding>> by_file;
    for (CodeFinding& finding : result.findings) {
      by_file[finding.file].push_back(std::move(finding));
    }
    result.findings.clear();
    for (const PythonFile& file : inputs_.files) {
      if (file.is_checked) ReadFile(file, by_file[file.path], result);
    }
    result.suppressed = result.suppressed_findings.size();
  }

 private:
  void ReadFile(const PythonFile& file, std::vector<CodeFinding>& findings, CheckResult& result) {
    // Most files have no such comment; the word is looked for before the text is taken apart.
    if (file.text.find("shapewise:") != std::string::npos) {
      const std::vector<CodeFinding> all = findings;
      Suppress(file.text, file.path, active_, findings);
      std::erase_if(findings, [&](const CodeFinding& finding) {
        return !selection_.Has(finding.rule, finding.name);
      });
      std::ranges::set_difference(all, findings, std::back_inserter(result.suppressed_findings),
                                  ByPlace);
    }
    std::ranges::move(findings, std::back_inserter(result.findings));
  }

  const RuleSelection& selection_;
  const CodeInputs& inputs_;
  std::vector<std::string_view> active_;
};

/// Places in notebooks become those of their cells.
void TellCells(const CodeInputs& inputs, CheckResult& result) {
  const auto tell = [&](const std::string& path, CodeRange& range) {
    const PythonFile* file = inputs.Find(path);
    if (file != nullptr) range = CodeInputs::Told(*file, range);
  };
  for (std::vector<CodeFinding>* findings : {&result.findings, &result.suppressed_findings}) {
    for (CodeFinding& finding : *findings) {
      tell(finding.file, finding.range);
      for (RelatedPlace& place : finding.related) tell(place.file, place.range);
    }
  }
  for (CodeFault& fault : result.faults) tell(fault.file, fault.range);
}

}  // namespace

Expected<CodeAnalysis> AnalyzeCode(const CheckOptions& options, const CodeInputs& inputs) {
  // Look at the selectors first: a typing error should not cost an analysis.
  Expected<RuleSelection> selection =
      RuleSelection::MakeForCode(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();

  // Outline every file; functions are parsed when they are asked for.
  Project project;
  AddFiles(inputs, project);

  // Follow values from what is compiled on: what does the code do there?
  const CodeRuleSet& rules = CodeRuleSet::Builtin();
  const auto wanted = [&](FactKind kind, std::string_view name) {
    return rules.MayMatch(kind, name);
  };
  const auto jobs = static_cast<unsigned>(options.jobs > 0 ? options.jobs : NumProcessors());
  const FlowResult flow = Follow(project, FindRoots(project), wanted, jobs);

  // And what does the code around it do that matters to it?
  std::vector<Fact> facts = flow.facts;
  std::vector<FlowResult> outside(project.files().size());
  InParallel(outside.size(), jobs, [&](size_t id) {
    const auto file = static_cast<FileId>(id);
    if (project.files()[file].is_checked) outside[file] = OutsideFacts(project, file, wanted);
  });
  for (const FlowResult& result : outside) {
    std::ranges::copy(result.facts, std::back_inserter(facts));
  }

  // Beyond this point it is opinions: the rules say which of the facts matter.
  CodeAnalysis analysis;
  CheckResult& result = analysis.result;
  result.findings = JudgeFacts(project, facts, rules, options.mode);
  std::erase_if(result.findings, [&](const CodeFinding& finding) {
    const PythonFile* file = inputs.Find(finding.file);
    return file == nullptr || !file->is_checked || !selection->Has(finding.rule, finding.name);
  });
  std::ranges::sort(result.findings, ByPlace);
  CommentReader(*selection, inputs).Read(result);

  // Put what is told into order, and say what could not be read.
  const CodeRule& unreadable = ReaderRule(kUnreadableCode);
  if (selection->Has(unreadable.code, unreadable.name)) {
    result.faults = FaultsOf(project);
    std::ranges::copy(inputs.faults, std::back_inserter(result.faults));
    TellBy(unreadable, result.faults);
  }
  std::ranges::sort(result.faults, [](const CodeFault& a, const CodeFault& b) {
    return std::tie(a.file, a.range, a.message) < std::tie(b.file, b.range, b.message);
  });
  result.unread = inputs.unread;
  result.files = inputs.num_files;
  result.functions = flow.reached.size();
  TellCells(inputs, result);
  return analysis;
}

std::string AnalysisKey(const CheckOptions& options, const CodeInputs& inputs,
                        std::string_view version) {
  llvm::SHA1 hash;
  // Lengths keep texts apart that would be the same when joined.
  const auto add = [&](std::string_view text) {
    hash.update(std::to_string(text.size()) + ":");
    hash.update(llvm::StringRef(text.data(), text.size()));
  };
  add(version);
  add(std::to_string(static_cast<int>(options.mode)));
  for (const auto* selectors : {&options.select, &options.ignore}) {
    add(std::to_string(selectors->size()));
    for (const std::string& selector : *selectors) add(selector);
  }
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) add(rule->markdown);
  add(std::to_string(inputs.num_files));
  for (const PythonFile& file : inputs.files) {
    add(file.path);
    add(file.is_checked ? "checked" : "imported");
    add(std::to_string(file.text.size()));
    add(llvm::utohexstr(llvm::xxHash64(file.text)));
    // Where cells begin is no part of their text.
    if (file.notebook != nullptr) add(CodeInputs::CellsText(file));
  }
  for (const CodeFault& fault : inputs.faults) add(fault.file + ":" + fault.message);
  for (const std::string& message : inputs.unread) add(message);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

CodeTexts TextsOf(const CheckResult& result, const CodeInputs& inputs) {
  CodeTexts texts;
  const auto add = [&](const std::string& path) {
    if (texts.Has(path)) return;
    if (const PythonFile* file = inputs.Find(path)) CodeInputs::AddText(*file, texts);
  };
  for (const auto* findings :
       {&result.findings, &result.suppressed_findings, &result.known_findings}) {
    for (const CodeFinding& finding : *findings) {
      add(finding.file);
      for (const RelatedPlace& place : finding.related) add(place.file);
    }
  }
  for (const CodeFault& fault : result.faults) add(fault.file);
  return texts;
}

}  // namespace shapewise
