// JSON Schemas of the program's results (analyzer/docs/json-output.md).

#ifndef SHAPEWISE_REPORT_JSON_SCHEMA_H_
#define SHAPEWISE_REPORT_JSON_SCHEMA_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"

namespace shapewise {

/// A schema in a list.
struct SchemaHead {
  std::string name;   ///< "lint": the "schema" member of the result is "shapewise.lint/1"
  std::string title;  ///< the command that prints such a result
};

/// The names of all schemas, sorted. They live as long as the program.
std::vector<std::string_view> JsonSchemaNames();

/// All schemas by name, parsed for their titles. Thread-safe.
std::span<const SchemaHead> JsonSchemas();

/// The schema called `name`, draft 2020-12, as text that ends with a newline. It is self-contained:
/// shared definitions are included. Error: unknown name; suggests the nearest.
Expected<std::string> JsonSchema(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_SCHEMA_H_
