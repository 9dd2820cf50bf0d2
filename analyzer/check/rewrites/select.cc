// Replaces a branch on data that only chooses between two values by a selection:
//
//   if x.sum() > 0:      ->   y = torch.where(x.sum() > 0, x * 2, x - 1)
//       y = x * 2
//   else:
//       y = x - 1
//
//   if x.max() > 1:      ->   x = torch.where(x.max() > 1, x / 255, x)
//       x = x / 255
//
//   if c: return a       ->   return torch.where(c, a, b)
//   return b
//
//   a if c else b        ->   torch.where(c, a, b)
//
// An elif becomes a nested where. Requires that both sides can be computed (no side effects, no
// random numbers, no modules with state) and have the same shape as far as names show, and a test
// of tensors; leading parts of an `and` with Python values stay an `if`. Not safe: both sides are
// computed, including their errors and overflows, and dtypes are promoted to a common one. A side
// that divides, or has a root or a logarithm, prevents the rewrite: where the test guards it, its
// gradient would be nan. So does a cast on one side alone.

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"
#include "check/rewrites/tensor_tests.h"
#include "llvm/ADT/StringRef.h"
#include "source/word_list.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

/// The result of one side: the value as text, and its shape.
struct Side {
  std::string text;
  std::string shape;
  bool is_number = false;
  std::string casts;  ///< the dtypes it asks for
};

bool IsNumberLiteral(const Expr& expr) {
  if (expr.kind == PythonExprKind::kUnary)
    return expr.left != nullptr && IsNumberLiteral(*expr.left);
  return expr.kind == PythonExprKind::kInteger || expr.kind == PythonExprKind::kFloat;
}

/// Whether `expr` has an infinite value or slope somewhere, which the test may keep it from: the
/// gradient of the side that is not selected is then 0 * inf.
bool MayBeInfinite(const Expr& expr) {
  bool may_be = false;
  if (expr.kind == PythonExprKind::kBinary) {
    const bool divides = expr.text == "/" || expr.text == "//" || expr.text == "%";
    const bool is_square = expr.text != "**" || (expr.right->kind == PythonExprKind::kInteger);
    may_be = (divides && !IsNumberLiteral(*expr.right)) || !is_square;
  }
  if (expr.kind == PythonExprKind::kCall && expr.left != nullptr) {
    may_be = HasWord<
        "sqrt sqrt_ rsqrt log log2 log10 log1p logit norm vector_norm pow float_power div divide "
        "true_divide reciprocal std var acos asin acosh atanh atan2 arccos arcsin cdist dist "
        "nan_to_num xlogy logsumexp">(expr.left->text);
  }
  ForEachChild(expr, [&](const Expr& child) { may_be |= MayBeInfinite(child); });
  return may_be;
}

/// Adds the dtypes that `expr` asks for.
void AddCasts(const FixContext& context, const Expr& expr, std::string& casts) {
  if (expr.kind == PythonExprKind::kCompare) casts += "bool ";
  if (expr.kind == PythonExprKind::kCall && expr.left != nullptr) {
    const bool is_cast =
        HasWord<"float double half bfloat16 int long short bool to type type_as argmax argmin">(
            expr.left->text);
    if (is_cast) casts += std::string(context.Text(expr)) + " ";
  }
  ForEachChild(expr, [&](const Expr& child) { AddCasts(context, child, casts); });
}

class Selector {
 public:
  explicit Selector(const FixContext& context) : context_(context), facts_(context) {}

  std::optional<Rewritten> Make() {
    if (std::optional<Rewritten> made = Conditional()) return made;
    // The `if` whose test contains the fact.
    const Stmt& statement = context_.statement();
    if (statement.kind != StmtKind::kIf || IsElif(statement)) return {};
    if (std::optional<Rewritten> made = Assigned(statement)) return made;
    return Returned(statement);
  }

 private:
  bool IsElif(const Stmt& statement) const {
    return context_.file().text().substr(context_.Place(statement.span).begin, 4) == "elif";
  }

  std::optional<Side> SideOf(const Expr& value) const {
    if (!facts_.IsFreeToCompute(value)) return {};
    const bool is_number = IsNumberLiteral(value);
    if (!is_number && !facts_.LooksLikeTensor(value)) return {};
    Side side{std::string(context_.Text(value)), facts_.ShapeOf(value), is_number, {}};
    if (side.shape.empty() || MayBeInfinite(value)) return {};
    AddCasts(context_, value, side.casts);
    return side;
  }

  /// torch.where of a test and two sides that match.
  std::optional<Side> Joined(const std::string& test, const Side& chosen, const Side& other) const {
    if (chosen.shape != other.shape || chosen.is_number != other.is_number) return {};
    if (chosen.casts != other.casts) return {};
    return Side{"torch.where(" + test + ", " + chosen.text + ", " + other.text + ")", chosen.shape,
                chosen.is_number, chosen.casts};
  }

  std::optional<Rewritten> Done(std::optional<CodeEdit> edit) const {
    std::optional<std::vector<CodeEdit>> edits = context_.Import("torch");
    if (!edit || !edits) return {};
    edits->push_back(std::move(*edit));
    return Rewritten{std::move(*edits), false};
  }

