// What the text of an expression tells of its value: enough to know when two ways of computing are
// the same, and no more than that.

#ifndef SHAPEWISE_CHECK_EXPR_FACTS_H_
#define SHAPEWISE_CHECK_EXPR_FACTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "check/fix_context.h"

namespace shapewise {

/// Whether evaluating `expr` may do more than give a value: store, draw random numbers, print, call
/// what is not known.
bool MayHaveEffect(const Expr& expr);

class ExprFacts {
 public:
  explicit ExprFacts(const FixContext& context) : context_(context) {}

  /// Whether `expr` gives a tensor, by its form and by what its names are assigned from.
  bool LooksLikeTensor(const Expr& expr) const { return LooksLikeTensor(expr, kMaxDepth); }

  /// Whether `expr` is a number, or a tensor without dims.
  bool IsZeroDim(const Expr& expr) const { return IsZeroDim(expr, kMaxDepth); }

  /// What the shape of `expr` depends on, as a text: two expressions of equal texts have the same
  /// shape. "1": a number or no dims. Empty: not known.
  std::string ShapeOf(const Expr& expr) const;

  /// Whether `expr` may be computed though it was not asked for: it has no effect, keeps no state
  /// and draws nothing; modules that it calls are of torch and without state.
  bool IsFreeToCompute(const Expr& expr) const;

  /// Whether a tensor without dims may take the place of `expr`, a Python number, in all that is
  /// done with it. `above`: what encloses it in `statement`, nearest last.
  bool TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above,
                   const Stmt& statement) const {
    return TakesTensor(expr, above, statement, kMaxDepth);
  }
  /// The same of what `name` holds, at every place that reads it.
  bool NameTakesTensor(std::string_view name) const { return NameTakesTensor(name, kMaxDepth); }

  /// Whether `name` holds something at `statement` on every way that leads there.
  bool IsBoundBefore(std::string_view name, const Stmt& statement) const;

  /// Whether `name` is a parameter of the function.
  bool IsParameter(std::string_view name) const;

  /// What __init__ assigns to self.`attribute`, if it does once: "nn.Linear(8, 4)"; null otherwise.
  const Expr* Attribute(std::string_view attribute) const;

 private:
  static constexpr int kMaxDepth = 6;

  bool LooksLikeTensor(const Expr& expr, int depth) const;
  bool NameLooksLikeTensor(std::string_view name, int depth) const;
  bool IsZeroDim(const Expr& expr, int depth) const;
  bool TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above, const Stmt& statement,
                   int depth) const;
  bool NameTakesTensor(std::string_view name, int depth) const;
  bool AddShape(const Expr& expr, std::string& shape, int depth) const;
  /// The one expression that is assigned to `name` in the function; null otherwise.
  const Expr* AssignedOnce(std::string_view name) const;
  const Parameter* FindParameter(std::string_view name) const;

  const FixContext& context_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_EXPR_FACTS_H_
