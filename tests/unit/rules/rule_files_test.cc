// Requirements for the built-in rules. Their examples are tested with the real reader elsewhere.

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "rules/conditions.h"
#include "rules/rule_block.h"
#include "rules/rule_file.h"
#include "rules/rule_set.h"
#include "rules/table_writer.h"
#include "support/catch.h"
#include "support/source_dir.h"

namespace shapewise {
namespace {

const RuleSet& AllRules() { return RuleSet::Builtin(); }

std::vector<RuleFile> AllRuleFiles() {
  std::vector<RuleFile> files;
  for (const RuleHead* head : AllRules().Heads()) {
    Expected<RuleFile> file = ReadRuleFile(head->path, head->markdown);
    if (!file) FAIL(llvm::toString(file.takeError()));
    files.push_back(std::move(*file));
  }
  return files;
}

/// The text of rules/actions.json, which the program does not contain.
std::string SharedActions() {
  std::ifstream file(SourceDir() + "/rules/actions.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rule over code with this code; null if it is one over logs.
const CodeRule* FindCodeRule(std::string_view code) {
  const std::span<const CodeRule> rules = AllRules().code_rules();
  const auto found = std::ranges::find(rules, code, &CodeRule::code);
  return found == rules.end() ? nullptr : &*found;
}

TEST_CASE("the program contains what the rule files say", "[rules]") {
  // The registry and the libraries have no text in the program; the rules have.
  std::vector<RuleSource> sources;
  for (const RuleHead* head : AllRules().Heads()) sources.push_back({head->path, head->markdown});
  const std::string shared_actions = SharedActions();
  sources.push_back({"rules/actions.json", shared_actions});
  Expected<RuleSet> set = RuleSet::FromFiles(sources);
  if (!set) FAIL(llvm::toString(set.takeError()));
  const RuleTables& builtin = AllRules().tables();
  CHECK_FALSE(builtin.rules.empty());
  CHECK_FALSE(builtin.registry.empty());
  CHECK_FALSE(builtin.remedies.empty());
  RuleTables read = builtin;
  read.rules = set->rules();
  read.code_rules = set->code_rules();
  CHECK(WriteTables(read) == WriteTables(builtin));
}

TEST_CASE("several rules name each shared list of actions", "[rules]") {
  std::map<std::string, int> num_uses;
  const nlohmann::json shared = nlohmann::json::parse(SharedActions());
  for (const auto& [name, actions] : shared.items()) num_uses[name];
  CHECK_FALSE(num_uses.empty());
  for (const RuleFile& file : AllRuleFiles()) {
    for (const nlohmann::json& item : RuleBlockOf(file).value("advice", nlohmann::json())) {
      if (item.is_object() && item.contains("same_as")) ++num_uses[item.at("same_as")];
    }
  }
  for (const auto& [name, times] : num_uses) {
    CAPTURE(name);
    CHECK(times > 1);
  }
}

TEST_CASE("every rule file is complete", "[rules]") {
  const std::regex code_form("SW[GSBCLDTRPV][0-9]{3}");
  const std::regex name_form("[a-z0-9]+(-[a-z0-9]+)*");
  for (const RuleFile& file : AllRuleFiles()) {
    CAPTURE(file.path);
    CHECK(file.name == file.stem);
    CHECK(std::regex_match(file.name, name_form));
    CHECK(std::regex_match(file.code, code_form));
    CHECK(file.summary.ends_with('.'));
    const CodeRule* code_rule = FindCodeRule(file.code);
    // A rule that says nothing fires nowhere, and costs nothing.
    const bool is_quiet = code_rule != nullptr && code_rule->is_quiet;
    CHECK(std::ranges::any_of(file.examples, &RuleExample::fires) == !is_quiet);
    CHECK_FALSE(std::ranges::all_of(file.examples, &RuleExample::fires));
    CHECK((file.group == "code") == (code_rule != nullptr));
    CHECK(file.code.starts_with("SWP") == (code_rule != nullptr));
    CHECK(std::ranges::all_of(file.examples, [&](const RuleExample& example) {
      return example.is_code == (code_rule != nullptr);
    }));
    std::vector<const char*> with_text = {"What to do", "Sources"};
    if (!is_quiet) with_text.push_back("Why it costs");
    std::vector<const char*> titles = with_text;
    titles.push_back("Stays quiet");
    if (!is_quiet) titles.push_back("Fires");
    for (const char* title : titles) {
      CAPTURE(title);
      CHECK(std::ranges::count(file.sections, title, &RuleSection::title) == 1);
    }
    for (const char* title : with_text) {
      CAPTURE(title);
      const RuleSection* section = file.FindSection(title);
      CHECK((section != nullptr && !section->blocks.empty()));
    }
  }
}

TEST_CASE("every expectation names a finding of its own rule", "[rules]") {
  for (const RuleFile& file : AllRuleFiles()) {
    const RuleHead* head = AllRules().FindHead(file.code);
    if (head == nullptr) continue;
    // In code a finding that may be false is a note, whatever the rule's severity.
    const bool is_code = FindCodeRule(file.code) != nullptr;
    const std::string severity =
        std::string(SeverityName(head->severity)) + (is_code ? "|note" : "");
    const std::regex form(std::string(is_code ? "code" : "log") + ":(0|[1-9][0-9]*): (" + severity +
                          ")\\[" + file.code + "\\]: .+");
    for (const RuleExample& example : file.examples) {
      for (const std::string& line : example.expect) {
        CAPTURE(file.path, example.line, line);
        CHECK(std::regex_match(line, form));
      }
    }
  }
}

TEST_CASE("the rule that reports the id of a break has the actions for it", "[rules]") {
  for (const Rule& rule : AllRules().rules()) {
    if (rule.over != CauseKind::kGraphBreak) continue;
    for (const AdviceTemplate& advice : rule.advice) {
      const auto condition = std::ranges::find(advice.conditions, "gb", ConditionName);
      if (condition == advice.conditions.end()) continue;
      for (const std::string_view id : condition->words) {
        CAPTURE(rule.path, id);
        const auto entry = std::ranges::find(AllRules().registry(), id, &RegistryEntry::id);
        REQUIRE(entry != AllRules().registry().end());
        Cause cause;
        cause.kind = CauseKind::kGraphBreak;
        cause.gb = id;
        cause.type = entry->type;
        const Rule* match = AllRules().Match(cause);
        REQUIRE(match != nullptr);
        CHECK(match->code == rule.code);
      }
    }
  }
}

TEST_CASE("rules over code name breaks of the registry", "[rules]") {
  for (const CodeRule& rule : AllRules().code_rules()) {
    CAPTURE(rule.path);
    for (const std::string_view id : rule.breaks) {
      CAPTURE(id);
      const RegistryEntry* entry = AllRules().FindBreak(id);
      CHECK((entry != nullptr && entry->id == id));
    }
    CHECK(std::ranges::is_sorted(rule.breaks));
    CHECK((rule.message.empty() || !rule.message.ends_with('.')));
    CHECK((rule.advice.empty() || rule.advice.ends_with('.')));
    CHECK((rule.is_quiet || !rule.advice.empty()));
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
  std::set<std::string_view> covered;
  for (const Rule& rule : AllRules().rules()) {
    if (rule.over != CauseKind::kGraphBreak) continue;
    for (const RuleCondition& condition : rule.conditions) {
      if (ConditionName(condition) == "category") {
        covered.insert(condition.words.begin(), condition.words.end());
      }
    }
  }
  std::set<std::string_view> missing;
  for (const RegistryEntry& entry : AllRules().registry()) {
    if (!covered.contains(entry.category)) missing.insert(entry.category);
  }
  CHECK(missing == std::set<std::string_view>());
}

TEST_CASE("every rule and every graph break can be explained", "[rules]") {
  for (const RuleHead* head : AllRules().Heads()) {
    Expected<std::string> text = AllRules().Explain(head->code);
    if (!text) FAIL(llvm::toString(text.takeError()));
    CHECK(text->starts_with(head->name));
  }
  for (const RegistryEntry& entry : AllRules().registry()) {
    Expected<std::string> text = AllRules().Explain(entry.id);
    if (!text) FAIL(llvm::toString(text.takeError()));
    CAPTURE(entry.id);
    CHECK(text->starts_with(std::string(entry.id) + ": "));
  }
}

}  // namespace
}  // namespace shapewise
