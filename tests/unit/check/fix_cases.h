// Fixes of facts that a test makes by hand: before -> after.

#ifndef SHAPEWISE_TESTS_UNIT_CHECK_FIX_CASES_H_
#define SHAPEWISE_TESTS_UNIT_CHECK_FIX_CASES_H_

#include <optional>
#include <string>
#include <string_view>

#include "check/fixes.h"

namespace shapewise {

/// A fact made by a test: the expression at its place, by its text, and its values.
struct HandMadeFact {
  std::string_view at;         ///< the text of an expression; the first that is so
  Value subject = {};          ///< a tensor, unless the test says otherwise
  std::string_view name = {};  ///< of what is called, in full
  bool in_try = false;
  bool is_statement = false;  ///< the fact is about the statement that contains `at`
};

/// The fix of `json`, a rule's "fix", for the fact in `text`; absent where it is refused.
std::optional<CodeFix> FixOf(std::string_view text, std::string_view json,
                             const HandMadeFact& fact);

/// The text with that fix, or "refused".
std::string Fixed(std::string_view text, std::string_view json, const HandMadeFact& fact);

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_UNIT_CHECK_FIX_CASES_H_
