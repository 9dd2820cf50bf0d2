#include <algorithm>

#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "zero_or_one": 0 or 1 is among the values, of which Dynamo makes a graph of their own.
ConditionKind ZeroOrOneCondition() {
  return {.name = "zero_or_one", .is_true = [](const Subject& subject) {
            return std::ranges::any_of(subject.cause.values, [](const std::string& value) {
              return value == "0" || value == "1";
            });
          }};
}

}  // namespace shapewise
