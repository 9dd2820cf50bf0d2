#include "cli/commands.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/Support/FormatVariadic.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

struct RulesArguments {
  std::vector<std::string> rules;
  std::string format = "text";
};

using Heads = std::vector<const RuleHead*>;

/// The rules with these codes, beginnings of codes or names; all rules if `wanted` is empty.
Expected<Heads> Selected(const std::vector<std::string>& wanted) {
  Heads heads = RuleSet::Builtin().Heads();
  const auto is_meant = [](const RuleHead& head, const std::string& word) {
    return head.code.starts_with(word) || head.name == word;
  };
  for (const std::string& word : wanted) {
    if (std::ranges::any_of(heads, [&](const RuleHead* head) { return is_meant(*head, word); })) {
      continue;
    }
    return MakeError("no rule has the code or name '" + word + "'; `shapewise rules` lists them");
  }
  if (wanted.empty()) return heads;
  std::erase_if(heads, [&](const RuleHead* head) {
    return std::ranges::none_of(wanted, [&](const auto& word) { return is_meant(*head, word); });
  });
  return heads;
}

void PrintTable(const Heads& heads, llvm::raw_ostream& out) {
  size_t name_columns = 0;
  for (const RuleHead* head : heads) name_columns = std::max(name_columns, head->name.size());
  for (const RuleHead* head : heads) {
    out << llvm::left_justify(head->code, 8);
    out << llvm::left_justify(SeverityName(head->severity), 9);
    out << llvm::left_justify(head->name, static_cast<unsigned>(name_columns + 2));
    out << head->summary << "\n";
  }
}

void PrintJson(const Heads& heads, llvm::raw_ostream& out) {
  using Json = nlohmann::ordered_json;
  const Json tool = {{"name", "shapewise"}, {"version", SHAPEWISE_VERSION}};
  out << "{\n \"schema\": \"shapewise.rules/1\",\n \"tool\": " << tool.dump() << ",\n \"rules\": [";
  const char* separator = "\n  ";
  for (const RuleHead* head : heads) {
    const Json object = {{"code", head->code},   {"severity", SeverityName(head->severity)},
                         {"name", head->name},   {"summary", head->summary},
                         {"torch", head->torch}, {"since", head->since}};
    out << separator << object.dump();
    separator = ",\n  ";
  }
  out << "\n ]\n}\n";
}

Expected<ExitStatus> RunRules(const RulesArguments& arguments) {
  Expected<Heads> heads = Selected(arguments.rules);
  if (!heads) return heads.takeError();
  return FinishResult(WriteResult("", [&](llvm::raw_ostream& out) {
    arguments.format == "json" ? PrintJson(*heads, out) : PrintTable(*heads, out);
  }));
}

void AddRules(CommandLine& line, RulesArguments& arguments) {
  line.Add("RULE", &arguments.rules, "",
           "Codes, beginnings of codes, or names [default: all rules]");
  AddChoice(line, "--format", arguments.format, {"text", "json"}, "Output format");
}

}  // namespace

const Command kRulesCommand = {15, "rules", "List all rules",
                               Prepare<RulesArguments, AddRules, RunRules>};

}  // namespace shapewise
