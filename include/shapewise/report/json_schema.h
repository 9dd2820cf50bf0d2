// JSON Schemas of the results that the program prints (analyzer/docs/json-output.md).

#ifndef SHAPEWISE_REPORT_JSON_SCHEMA_H_
#define SHAPEWISE_REPORT_JSON_SCHEMA_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shapewise/support/error.h"

namespace shapewise {

/// One schema, told in a list.
struct SchemaHead {
  std::string name;   ///< "lint": the member "schema" of the result is "shapewise.lint/1"
  std::string title;  ///< what prints such a result
};

/// The names of all schemas, sorted. They live as long as the program.
std::vector<std::string_view> JsonSchemaNames();

/// All schemas by name, read for their titles. Safe to call from several threads.
std::span<const SchemaHead> JsonSchemas();

/// The schema called `name`, draft 2020-12, as text that ends with a newline. It stands alone: what
/// several schemas share is in it. Error: there is none of this name; the nearest one is named.
Expected<std::string> JsonSchema(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_SCHEMA_H_
