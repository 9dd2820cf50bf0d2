// Rules over code, as defined in their files ("over": "code").
//
// The module check interprets "where" and "fix", because it knows about facts
// (check/code_rule_set.h). Here they are stored as written.

#ifndef SHAPEWISE_RULES_CODE_RULE_H_
#define SHAPEWISE_RULES_CODE_RULE_H_

#include <span>
#include <string_view>

#include "rules/rule_head.h"

namespace shapewise {

/// Placeholder in the message of a reader rule for the reader's own words.
inline constexpr std::string_view kFoundPlaceholder = "{found}";

/// What has only one finding of an idiom, with its other places: a class, or a whole file.
inline constexpr std::string_view kFoldInClass = "class";
inline constexpr std::string_view kFoldInFile = "file";

/// A parsed rule over code.
struct CodeRule : RuleHead {
  /// Registry ids of the breaks that its findings cause; empty: none.
  std::span<const std::string_view> breaks;
  double confidence = 1;     ///< 0..1: probability that they do, if the values are as assumed
  bool is_captured = false;  ///< with fullgraph=True, Dynamo takes it into the graph
  bool is_quiet = false;     ///< it suppresses findings instead of reporting them
  std::string_view fold;     ///< kFoldInClass or kFoldInFile; empty: each place for itself
  std::string_view advice;   ///< what to do, one sentence; may be empty
  /// JSON: other advice for some statements; empty: none.
  std::string_view advice_for;
  bool is_of_reader = false;  ///< reported by file readers (check/reader_rules.h)
  std::string_view where;     ///< JSON object: which facts it matches; empty for reader rules
  std::string_view fix;       ///< JSON object: how to fix it; empty: no fix
};

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_CODE_RULE_H_
