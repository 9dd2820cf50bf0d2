// Integer expressions as sums of multiples, the shape in which they are reasoned about.

#ifndef SHAPEWISE_SYMBOLIC_LINEAR_FORM_H_
#define SHAPEWISE_SYMBOLIC_LINEAR_FORM_H_

#include <cstdint>
#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "shapewise/symbolic/expression.h"

namespace shapewise {

/// (sum of coefficient * base, + constant) / denominator. Bases are integers and no sums; they
/// stand once each, by id, with coefficients other than 0.
struct LinearForm {
  struct Term {
    ExprId base = ExprId::kNone;
    int64_t coefficient = 0;
  };
  llvm::SmallVector<Term, 4> terms;
  int64_t constant = 0;
  int64_t denominator = 1;  ///< positive
};

/// `id` as a linear form; with `expands`, products of sums are multiplied out. Absent: a part is no
/// integer, or a coefficient does not fit in 64 bits.
std::optional<LinearForm> MakeLinearForm(ExprPool& pool, ExprId id, bool expands);

/// form + factor * other; `other` has denominator 1. Absent: it does not fit.
std::optional<LinearForm> AddForms(const LinearForm& form, const LinearForm& other, int64_t factor);

std::optional<LinearForm> ScaleForm(const LinearForm& form, int64_t factor);

/// `form` without its term at `index`.
LinearForm WithoutTerm(const LinearForm& form, size_t index);

/// scale * direction + offset: forms that differ in these two only share their direction, whose
/// leading coefficient is positive and whose coefficients have no common divisor.
struct Direction {
  ExprId id = ExprId::kNone;
  int64_t scale = 1;
  int64_t offset = 0;
};

/// Absent for a constant. The denominator is not looked at.
std::optional<Direction> DirectionOf(ExprPool& pool, const LinearForm& form);

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_LINEAR_FORM_H_
