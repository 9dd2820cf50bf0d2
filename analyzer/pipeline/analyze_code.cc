#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "check/code_rule_set.h"
#include "check/fact_text.h"
#include "check/judge_facts.h"
#include "check/suppressions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/SHA1.h"
#include "llvm/Support/xxhash.h"
#include "pipeline/check.h"
#include "pipeline/rule_selection.h"
#include "rules/rule_set.h"
#include "source/flow.h"
#include "source/project.h"
#include "support/in_parallel.h"
#include "support/literal_set.h"

// The names below are those that nlohmann_json requires.
// NOLINTBEGIN(readability-identifier-naming)
template <typename Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(json& to, const std::optional<Value>& value) {
    to = value ? json(*value) : json();
  }
  static void from_json(const json& from, std::optional<Value>& value) {
    if (!from.is_null()) value = from.get<Value>();
  }
};

namespace shapewise {

// One line per struct: its saved members.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeRange, line, column, end_line, end_column, cell)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeEdit, range, begin, end, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFix, safe, title, edits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RelatedPlace, file, range, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoldKeys, id, idiom, branches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFault, file, range, message, rule, name, severity, advice)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeFinding, rule, name, severity, confidence, file, range,
                                   function, message, advice, breaks, is_error, conditions, related,
                                   fingerprint, count, fold, fix)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckResult, findings, suppressed_findings, faults, unread,
                                   files, functions, around)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CodeAnalysis, result, unmatched_entries)
// NOLINTEND(readability-identifier-naming)

namespace {

/// Adds the files to a project, with ids in the order of CodeInputs::files.
void AddFiles(const CodeInputs& inputs, Project& project) {
  std::vector<std::string> paths;
  paths.reserve(inputs.files.size());
  for (const PythonFile& file : inputs.files) paths.push_back(file.path);
  const std::vector<std::string> modules = ModuleNames(paths);
  for (size_t i = 0; i < paths.size(); ++i) {
    const PythonFile& file = inputs.files[i];
    project.AddView(file.path, modules[i], file.text, file.is_checked);
  }
}

/// Parses all of the files that the user named, to find their syntax errors.
void ParseNamed(const CodeInputs& inputs, Project& project) {
  for (size_t i = 0; i < inputs.files.size(); ++i) {
    if (!inputs.files[i].is_named) continue;
    const SourceFile& file = project.files()[i];
    (void)project.ModuleTree(static_cast<FileId>(i));
    for (size_t k = 0; k < file.outline.classes.size(); ++k) {
      project.ClassTree(file.first_class + static_cast<ClassId>(k));
    }
    for (size_t k = 0; k < file.outline.functions.size(); ++k) {
      project.Tree(file.first_function + static_cast<FunctionId>(k));
    }
  }
}

std::vector<CodeFault> FaultsOf(const Project& project) {
  std::vector<CodeFault> faults;
  RangeFinder places(project);
  for (const SourceFault& fault : project.Faults()) {
    const SourceFile& file = project.files()[fault.file];
    if (!file.is_checked) continue;
    CodeFault& reported = faults.emplace_back();
    reported.file = file.path;
    reported.range = places.RangeOf(fault.file, fault.span);
    reported.message = fault.message;
  }
  return faults;
}

/// Code that was not followed: in which function, and why.
std::vector<CodeFault> NotFollowed(const Project& project, const std::vector<GivenUp>& given_up) {
  std::vector<CodeFault> faults;
  std::set<FileId> has_faults;  // syntax errors are reported separately
  for (const SourceFault& fault : project.Faults()) has_faults.insert(fault.file);
  RangeFinder places(project);
  for (const GivenUp& one : given_up) {
    const SourceFile& file = project.files()[one.file];
    if (!file.is_checked) continue;
    if (one.why == GivenUp::Why::kUnread && has_faults.contains(one.file)) continue;
    CodeFault& fault = faults.emplace_back();
    fault.file = file.path;
    std::string name = "the statements of this file";
    if (one.function != kNoId) {
      name = "`" + project.QualifiedName(one.function) + "`";
      fault.range = places.NameRangeOf(one.function);
    } else {
      fault.range = places.RangeOf(one.file, {});
    }
    switch (one.why) {
      case GivenUp::Why::kSteps:
        fault.message = "following the values of " + name +
                        " takes too many steps; the rest of what runs from here is not checked";
        break;
      case GivenUp::Why::kNesting:
        fault.message = "calls, expressions or blocks in " + name +
                        " are nested too deeply; what lies deeper is not checked";
        break;
      case GivenUp::Why::kCalls:
        fault.message = name + " is called with too many different kinds of arguments; further " +
                        "calls are not followed";
        break;
      case GivenUp::Why::kUnread:
        fault.message = "code in " + name + " is nested too deeply to be read; it is not checked";
        break;
    }
  }
  return faults;
}

void ApplyRule(const CodeRule& rule, std::vector<CodeFault>& faults) {
  for (CodeFault& fault : faults) {
    fault.rule = rule.code;
    fault.name = rule.name;
    fault.severity = rule.severity;
    fault.message = ReaderMessage(rule, fault.message);
    fault.advice = rule.advice;
  }
}

/// Which facts some rule may match. Every analysis asks about the same names.
class WantedFacts {
 public:
  explicit WantedFacts(const CodeRuleSet& rules) : rules_(rules) {}

