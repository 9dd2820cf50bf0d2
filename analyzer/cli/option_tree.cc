#include "cli/option_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// Names of values that are files, or begin with one: "FILE.py:NAME".
constexpr std::array<std::string_view, 6> kFileValues = {"FILE", "DIR",  "PATH",
                                                         "RUN",  "SPEC", "LADDER"};

constexpr std::string_view kRuleValue = "RULES";
constexpr std::string_view kRuleOperand = "RULE";

/// The words in "text|json"; empty if the value is not a choice of words, such as "PLAN|LOG".
std::vector<std::string> WordsOf(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  value.split(parts, '|');
  if (parts.size() < 2) return {};
  std::vector<std::string> words;
  for (const llvm::StringRef part : parts) {
    const bool is_word = !part.empty() && llvm::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    if (!is_word) return {};
    words.push_back(part.str());
  }
  return words;
}

OptionFacts ReadOption(const CLI::Option& option, const std::vector<std::string>& rules) {
  OptionFacts facts;
  const bool is_operand = option.get_positional();
  if (is_operand) {
    facts.names.push_back(option.get_name(/*positional=*/true));
  } else {
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  }
  facts.description = option.get_description();
  facts.is_required = option.get_required();
  // CLI11 counts values; an unlimited option has a huge number.
  const int most = option.get_items_expected_max();
  if (most == 0) return facts;
  facts.is_value_optional = option.get_items_expected_min() == 0;
  facts.is_repeatable =
      most > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  facts.value = option.get_type_name();
  facts.words = WordsOf(facts.value);
  if (facts.value == kRuleValue || (is_operand && facts.names.front() == kRuleOperand)) {
    facts.words = rules;
  }
  if (!facts.words.empty()) {
    facts.kind = OfferedValue::kWords;
  } else if (is_operand || std::ranges::find(kFileValues, facts.value) != kFileValues.end()) {
    facts.kind = OfferedValue::kFiles;
  } else {
    facts.kind = OfferedValue::kText;
  }
  return facts;
}

CommandFacts ReadCommand(const CLI::App& app, const std::vector<std::string>& rules) {
  CommandFacts facts;
  facts.name = app.get_name();
  facts.description = app.get_description();
  facts.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    // An option without a group is hidden from help and completion.
    if (option->get_group().empty()) continue;
    (option->get_positional() ? facts.operands : facts.options)
        .push_back(ReadOption(*option, rules));
  }
  return facts;
}

}  // namespace

ProgramFacts ReadOptionTree(const CLI::App& app, const std::vector<std::string>& rules) {
  ProgramFacts facts;
  facts.program = ReadCommand(app, rules);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) facts.commands.push_back(ReadCommand(*command, rules));
  }
  return facts;
}

}  // namespace shapewise
