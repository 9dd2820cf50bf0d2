#include <algorithm>

#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "zero_or_one": the values include 0 or 1, for which Dynamo makes separate graphs.
ConditionKind ZeroOrOneCondition() {
  return {.name = "zero_or_one", .is_true = [](const Subject& subject) {
            return std::ranges::any_of(subject.cause.values, [](const std::string& value) {
              return value == "0" || value == "1";
            });
          }};
}

}  // namespace shapewise