  bool Has(FactKind kind, std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = known_[kind].try_emplace(llvm::StringRef(name));
    if (is_new) entry->second = rules_.MayMatch(kind, name);
    return entry->second;
  }

 private:
  const CodeRuleSet& rules_;
  std::mutex mutex_;
  std::map<FactKind, llvm::StringMap<bool>> known_;
};

/// The functions that CheckOptions::entries name.
class EntryNames {
 public:
  static Expected<EntryNames> Make(const std::vector<std::string>& patterns) {
    EntryNames names;
    for (const std::string& pattern : patterns) {
      Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
      if (!glob) return MakeError("entry: '" + pattern + "': " + llvm::toString(glob.takeError()));
      names.entries_.push_back({std::move(*glob), pattern, false});
    }
    return names;
  }

  bool Has(const Project& project, FunctionId id) {
    if (entries_.empty()) return false;
    const SourceFunction& function = project.function(id);
    const std::string name =
        project.files()[function.file].module + "." + project.QualifiedName(id);
    bool is_entry = false;
    // Any end of the name will do, as people write it.
    for (llvm::StringRef rest = name; !rest.empty(); rest = rest.split('.').second) {
      for (Entry& entry : entries_) {
        if (!entry.glob.match(rest)) continue;
        is_entry = entry.is_matched = true;
      }
    }
    return is_entry;
  }

  /// The patterns for which Has() was never true.
  std::vector<std::string> Unmatched() const {
    std::vector<std::string> patterns;
    for (const Entry& entry : entries_) {
      if (!entry.is_matched) patterns.push_back(entry.pattern);
    }
    return patterns;
  }

 private:
  struct Entry {
    llvm::GlobPattern glob;
    std::string pattern;
    bool is_matched = false;
  };

