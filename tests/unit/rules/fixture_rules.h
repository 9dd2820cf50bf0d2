// Rules made on the spot, so that no test hangs on the wording of a real one.

#ifndef SHAPEWISE_TESTS_UNIT_RULES_FIXTURE_RULES_H_
#define SHAPEWISE_TESTS_UNIT_RULES_FIXTURE_RULES_H_

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_set.h"
#include "support/catch.h"

namespace shapewise {

/// A whole rule file around the keys of a JSON block: R"("severity": "note", "over": "xla" ...)".
inline std::string RuleText(std::string_view name, std::string_view code, std::string_view keys) {
  std::string text = "# " + std::string(name) + " (" + std::string(code) + ")\n\n";
  text += "What was found.\n\n```json rule\n{\"code\": \"" + std::string(code) + "\", ";
  text += "\"since\": \"0.1\", " + std::string(keys) + "}\n```\n\n";
  return text + "## Why it costs\n\nBecause.\n";
}

/// Files that a RuleSet is made of.
class FixtureFiles {
 public:
  void Add(std::string path, std::string text) {
    paths_.push_back(std::move(path));
    texts_.push_back(std::move(text));
    sources_.push_back({paths_.back(), texts_.back()});
  }

  /// A rule with a short message; `where` is the JSON of its conditions.
  void AddRule(std::string_view name, std::string_view code, std::string_view over,
               std::string_view where) {
    Add("rules/fixture/" + std::string(name) + ".md",
        RuleText(name, code,
                 R"("severity": "warning", "message": "found", "over": ")" + std::string(over) +
                     R"(", "where": )" + std::string(where)));
  }

  Expected<RuleSet> Read() const { return RuleSet::FromFiles(sources_); }

  /// For files that are as they should be.
  RuleSet Set() const {
    Expected<RuleSet> set = Read();
    if (!set) FAIL(llvm::toString(set.takeError()));
    return std::move(*set);
  }

  /// For files that are not.
  std::string ErrorText() const {
    Expected<RuleSet> set = Read();
    return set ? "no error" : llvm::toString(set.takeError());
  }

 private:
  std::deque<std::string> paths_;
  std::deque<std::string> texts_;
  std::vector<RuleSource> sources_;
};

inline constexpr std::string_view kFixtureRegistry = R"({
  "source": "made for tests",
  "categories": {"SCAL": "scalar extraction: a tensor's value becomes a Python number",
                 "IO": "side effects"},
  "fixes": {"A": "rewrite it", "B": "set a flag", "C": "by hand"},
  "hints": {"U": "a user error", "x": "a hint of its own"},
  "entries": [
    {"id": "GB0033", "type": "Data dependent operator", "category": "SCAL", "fix": "B/C",
     "hint": "-", "also": ["data dependent operator:*", "data dependent operator: aten.item*"]},
    {"id": "GB0124", "type": "Unsupported Tensor.item() call", "category": "SCAL", "fix": "B",
     "hint": "Ux", "also": ["Tensor.item", "data dependent operator: aten.item*"]},
    {"id": "GB0059", "type": "Failed to trace builtin operator", "category": "IO", "fix": "C",
     "hint": "x"},
    {"id": "GB4501", "type": "Failed to trace builtin operator", "category": "IO", "fix": "C",
     "hint": "", "alias": "GB0059"}
  ]})";

inline constexpr std::string_view kFixtureRegistryPath = "rules/graph-breaks/registry.json";

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_RULES_FIXTURE_RULES_H_
