// Parses reasons that are the Python code of a guard.

#ifndef SHAPEWISE_MODEL_GUARD_EXPRESSION_H_
#define SHAPEWISE_MODEL_GUARD_EXPRESSION_H_

#include <string_view>

#include "shapewise/model/guard.h"

namespace shapewise {

/// Sets class, source, dim and expected value of `out` from the guard `code`, without its comment:
///
///   L['x'] == 3      len(xs) != 2      ___check_obj_id(L['f'], 140030620899312)
///   (L['x'].size()[0] % 8) == 0        Eq(Mod(L['x'].size()[0], 8), 0)       2 <= x.size()[0]
///
/// `says_zero_one`: the comment attributes the guard to 0/1 specialization. Unknown code keeps the
/// class kOther.
void ParseExpression(std::string_view code, bool says_zero_one, GuardFailure& out);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_EXPRESSION_H_
