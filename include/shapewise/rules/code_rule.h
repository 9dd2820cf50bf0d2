// Rules over code, as their files have them ("over": "code").
//
// What "where" and "fix" mean is the business of the module check, which knows of facts
// (shapewise/check/code_rule_set.h). Here they are kept as they are written.

#ifndef SHAPEWISE_RULES_CODE_RULE_H_
#define SHAPEWISE_RULES_CODE_RULE_H_

#include <string>
#include <string_view>
#include <vector>

#include "shapewise/rules/rule_head.h"

namespace shapewise {

/// What stands in the message of a reader's rule for what the reader found, in its words.
inline constexpr std::string_view kFoundPlaceholder = "{found}";

/// One rule over code, read.
struct CodeRule : RuleHead {
  std::vector<std::string> breaks;  ///< registry ids that the thing found leads to; empty: none
  double confidence = 1;            ///< 0..1: that it does, where the values are what they seem
  bool is_quiet = false;            ///< it says that there is nothing to say
  bool folds_in_class = false;      ///< further places in a class belong to the first one
  std::string advice;               ///< what to do, one sentence; may be empty
  bool is_of_reader = false;        ///< who reads files tells it (check/reader_rules.h)
  std::string where;                ///< JSON object: which facts it speaks of; of_reader: empty
  std::string fix;                  ///< JSON object: what takes it away; empty: nothing does
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CODE_RULE_H_
