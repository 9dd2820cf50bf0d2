// The `{names}` in a rule's texts.

#ifndef SHAPEWISE_RULES_PLACEHOLDERS_H_
#define SHAPEWISE_RULES_PLACEHOLDERS_H_

#include <string>
#include <string_view>

#include "shapewise/causes/cause.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// `text` with each placeholder replaced by what `cause` says; "?" where it says nothing, "a
/// function" and "a value" for a function and a source. What goes in is one line, clipped where it
/// is long. Braces that are no placeholder stay: code has them too.
///
/// `{? in dim {dim}}` is said only where all placeholders in it are known; `{?{function}|a frame}`
/// gives what to say otherwise.
std::string FillPlaceholders(std::string_view text, const Cause& cause);

/// The same for code to paste: empty where a placeholder is unknown, or {source_expr} is nothing
/// that a program can write.
std::string FillCode(std::string_view code, const Cause& cause);

/// Names the first `{word}` in `text` that is no placeholder. A word is letters and underscores in
/// lower case, so `{'a': 1}` and `{ x }` are plain text.
Error CheckPlaceholders(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_PLACEHOLDERS_H_
