// The common part of all rules.

#ifndef SHAPEWISE_RULES_RULE_HEAD_H_
#define SHAPEWISE_RULES_RULE_HEAD_H_

#include <string_view>

#include "result/finding.h"

namespace shapewise {

/// The part of a rule shown in lists and manuals. All texts and lists of rules are views into the
/// RuleSet that they belong to, or into the program.
struct RuleHead {
  std::string_view code;     ///< "SWG004"
  std::string_view name;     ///< "varying-dtype"
  std::string_view group;    ///< its folder: "guards"
  std::string_view path;     ///< of its file
  std::string_view summary;  ///< one sentence
  std::string_view since;    ///< version of shapewise that introduced it
  Severity severity = Severity::kWarning;
  std::string_view torch;     ///< releases it applies to; empty: all
  std::string_view message;   ///< with placeholders
  std::string_view markdown;  ///< the whole file
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_HEAD_H_
