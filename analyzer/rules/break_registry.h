// PyTorch's registry of graph breaks, as classified in rules/graph-breaks/registry.json.

#ifndef SHAPEWISE_RULES_BREAK_REGISTRY_H_
#define SHAPEWISE_RULES_BREAK_REGISTRY_H_

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shapewise/rules/rule_set.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// The registry, parsed on first use. An unreadable file leaves it empty: breaks are then
/// unclassified, and Check reports why. Safe to share between threads.
class BreakRegistry {
 public:
  /// An empty path and text: an empty registry.
  BreakRegistry(std::string path, std::string text);

  /// See the functions with the same names in RuleSet.
  const RegistryEntry* FindById(std::string_view id) const;
  const RegistryEntry* FindByType(std::string_view type) const;
  const std::vector<RegistryEntry>& entries() const;

  /// The meaning of codes, in words; empty: unknown code.
  std::string_view CategoryText(std::string_view code) const;
  std::string_view FixText(std::string_view code) const;
  std::string_view HintText(std::string_view code) const;

  /// An error if the file could not be read.
  Error Check() const;

 private:
  void ReadOnce() const;
  void Read() const;
  void Index() const;

  using Words = std::map<std::string, std::string, std::less<>>;
  struct PrefixWording {
    std::string_view start;
    size_t entry;
  };

  std::string path_;
  std::string text_;

  // Written once, under once_, on first use; views point into entries_.
  mutable std::once_flag once_;
  mutable std::string error_;
  mutable std::vector<RegistryEntry> entries_;
  mutable Words categories_;
  mutable Words fixes_;
  mutable Words hints_;
  mutable std::unordered_map<std::string_view, size_t> by_id_;
  mutable std::unordered_map<std::string_view, size_t> by_type_;
  mutable std::vector<PrefixWording> prefixes_;  // longest first
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_BREAK_REGISTRY_H_
