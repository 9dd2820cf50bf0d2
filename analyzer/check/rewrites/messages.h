// Messages of checks, as strings without values.

#ifndef SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
#define SHAPEWISE_CHECK_REWRITES_MESSAGES_H_

#include <optional>
#include <string>

#include "check/fix_context.h"

namespace shapewise {

/// The source of a string literal without values: for an f-string, without its `f`. Absent if it is
/// not a literal.
std::optional<std::string> ConstantText(const FixContext& context, const Expr& message);

/// A string literal with the source of `expr` on one line.
std::string QuotedSource(const FixContext& context, const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
