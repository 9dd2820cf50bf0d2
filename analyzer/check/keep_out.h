// The fix for a function whose results depend on data in so many places that no rewrite helps: it
// runs without compiling, as one break.

#ifndef SHAPEWISE_CHECK_KEEP_OUT_H_
#define SHAPEWISE_CHECK_KEEP_OUT_H_

#include <optional>

#include "check/fix_context.h"

namespace shapewise {

/// A fix that decorates the function of `context` with `@torch.compiler.disable`. Absent where that
/// could cost more than the breaks: the function is, or may call, a part of the model; where other
/// decorators, `async` or `yield` change what a call of it is; or where torch cannot be named
/// there.
std::optional<CodeFix> KeepOut(const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_KEEP_OUT_H_
