// PyTorch's registry of graph breaks, as classified in rules/graph-breaks/registry.json.

#ifndef SHAPEWISE_RULES_BREAK_REGISTRY_H_
#define SHAPEWISE_RULES_BREAK_REGISTRY_H_

#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/rule_set.h"
#include "rules/rule_storage.h"
#include "rules/rule_tables.h"
#include "support/error.h"

namespace shapewise {

/// Reads registry.json into the tables of the registry. Errors name the file.
Error ReadRegistry(std::string_view path, std::string_view text, RuleStorage& storage,
                   RuleTables& tables);

/// Finds entries of the registry. The index is made on first use. Safe to share between threads.
class BreakRegistry {
 public:
  explicit BreakRegistry(const RuleTables& tables) : tables_(tables) {}

  /// See the functions with the same names in RuleSet.
  const RegistryEntry* FindById(std::string_view id) const;
  const RegistryEntry* FindByType(std::string_view type) const;

  /// The meaning of codes, in words; empty: unknown code.
  std::string_view CategoryText(std::string_view code) const;
  std::string_view FixText(std::string_view code) const;
  std::string_view HintText(std::string_view code) const;

 private:
  struct PrefixWording {
    std::string_view start;
    const RegistryEntry* entry;  // in the table
  };

  void IndexOnce() const;

  RuleTables tables_;

  // Written once, under once_, on first use.
  mutable std::once_flag once_;
  mutable std::unordered_map<std::string_view, const RegistryEntry*> by_id_;
  mutable std::unordered_map<std::string_view, const RegistryEntry*> by_type_;
  mutable std::vector<PrefixWording> prefixes_;  // longest first
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_BREAK_REGISTRY_H_
