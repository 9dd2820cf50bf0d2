// The fix for a function whose results depend on data in so many places that no rewrite helps: it
// runs without compiling, as one break.

#ifndef SHAPEWISE_CHECK_KEEP_OUT_H_
#define SHAPEWISE_CHECK_KEEP_OUT_H_

#include <optional>

#include "check/fix_context.h"

namespace shapewise {

/// A fix that decorates the function of `context` with `@torch.compiler.disable`. Absent if it is
/// `forward` or a constructor, if other decorators, `async` or `yield` change what a call of it is,
/// or if torch cannot be named there.
std::optional<CodeFix> KeepOut(const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_KEEP_OUT_H_
