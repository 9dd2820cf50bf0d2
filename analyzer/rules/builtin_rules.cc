// Apart from the other sources of the module, because the build runs those to write the tables.

#include "rules/rule_set.h"
#include "rules/rule_tables.h"

namespace shapewise {

const RuleSet& RuleSet::Builtin() {
  static const auto* const builtin = new RuleSet(FromTables(BuiltinTables()));
  return *builtin;
}

}  // namespace shapewise
