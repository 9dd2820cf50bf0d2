// PyTorch's registry of graph breaks, as rules/graph-breaks/registry.json classifies it.

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

/// The registry, read when it is first asked. A file that cannot be read leaves it empty: breaks
/// are then unclassified, and Check tells why. Safe to share between threads.
class BreakRegistry {
 public:
  /// No path and no text: an empty registry.
  BreakRegistry(std::string path, std::string text);

  /// As RuleSet's functions of the same names.
  const RegistryEntry* FindById(std::string_view id) const;
  const RegistryEntry* FindByType(std::string_view type) const;
  const std::vector<RegistryEntry>& entries() const;

  /// What the codes mean, in words; empty for an unknown one.
  std::string_view CategoryText(std::string_view code) const;
  std::string_view FixText(std::string_view code) const;
  std::string_view HintText(std::string_view code) const;

  /// Whether the file could be read.
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

  // Written once, under once_, by whoever asks first; views point into entries_.
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
