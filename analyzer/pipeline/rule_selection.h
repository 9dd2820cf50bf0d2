// Selects rules.

#ifndef SHAPEWISE_PIPELINE_RULE_SELECTION_H_
#define SHAPEWISE_PIPELINE_RULE_SELECTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_set.h"
#include "support/error.h"

namespace shapewise {

/// A selection of rules by selectors. A selector is a rule's code ("SWG004"), a code prefix
/// ("SWG"), or a rule's name ("varying-dtype"), ignoring case. The most specific matching selector
/// wins; ties go to `ignore`: "--select SWG004 --ignore SWG" selects SWG004.
class RuleSelection {
 public:
  /// Selects rules over logs. Error: a selector that matches none of them; suggests the nearest.
  static Expected<RuleSelection> Make(const RuleSet& rules, const std::vector<std::string>& select,
                                      const std::vector<std::string>& ignore);

  /// Selects rules over code.
  static Expected<RuleSelection> MakeForCode(const RuleSet& rules,
                                             const std::vector<std::string>& select,
                                             const std::vector<std::string>& ignore);

  bool Has(std::string_view code, std::string_view name) const;

 private:
  /// `others`: what `other_rules` are about.
  static Expected<RuleSelection> MakeAmong(const std::vector<const RuleHead*>& rules,
                                           const std::vector<const RuleHead*>& other_rules,
                                           std::string_view others,
                                           const std::vector<std::string>& select,
                                           const std::vector<std::string>& ignore);

  std::vector<std::string> select_;
  std::vector<std::string> ignore_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RULE_SELECTION_H_
