// Conditions: the keys of a rule's "where".

#ifndef SHAPEWISE_RULES_CONDITIONS_H_
#define SHAPEWISE_RULES_CONDITIONS_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "causes/cause.h"
#include "rules/rule_set.h"
#include "support/stats.h"

namespace shapewise {

/// The values on which a condition is evaluated.
struct Subject {
  const Cause& cause;                    ///< for the log: where, count, type and message are set
  const RegistryEntry* entry = nullptr;  ///< graph_break: its registry entry; null: unclassified
  std::optional<Stat> stat;              ///< log: the non-zero counter
};

/// A condition. Either `fits` is set, and its value is a list of which any word may match, or
/// `is_true`, and its value is true or false.
struct ConditionKind {
  std::string_view name;  ///< key of "where"

  /// The words that a list may contain; null: any text.
  std::vector<std::string_view> (*known_words)() = nullptr;
  bool (*fits)(const Subject& subject, std::string_view word) = nullptr;
  bool (*is_true)(const Subject& subject) = nullptr;

  bool takes_list() const { return fits != nullptr; }
};

/// All conditions, in list order: RuleCondition::kind is an index.
std::span<const ConditionKind> BuiltinConditions();

/// The key of `condition`: "class".
std::string_view ConditionName(const RuleCondition& condition);

/// Whether `condition` holds for `subject`.
bool Holds(const RuleCondition& condition, const Subject& subject);

/// The names of the enumerators from 0 to `last`, without unnamed ones.
template <typename Enum>
std::vector<std::string_view> NamesUpTo(Enum last, std::string_view (*name)(Enum)) {
  std::vector<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    const std::string_view word = name(static_cast<Enum>(value));
    if (!word.empty()) names.push_back(word);
  }
  return names;
}

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CONDITIONS_H_
