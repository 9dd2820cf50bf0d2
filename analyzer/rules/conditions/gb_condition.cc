#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "gb": the break has one of these registry ids: the one in the log, or the one that the registry
/// gives to its type, or the one under which a removed id lives on.
ConditionKind GbCondition() {
  return {.name = "gb", .fits = [](const Subject& subject, std::string_view word) {
            if (subject.cause.gb == word) return true;
            return subject.entry != nullptr &&
                   (subject.entry->id == word || subject.entry->alias == word);
          }};
}

}  // namespace shapewise
