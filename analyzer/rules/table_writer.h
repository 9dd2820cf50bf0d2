// Writes rules as C++, so that the program need not parse them when it starts.

#ifndef SHAPEWISE_RULES_TABLE_WRITER_H_
#define SHAPEWISE_RULES_TABLE_WRITER_H_

#include <string>

#include "rules/rule_tables.h"

namespace shapewise {

/// A source file that defines BuiltinTables() as `tables`, all of it constant expressions.
std::string WriteTables(const RuleTables& tables);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_TABLE_WRITER_H_
