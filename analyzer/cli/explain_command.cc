#include "cli/commands.h"

#include <string>

#include "cli/result_output.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

Expected<ExitStatus> RunExplain(const std::string& what) {
  Expected<std::string> manual = RuleSet::Builtin().Explain(what);
  if (!manual) return manual.takeError();
  return FinishResult(WriteResult("", [&](llvm::raw_ostream& out) { out << *manual; }));
}

void AddExplain(CommandLine& line, std::string& what) {
  line.Add("RULE", &what, "", "Code or name of a rule, or id of a graph break",
           {.is_required = true});
}

}  // namespace

const Command kExplainCommand = {14, "explain", "Print the manual of a rule or a graph break",
                                 Prepare<std::string, AddExplain, RunExplain>};

}  // namespace shapewise
