// Parses guards that are relations on sizes, strides and symbolic ints.

#ifndef SHAPEWISE_MODEL_GUARD_RELATION_H_
#define SHAPEWISE_MODEL_GUARD_RELATION_H_

#include <string_view>

#include "shapewise/model/guard.h"

namespace shapewise {

/// Whether `text` is a single source.
bool IsSource(std::string_view text);

/// Whether `text` is a number as Python prints it. `*is_integer`: without point and exponent.
bool IsNumber(std::string_view text, bool* is_integer);

/// Whether `text` is an expression over at least one source without literals of other kinds:
/// `2*x.size()[0]`, but neither `(1+2j)` nor `<Mode.FAST: 1>`.
bool IsExpressionOverSources(std::string_view text);

/// Parses `code` as a relation; returns false and leaves `out` unchanged if it is not one.
/// `says_zero_one`: the comment attributes it to 0/1 specialization.
///
///   (x.size()[0] % 8) == 0     Ne(Mod(L['x'].size()[0], 8), 0)     2 <= x.size()[0]     n <= 20
bool ParseRelation(std::string_view code, bool says_zero_one, GuardFailure& out);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_RELATION_H_
