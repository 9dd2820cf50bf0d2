#include "rules/conditions/condition.h"

namespace shapewise {

/// "gb": the break has one of these registry ids, as printed in the log or, where the log prints
/// none, as the registry knows its type.
ConditionKind GbCondition() {
  return {.name = "gb", .fits = [](const Subject& subject, std::string_view word) {
            if (!subject.cause.gb.empty()) return subject.cause.gb == word;
            return subject.entry != nullptr && subject.entry->id == word;
          }};
}

}  // namespace shapewise
