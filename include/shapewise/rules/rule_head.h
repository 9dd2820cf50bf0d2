// The common part of all rules.

#ifndef SHAPEWISE_RULES_RULE_HEAD_H_
#define SHAPEWISE_RULES_RULE_HEAD_H_

#include <string>

#include "shapewise/result/finding.h"

namespace shapewise {

/// The part of a rule shown in lists and manuals.
struct RuleHead {
  std::string code;     ///< "SWG004"
  std::string name;     ///< "varying-dtype"
  std::string group;    ///< its folder: "guards"
  std::string path;     ///< of its file
  std::string summary;  ///< one sentence
  std::string since;    ///< version of shapewise that introduced it
  Severity severity = Severity::kWarning;
  std::string torch;     ///< releases it applies to; empty: all
  std::string message;   ///< with placeholders
  std::string markdown;  ///< the whole file
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_RULE_HEAD_H_