  std::optional<Rewritten> Conditional() const {
    for (const Expr* expr : context_.expressions()) {
      if (expr->kind != PythonExprKind::kConditional) continue;
      if (!llvm::is_contained(PathFrom(*expr->third), context_.fact().expr)) continue;
      const std::optional<std::string> test = TensorTest(context_, *expr->third);
      const std::optional<Side> chosen = SideOf(*expr->left);
      const std::optional<Side> other = SideOf(*expr->right);
      if (!test || !chosen || !other || chosen->is_number) return {};
      const std::optional<Side> joined = Joined(*test, *chosen, *other);
      if (!joined) return {};
      return Done(context_.ReplaceExpr(*expr, joined->text));
    }
    return {};
  }

  /// All expressions in `expr`.
  static std::vector<const Expr*> PathFrom(const Expr& expr) {
    std::vector<const Expr*> found{&expr};
    for (size_t i = 0; i < found.size(); ++i)
      ForEachChild(*found[i], [&](const Expr& child) { found.push_back(&child); });
    return found;
  }

  /// What a block of one statement assigns to `name`, which is set if empty.
  std::optional<Side> AssignedIn(llvm::ArrayRef<const Stmt*> block, std::string_view& name) const {
    if (block.size() != 1) return {};
    const Stmt& statement = *block[0];
    if (statement.kind == StmtKind::kIf) {
      const std::optional<std::string> test = TensorTest(context_, *statement.value);
      const std::optional<Side> chosen = AssignedIn(statement.body, name);
      if (!test || !chosen || statement.orelse.empty()) return {};
      const std::optional<Side> other = AssignedIn(statement.orelse, name);
      if (!other) return {};
      return Joined(*test, *chosen, *other);
    }
    const bool is_augmented = statement.kind == StmtKind::kAugmented;
    if ((statement.kind != StmtKind::kAssign && !is_augmented) || statement.targets.size() != 1 ||
        statement.targets[0]->kind != PythonExprKind::kName)
      return {};
    const std::string_view target = statement.targets[0]->text;
    if (name.empty()) name = target;
    if (target != name) return {};
    std::optional<Side> side = SideOf(*statement.value);
    if (!side || !is_augmented) return side;
    // An in-place change of an argument would be visible to the caller.
    if (facts_.IsParameter(name) || statement.text == "@") return {};
    const bool divides = statement.text == "/" || statement.text == "//" || statement.text == "%";
    if ((divides && !side->is_number) || statement.text == "**") return {};
    const std::string held = facts_.ShapeOf(*statement.targets[0]);
    if (side->shape != "1" && side->shape != held) return {};
    return Side{std::string(name) + " " + std::string(statement.text) + " " +
                    context_.Operand(*statement.value),
                held, false, side->casts};
  }

  std::optional<Rewritten> Assigned(const Stmt& statement) const {
    std::string_view name;
    const std::optional<Side> chosen = AssignedIn(statement.body, name);
    if (!chosen) return {};
    std::optional<SplitTest> split = SplitTensorTest(context_, *statement.value);
    if (!split) return {};
    std::optional<Side> other;
    if (statement.orelse.empty()) {
      if (!facts_.IsBoundBefore(name, statement)) return {};
      const Expr* held = TargetOf(statement.body);
      if (held == nullptr || !facts_.LooksLikeTensor(*held)) return {};
      other = Side{std::string(name), facts_.ShapeOf(*held), false, {}};
    } else {
      // The Python part of the test selects between two sides, not whether there is one.
      if (!split->prefix.empty()) return {};
      other = AssignedIn(statement.orelse, name);
    }
    if (!other) return {};
    const std::optional<Side> joined = Joined(split->test, *chosen, *other);
    if (!joined || (joined->is_number && !facts_.NameTakesTensor(name))) return {};
    std::vector<std::string> lines;
    std::string line = std::string(name) + " = " + joined->text;
    if (!split->prefix.empty()) {
      lines.push_back("if " + split->prefix + ":");
      line.insert(0, context_.file().indent_unit());
    }
    lines.push_back(std::move(line));
    return Done(context_.ReplaceStatements(statement, statement, std::move(lines)));
  }

  static const Expr* TargetOf(llvm::ArrayRef<const Stmt*> block) {
    return block.size() == 1 && block[0]->targets.size() == 1 ? block[0]->targets[0] : nullptr;
  }

  static const Expr* ReturnedIn(llvm::ArrayRef<const Stmt*> block) {
    return block.size() == 1 && block[0]->kind == StmtKind::kReturn ? block[0]->value : nullptr;
  }

  std::optional<Rewritten> Returned(const Stmt& statement) const {
    const Expr* first = ReturnedIn(statement.body);
    if (first == nullptr) return {};
    const Stmt* last = &statement;
    const Expr* second = ReturnedIn(statement.orelse);
    if (statement.orelse.empty()) {
      last = context_.Next(statement);
      if (last == nullptr || last->kind != StmtKind::kReturn) return {};
      second = last->value;
    }
    if (second == nullptr) return {};
    const std::optional<std::string> test = TensorTest(context_, *statement.value);
    const std::optional<Side> chosen = SideOf(*first);
    const std::optional<Side> other = SideOf(*second);
    if (!test || !chosen || !other || chosen->is_number) return {};
    const std::optional<Side> joined = Joined(*test, *chosen, *other);
    if (!joined) return {};
    return Done(context_.ReplaceStatements(statement, *last, {"return " + joined->text}));
  }

  const FixContext& context_;
  ExprFacts facts_;
};

}  // namespace

std::optional<Rewritten> Select(const FixContext& context) { return Selector(context).Make(); }

}  // namespace shapewise
