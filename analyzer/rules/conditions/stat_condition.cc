#include "rules/conditions/builtin_conditions.h"

namespace shapewise {

/// "stat" (over: log): this data-quality counter is not zero.
ConditionKind StatCondition() {
  return {.name = "stat",
          .known_words =
              [] {
                std::vector<std::string_view> names;
                for (const StatInfo& info : kStatInfos) names.push_back(info.name);
                return names;
              },
          .fits =
              [](const Subject& subject, std::string_view word) {
                return subject.stat && kStatInfos[static_cast<size_t>(*subject.stat)].name == word;
              }};
}

}  // namespace shapewise
