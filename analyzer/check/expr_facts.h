// What the text of an expression shows about its value: enough to decide that two computations are
// equivalent, and no more.

#ifndef SHAPEWISE_CHECK_EXPR_FACTS_H_
#define SHAPEWISE_CHECK_EXPR_FACTS_H_

#include <optional>
#include <string>
#include <string_view>

#include "check/fix_context.h"

namespace shapewise {

/// Whether evaluating `expr` may have side effects: stores, random numbers, output, calls of
/// unknown functions.
bool MayHaveEffect(const Expr& expr);

class ExprFacts {
 public:
  explicit ExprFacts(const FixContext& context) : context_(context) {}

  /// Whether `expr` is a tensor, by its form and by the values assigned to its names.
  bool LooksLikeTensor(const Expr& expr) const { return LooksLikeTensor(expr, kMaxDepth); }

  /// Whether `expr` is a number, or a tensor without dims.
  bool IsZeroDim(const Expr& expr) const { return IsZeroDim(expr, kMaxDepth); }

  /// A key for the shape of `expr`: expressions with equal keys have the same shape. "1": a number
  /// or no dims. Empty: not known.
  std::string ShapeOf(const Expr& expr) const;
  /// Whether `expr` is broadcast from values that include all those of `part`: `(x - y) ** 2` from
  /// `y > 0`. Where both have as many dims, `part` can be broadcast to the shape of `expr`.
  bool IsBroadcastFrom(const Expr& expr, const Expr& part) const;

  /// Whether `expr` can be computed even if its result is not needed: it has no side effects, no
  /// state and no random numbers, and only calls stateless torch modules.
  bool IsFreeToCompute(const Expr& expr) const;

  /// Whether a tensor without dims can replace `expr`, a Python number, in everything that is done
  /// with it. `above`: the enclosing expressions in `statement`, innermost last.
  bool TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above,
                   const Stmt& statement) const {
    return TakesTensor(expr, above, statement, kMaxDepth);
  }
  /// The same for the value of `name`, at every place that reads it.
  bool NameTakesTensor(std::string_view name) const { return NameTakesTensor(name, kMaxDepth); }

  /// Whether `name` is bound at `statement` on every path to it.
  bool IsBoundBefore(std::string_view name, const Stmt& statement) const;

  /// Whether `name` is a parameter of the function.
  bool IsParameter(std::string_view name) const;

  /// What __init__ assigns to self.`attribute`, if it does so exactly once: "nn.Linear(8, 4)"; null
  /// otherwise.
  const Expr* Attribute(std::string_view attribute) const;

 private:
  static constexpr int kMaxDepth = 6;

  bool LooksLikeTensor(const Expr& expr, int depth) const;
  bool NameLooksLikeTensor(std::string_view name, int depth) const;
  bool IsZeroDim(const Expr& expr, int depth) const;
  bool TakesTensor(const Expr& expr, llvm::ArrayRef<const Expr*> above, const Stmt& statement,
                   int depth) const;
  bool NameTakesTensor(std::string_view name, int depth) const;
  bool AreNamesKept(const Expr& value) const;
  bool AddShape(const Expr& expr, std::string& shape, int depth) const;
  /// The only expression assigned to `name` in the function; null otherwise.
  const Expr* AssignedOnce(std::string_view name) const;
  const Parameter* FindParameter(std::string_view name) const;

  const FixContext& context_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_EXPR_FACTS_H_
