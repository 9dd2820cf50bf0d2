#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "gb": the registry id of the break: the one in the log, the one that the registry assigns to its
/// type, or the replacement of a removed id.
ConditionKind GbCondition() {
  return {.name = "gb", .fits = [](const Subject& subject, std::string_view word) {
            if (subject.cause.gb == word) return true;
            return subject.entry != nullptr &&
                   (subject.entry->id == word || subject.entry->alias == word);
          }};
}

}  // namespace shapewise
