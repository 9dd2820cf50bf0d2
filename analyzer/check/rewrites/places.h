// Indices of true elements: `m.nonzero()` and torch.where(m).

#ifndef SHAPEWISE_CHECK_REWRITES_PLACES_H_
#define SHAPEWISE_CHECK_REWRITES_PLACES_H_

#include "syntax/python_ast.h"

namespace shapewise {

struct Places {
  const Expr* mask = nullptr;  ///< null: the expression does not return indices
  bool is_tuple = false;       ///< one index per dim, as used for indexing
};

Places PlacesOf(const Expr& expr);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_REWRITES_PLACES_H_
