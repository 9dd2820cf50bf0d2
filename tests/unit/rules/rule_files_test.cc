// What makes the rules that are built into the program complete. Their examples are run through the
// real reader elsewhere.

#include <algorithm>
#include <regex>
#include <set>

#include "rules/embedded_files.h"
#include "rules/rule_file.h"
#include "shapewise/rules/rule_set.h"
#include "support/catch.h"

namespace shapewise {
namespace {

/// All rule files but those whose faults the first test tells.
std::vector<RuleFile> AllRuleFiles() {
  std::vector<RuleFile> files;
  for (const RuleSource& source : EmbeddedFiles()) {
    if (!source.path.ends_with(".md")) continue;
    Expected<RuleFile> file = ReadRuleFile(source.path, source.text);
    if (file) {
      files.push_back(std::move(*file));
    } else {
      llvm::consumeError(file.takeError());
    }
  }
  return files;
}

/// The built-in rules; no rules if some cannot be read.
const RuleSet& AllRules() {
  static const RuleSet* const rules = [] {
    Expected<RuleSet> set = RuleSet::FromFiles(EmbeddedFiles());
    if (!set) {
      llvm::consumeError(set.takeError());
      set = RuleSet::FromFiles({});
    }
    return new RuleSet(std::move(*set));
  }();
  return *rules;
}

TEST_CASE("every rule file can be read", "[rules]") {
  Expected<RuleSet> set = RuleSet::FromFiles(EmbeddedFiles());
  if (!set) FAIL(llvm::toString(set.takeError()));
  CHECK_FALSE(set->rules().empty());
}

TEST_CASE("the registry can be read, and rules name its categories only", "[rules]") {
  CHECK(llvm::toString(AllRules().CheckRegistry()).empty());
  CHECK_FALSE(AllRules().registry().empty());
}

TEST_CASE("every rule file is complete", "[rules]") {
  const std::regex code_form("SW[GSBCLDTR][0-9]{3}");
  const std::regex name_form("[a-z0-9]+(-[a-z0-9]+)*");
  for (const RuleFile& file : AllRuleFiles()) {
    CAPTURE(file.path);
    CHECK(file.name == file.stem);
    CHECK(std::regex_match(file.name, name_form));
    CHECK(std::regex_match(file.code, code_form));
    CHECK(file.summary.ends_with('.'));
    CHECK(std::ranges::any_of(file.examples, &RuleExample::fires));
    CHECK_FALSE(std::ranges::all_of(file.examples, &RuleExample::fires));
    for (const char* title : {"Why it costs", "What to do", "Fires", "Stays quiet", "Sources"}) {
      CAPTURE(title);
      CHECK(std::ranges::count(file.sections, title, &RuleSection::title) == 1);
    }
    for (const char* title : {"Why it costs", "What to do", "Sources"}) {
      CAPTURE(title);
      const RuleSection* section = file.FindSection(title);
      CHECK((section != nullptr && !section->blocks.empty()));
    }
  }
}

TEST_CASE("every expectation is a finding of its own rule", "[rules]") {
  for (const RuleFile& file : AllRuleFiles()) {
    const Rule* rule = AllRules().Find(file.code);
    if (rule == nullptr) continue;
    const std::string head =
        std::string(SeverityName(rule->severity)) + "\\[" + file.code + "\\]: ";
    const std::regex form("log:(0|[1-9][0-9]*): " + head + ".+");
    for (const RuleExample& example : file.examples) {
      for (const std::string& line : example.expect) {
        CAPTURE(file.path, example.line, line);
        CHECK(std::regex_match(line, form));
      }
    }
  }
}

TEST_CASE("messages are clauses, and advice is sentences", "[rules]") {
  for (const Rule& rule : AllRules().rules()) {
    CAPTURE(rule.path);
    CHECK_FALSE(rule.message.ends_with('.'));
    for (const AdviceTemplate& advice : rule.advice) {
      CAPTURE(advice.text, advice.trap);
      CHECK(advice.text.ends_with('.'));
      CHECK((advice.trap.empty() || advice.trap.ends_with('.')));
    }
  }
}

TEST_CASE("every kind of cause has a rule without conditions", "[rules]") {
  for (int kind = 0; kind <= static_cast<int>(CauseKind::kXla); ++kind) {
    const auto over = static_cast<CauseKind>(kind);
    CAPTURE(CauseKindName(over));
    CHECK(std::ranges::any_of(AllRules().rules(), [&](const Rule& rule) {
      return rule.over == over && rule.conditions.empty();
    }));
  }
}

TEST_CASE("every category of graph breaks is covered by a rule", "[rules]") {
  std::set<std::string> covered;
  for (const Rule& rule : AllRules().rules()) {
    if (rule.over != CauseKind::kGraphBreak) continue;
    for (const RuleCondition& condition : rule.conditions) {
      if (condition.name == "category") {
        covered.insert(condition.words.begin(), condition.words.end());
      }
    }
  }
  std::set<std::string> missing;
  for (const RegistryEntry& entry : AllRules().registry()) {
    if (!covered.contains(entry.category)) missing.insert(entry.category);
  }
  CHECK(missing == std::set<std::string>());
}

TEST_CASE("every rule and every graph break can be explained", "[rules]") {
  for (const Rule& rule : AllRules().rules()) {
    Expected<std::string> text = AllRules().Explain(rule.code);
    if (!text) FAIL(llvm::toString(text.takeError()));
    CHECK(text->starts_with(rule.name));
  }
  for (const RegistryEntry& entry : AllRules().registry()) {
    Expected<std::string> text = AllRules().Explain(entry.id);
    if (!text) FAIL(llvm::toString(text.takeError()));
    CAPTURE(entry.id);
    CHECK(text->starts_with(entry.id + ": "));
  }
}

}  // namespace
}  // namespace shapewise
