// The text of marks on a function's arguments, set by the caller.

#ifndef SHAPEWISE_ADVISE_MARK_CODE_H_
#define SHAPEWISE_ADVISE_MARK_CODE_H_

#include <string>
#include <utility>
#include <vector>

#include "advise/change.h"
#include "advise/function_needs.h"

namespace shapewise {

using VariedDim = std::pair<const Variable, Varied>;

/// Whether it is an item of a list, or a part of one, that some calls do not have, because the
/// number of items changes.
bool IsItemOfVaryingLength(const FunctionNeeds& needs, const Variable& variable);

/// "dim 0 of x, dim 1 of each item of ys and dim 2 of cache.layers[*].keys"
std::string NamesOf(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims);

/// Tensors that have to be marked with `dims`, in all of their dims: a size may have had to equal
/// one of theirs. Empty unless a mark of `dims` without them would be in vain.
std::vector<std::string> LatePartners(const FunctionNeeds& needs,
                                      const std::vector<const VariedDim*>& dims);

/// Statements that mark `dims` and their late partners in every call that has them: by
/// mark_unbacked those that were 0 or 1 at some time, if `with_unbacked`, and by maybe_mark_dynamic
/// all others.
std::string MarkCode(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
                     bool with_unbacked);

}  // namespace shapewise

#endif  // SHAPEWISE_ADVISE_MARK_CODE_H_
