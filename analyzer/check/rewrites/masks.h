// Reads through masks: `x[m]` and torch.masked_select(x, m).

#ifndef SHAPEWISE_CHECK_REWRITES_MASKS_H_
#define SHAPEWISE_CHECK_REWRITES_MASKS_H_

#include <optional>
#include <string>

#include "check/fix_context.h"

namespace shapewise {

struct MaskedRead {
  const Expr* base = nullptr;
  const Expr* mask = nullptr;
  bool broadcasts = false;  ///< the mask is broadcast from the right, as in masked_select
};

/// The masked read in `expr`; absent for anything else.
std::optional<MaskedRead> MaskedReadOf(const Expr& expr);

/// Whether `expr` is a name or an attribute of one, so that writing it twice costs nothing.
bool IsSimple(const Expr& expr);

/// Whether mask and base have the same shape, as far as their names show. If not, torch.where
/// cannot take the mask as it is: an index `base[mask]` aligns dims from the left, torch.where from
/// the right.
bool HasSameShape(const FixContext& context, const Expr& mask, const Expr& base);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_MASKS_H_