  std::vector<Entry> entries_;
};

bool ByPlace(const CodeFinding& a, const CodeFinding& b) {
  return std::tie(a.file, a.range, a.rule, a.message) <
         std::tie(b.file, b.range, b.rule, b.message);
}

/// Removes suppressed findings, file by file.
class CommentReader {
 public:
  CommentReader(const RuleSelection& selection, const CodeInputs& inputs)
      : selection_(selection), inputs_(inputs) {
    for (const CodeRule& rule : RuleSet::Builtin().code_rules()) {
      if (selection.Has(rule.code, rule.name)) active_.emplace_back(rule.code);
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
    // Most files have no such comment; searching for the word first avoids scanning them.
    static const LiteralSet comment({"shapewise", "Shapewise", "SHAPEWISE"});
    if (comment.Occurs(file.text)) {
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

/// Converts places in notebooks to places in their cells.
void MapToCells(const CodeInputs& inputs, CheckResult& result) {
  const auto map_range = [&](const std::string& path, CodeRange& range) {
    const PythonFile* file = inputs.Find(path);
    if (file != nullptr) range = CodeInputs::ReportedRange(*file, range);
  };
  for (std::vector<CodeFinding>* findings : {&result.findings, &result.suppressed_findings}) {
    for (CodeFinding& finding : *findings) {
      map_range(finding.file, finding.range);
      for (RelatedPlace& place : finding.related) map_range(place.file, place.range);
    }
  }
  for (CodeFault& fault : result.faults) map_range(fault.file, fault.range);
}

using Json = nlohmann::json;

// Must change with the saved content.
constexpr int kVersion = 5;

}  // namespace

Expected<CodeAnalysis> AnalyzeCode(const CheckOptions& options, const CodeInputs& inputs) {
  // Check the selectors first: a typo should not cost an analysis.
  Expected<RuleSelection> selection =
      RuleSelection::MakeForCode(RuleSet::Builtin(), options.select, options.ignore);
  if (!selection) return selection.takeError();
  Expected<EntryNames> entries = EntryNames::Make(options.entries);
  if (!entries) return entries.takeError();

  // Outline every file; functions are parsed on demand.
  Project project;
  AddFiles(inputs, project);

  // Follow values from compiled functions: what does the code do there, and around them?
  const CodeRuleSet& rules = CodeRuleSet::Builtin();
  WantedFacts wanted_facts(rules);
  const auto wanted = [&](FactKind kind, std::string_view name) {
    return wanted_facts.Has(kind, name);
  };
  const auto jobs = static_cast<unsigned>(options.jobs > 0 ? options.jobs : NumProcessors());
  FlowResult flow = Follow(
      project, wanted, jobs, [&](FunctionId id) { return entries->Has(project, id); },
      [&](const Fact& fact) { return rules.MayMatch(project, fact); });

  std::vector<Fact> facts = std::move(flow.facts);
  std::ranges::move(flow.outside, std::back_inserter(facts));

  // From here on, the rules decide which facts matter.
  CodeAnalysis analysis;
  analysis.unmatched_entries = entries->Unmatched();
  CheckResult& result = analysis.result;
  result.findings = JudgeFacts(project, facts, rules, options.mode, flow.compiled);
  std::erase_if(result.findings, [&](const CodeFinding& finding) {
    const PythonFile* file = inputs.Find(finding.file);
    return file == nullptr || !file->is_checked || !selection->Has(finding.rule, finding.name);
  });
  std::ranges::sort(result.findings, ByPlace);
  CommentReader(*selection, inputs).Read(result);

  // Sort the findings, and report what could not be read.
  const CodeRule& unreadable = ReaderRule(kUnreadableCode);
  if (selection->Has(unreadable.code, unreadable.name)) {
    ParseNamed(inputs, project);
    result.faults = FaultsOf(project);
    std::ranges::copy(inputs.faults, std::back_inserter(result.faults));
    ApplyRule(unreadable, result.faults);
  }
  const CodeRule& not_followed = ReaderRule(kNotFollowedCode);
  if (selection->Has(not_followed.code, not_followed.name)) {
    std::vector<CodeFault> faults = NotFollowed(project, flow.given_up);
    ApplyRule(not_followed, faults);
    std::ranges::move(faults, std::back_inserter(result.faults));
  }
  std::ranges::sort(result.faults, [](const CodeFault& a, const CodeFault& b) {
    return std::tie(a.file, a.range, a.message) < std::tie(b.file, b.range, b.message);
  });
  result.unread = inputs.unread;
  result.files = inputs.num_files;
  result.functions = flow.reached.size() + flow.lambdas.size();
  result.around = flow.left_out.size();
  MapToCells(inputs, result);
  return analysis;
}

std::string AnalysisKey(const CheckOptions& options, const CodeInputs& inputs,
                        std::string_view version) {
  llvm::SHA1 hash;
  // Lengths distinguish texts that would be equal when concatenated.
  const auto add = [&](std::string_view text) {
    hash.update(std::to_string(text.size()) + ":");
    hash.update(llvm::StringRef(text.data(), text.size()));
  };
  add(version);
  add(std::to_string(static_cast<int>(options.mode)));
  for (const auto* selectors : {&options.select, &options.ignore, &options.entries}) {
    add(std::to_string(selectors->size()));
    for (const std::string& selector : *selectors) add(selector);
  }
  for (const RuleHead* rule : RuleSet::Builtin().Heads()) add(rule->markdown);
  add(std::to_string(inputs.num_files));
  for (const PythonFile& file : inputs.files) {
    add(file.path);
    add(!file.is_checked ? "imported" : file.is_named ? "named" : "checked");
    add(std::to_string(file.text.size()));
    add(llvm::utohexstr(llvm::xxHash64(file.text)));
    // The starts of cells are not part of their text.
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

std::string SaveAnalysis(const CodeAnalysis& analysis) {
  return Json{{"version", kVersion}, {"analysis", analysis}}.dump(-1, ' ', /*ensure_ascii=*/false,
                                                                  Json::error_handler_t::replace);
}

Expected<CodeAnalysis> LoadAnalysis(std::string_view bytes) {
  try {
    // Text, because nlohmann's readers of binary forms recurse.
    const Json json = Json::parse(bytes);
    if (json.at("version") == kVersion) {
      auto analysis = json.at("analysis").get<CodeAnalysis>();
      analysis.result.suppressed = analysis.result.suppressed_findings.size();
      return analysis;
    }
  } catch (const Json::exception&) {
    // Reported below, like another version.
  }
  return MakeError("what was kept of a check is damaged");
}

}  // namespace shapewise
