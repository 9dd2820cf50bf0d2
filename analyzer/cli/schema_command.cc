#include "cli/commands.h"

#include <algorithm>
#include <string>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/StringExtras.h"
#include "report/report.h"

namespace shapewise {
namespace {

struct SchemaArguments {
  std::string name;
  std::string output;
};

void PrintList(llvm::raw_ostream& out) {
  size_t columns = 0;
  for (const SchemaHead& head : JsonSchemas()) columns = std::max(columns, head.name.size());
  for (const SchemaHead& head : JsonSchemas()) {
    out << llvm::left_justify(head.name, static_cast<unsigned>(columns + 2)) << head.title << "\n";
  }
}

Expected<ExitStatus> RunSchema(SchemaArguments& arguments) {
  if (arguments.name.empty()) return FinishResult(WriteResult(arguments.output, PrintList));
  Expected<std::string> schema = JsonSchema(arguments.name);
  if (!schema) return schema.takeError();
  return FinishResult(
      WriteResult(arguments.output, [&](llvm::raw_ostream& out) { out << *schema; }));
}

void AddSchema(CommandLine& line, SchemaArguments& arguments) {
  line.Add("NAME", &arguments.name, llvm::join(FormatNames(JsonSchemas()), "|"),
           "Name of the schema");
  line.Add("-o,--output", &arguments.output, "FILE", "Write the output to a file");
}

}  // namespace

const Command kSchemaCommand = {16, "schema", "Print the JSON Schema of a command's JSON result",
                                Prepare<SchemaArguments, AddSchema, RunSchema>};

}  // namespace shapewise
