// Messages of checks, as texts that need no value.

#ifndef SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
#define SHAPEWISE_CHECK_REWRITES_MESSAGES_H_

#include <optional>
#include <string>

#include "check/fix_context.h"

namespace shapewise {

/// The source of a string literal without values: of an f-string, without its `f`. Absent for what
/// is no literal.
std::optional<std::string> ConstantText(const FixContext& context, const Expr& message);

/// A string literal that holds the source of `expr` on one line.
std::string QuotedSource(const FixContext& context, const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
