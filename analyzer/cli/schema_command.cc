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

constexpr const char* kSchemaExamples =
    R"(NAME is the command, or the part between the dot and the slash of "schema" in a result, such as
"shapewise.lint/1". Without a name, all schemas are listed. The output is JSON Schema 2020-12.
New members may be added to a result; removing one changes the schema number.

Examples:
  shapewise schema                            list the schemas
  shapewise schema lint > lint.schema.json
  shapewise schema check-lines                for one line of check --format jsonl)";

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
                                kSchemaExamples, Prepare<SchemaArguments, AddSchema, RunSchema>};

}  // namespace shapewise
