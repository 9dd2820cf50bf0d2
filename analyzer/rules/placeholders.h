// Fills in `{names}` in the texts of rules.

#ifndef SHAPEWISE_RULES_PLACEHOLDERS_H_
#define SHAPEWISE_RULES_PLACEHOLDERS_H_

#include <string>
#include <string_view>

#include "causes/cause.h"
#include "support/error.h"

namespace shapewise {

/// `text` with each placeholder replaced by its value in `cause`; "(unknown)" if unknown, or "a
/// function" and "a value" for a function and a source. Values are one line, shortened if long.
/// Other braces stay, because code contains them, too.
///
/// `{? in dim {dim}}` is used only if all placeholders in it are known; `{?{function}|a frame}`
/// defines an alternative.
std::string FillPlaceholders(std::string_view text, const Cause& cause);

/// The same for an action or a next step: a function that the log does not name is "the function",
/// because the message above has introduced it.
std::string FillActionText(std::string_view text, const Cause& cause);

/// The same for code to paste: empty if a placeholder is unknown, or {source_expr} cannot be
/// written in a program.
std::string FillCode(std::string_view code, const Cause& cause);

/// Error: names the first `{word}` in `text` that is not a placeholder. A word consists of
/// lower-case letters and underscores, so `{'a': 1}` and `{ x }` are plain text.
Error CheckPlaceholders(std::string_view text);

/// A user's line as texts name it: "train.py:13: y = model(x)" -> "`y = model(x)` (train.py:13)".
std::string CallingLineText(std::string_view caller);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_PLACEHOLDERS_H_
