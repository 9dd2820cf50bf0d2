// Templates of fixes: a rule's "fix" text with parts of the code filled in.

#ifndef SHAPEWISE_CHECK_FIX_TEMPLATE_H_
#define SHAPEWISE_CHECK_FIX_TEMPLATE_H_

#include <optional>
#include <vector>

#include "check/fix_context.h"
#include "check/fixes.h"

namespace shapewise {

/// The edits of a template, without those of its preconditions; absent if it cannot be applied.
std::optional<CodeEdit> FillTemplate(const FixTemplate& way, const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIX_TEMPLATE_H_
