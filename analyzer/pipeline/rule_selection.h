// Which rules the user wants to hear of.

#ifndef SHAPEWISE_PIPELINE_RULE_SELECTION_H_
#define SHAPEWISE_PIPELINE_RULE_SELECTION_H_

#include <string>
#include <vector>

#include "shapewise/rules/rule_set.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// A choice of rules by selectors. A selector is a rule's code ("SWG004"), the beginning of some
/// codes ("SWG"), or a rule's name ("varying-dtype"); case does not count. Among several that fit,
/// the one that says more wins, and of equals `ignore`: "--select SWG004 --ignore SWG" tells of
/// SWG004.
class RuleSelection {
 public:
  /// A choice of the rules over logs. Error: a selector that fits none of them; the message names
  /// the nearest that would.
  static Expected<RuleSelection> Make(const RuleSet& rules, const std::vector<std::string>& select,
                                      const std::vector<std::string>& ignore);

  /// Likewise a choice of the rules over code.
  static Expected<RuleSelection> MakeForCode(const RuleSet& rules,
                                             const std::vector<std::string>& select,
                                             const std::vector<std::string>& ignore);

  bool Has(const std::string& code, const std::string& name) const;

 private:
  static Expected<RuleSelection> MakeAmong(const std::vector<const RuleHead*>& rules,
                                           const std::vector<std::string>& select,
                                           const std::vector<std::string>& ignore);

  std::vector<std::string> select_;
  std::vector<std::string> ignore_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_RULE_SELECTION_H_
