// Templates of fixes: the text of a rule's "fix" with parts of the code put in.

#ifndef SHAPEWISE_CHECK_FIX_TEMPLATE_H_
#define SHAPEWISE_CHECK_FIX_TEMPLATE_H_

#include <optional>
#include <vector>

#include "check/fix_context.h"
#include "shapewise/check/fixes.h"

namespace shapewise {

/// The edits of a template, without those of its preconditions; absent where it does not fit.
std::optional<CodeEdit> FillTemplate(const FixTemplate& way, const FixContext& context);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_FIX_TEMPLATE_H_
