// Messages of checks, as strings without values.

#ifndef SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
#define SHAPEWISE_CHECK_REWRITES_MESSAGES_H_

#include <string>

#include "check/fix_context.h"

namespace shapewise {

/// A string literal with the source of `expr` on one line.
std::string QuotedSource(const FixContext& context, const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_MESSAGES_H_
