#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/result_output.h"
#include "cli/value_checks.h"
#include "llvm/Support/FormatVariadic.h"
#include "shapewise/rules/rule_set.h"

namespace shapewise {
namespace {

constexpr const char* kRulesExamples =
    "Examples:\n"
    "  shapewise rules\n"
    "  shapewise rules --format json";

void PrintTable(const RuleSet& rules, llvm::raw_ostream& out) {
  size_t name_columns = 0;
  const std::vector<const RuleHead*> heads = rules.Heads();
  for (const RuleHead* head : heads) name_columns = std::max(name_columns, head->name.size());
  for (const RuleHead* head : heads) {
    out << llvm::left_justify(head->code, 8);
    out << llvm::left_justify(SeverityName(head->severity), 9);
    out << llvm::left_justify(head->name, static_cast<unsigned>(name_columns + 2));
    out << head->summary << "\n";
  }
}

void PrintJson(const RuleSet& rules, llvm::raw_ostream& out) {
  using Json = nlohmann::ordered_json;
  const Json tool = {{"name", "shapewise"}, {"version", SHAPEWISE_VERSION}};
  out << "{\n \"schema\": \"shapewise.rules/1\",\n \"tool\": " << tool.dump() << ",\n \"rules\": [";
  const char* separator = "\n  ";
  for (const RuleHead* head : rules.Heads()) {
    const Json object = {{"code", head->code},   {"severity", SeverityName(head->severity)},
                         {"name", head->name},   {"summary", head->summary},
                         {"torch", head->torch}, {"since", head->since}};
    out << separator << object.dump();
    separator = ",\n  ";
  }
  out << "\n ]\n}\n";
}

CommandRun AddRules(CLI::App& app) {
  const auto format = std::make_shared<std::string>("text");
  app.add_option("--format", *format, "Form of the list [default: text]")
      ->check(OneOf({"text", "json"}))
      ->type_name("text|json");
  return [format] {
    return FinishResult(WriteResult("", [&](llvm::raw_ostream& out) {
      const RuleSet& rules = RuleSet::Builtin();
      *format == "json" ? PrintJson(rules, out) : PrintTable(rules, out);
    }));
  };
}

}  // namespace

const Command kRulesCommand = {"rules", "List all rules", kRulesExamples, AddRules};

}  // namespace shapewise
