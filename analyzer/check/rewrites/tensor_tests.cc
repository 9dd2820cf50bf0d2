#include "check/rewrites/tensor_tests.h"

#include "check/expr_facts.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

/// The `x` in `x.item()`, bool(x), float(x) and int(x); null for anything else.
const Expr* ReadTensor(const Expr& expr) {
  if (expr.kind != PythonExprKind::kCall || expr.left == nullptr) return nullptr;
  if (expr.left->kind == PythonExprKind::kAttribute && expr.left->text == "item" &&
      expr.arguments.empty())
    return expr.left->left;
  const bool is_bool = expr.left->kind == PythonExprKind::kName &&
                       (expr.left->text == "bool" || expr.left->text == "float");
  if (is_bool && expr.arguments.size() == 1 && expr.arguments[0].keyword.empty() &&
      expr.arguments[0].stars == 0)
    return expr.arguments[0].value;
  return nullptr;
}

const Expr& WithoutReads(const Expr& expr) {
  const Expr* inner = ReadTensor(expr);
  return inner != nullptr ? WithoutReads(*inner) : expr;
}

std::string_view OperatorText(CompareOperator op) {
  switch (op) {
    case CompareOperator::kEqual:
      return " == ";
    case CompareOperator::kNotEqual:
      return " != ";
    case CompareOperator::kLess:
      return " < ";
    case CompareOperator::kLessEqual:
      return " <= ";
    case CompareOperator::kGreater:
      return " > ";
    case CompareOperator::kGreaterEqual:
      return " >= ";
    default:
      return "";
  }
}

bool GivesBools(const Expr& expr) {
  if (expr.kind == PythonExprKind::kCompare) return true;
  if (expr.kind != PythonExprKind::kCall || expr.left == nullptr) return false;
  const std::string_view name = LastName(*expr.left);
  return name == "any" || name == "all" || name.substr(0, 8) == "logical_" || name == "isnan" ||
         name == "isinf" || name == "isfinite";
}

/// An operand of a comparison without the read of its value, in parentheses if needed.
std::string CompareOperand(const FixContext& context, const Expr& expr) {
  const bool is_loose = IsPrimary(expr) || expr.kind == PythonExprKind::kBinary ||
                        expr.kind == PythonExprKind::kUnary;
  return is_loose ? std::string(context.Text(expr)) : context.Operand(expr);
}

std::optional<std::string> Joined(const FixContext& context, const Expr& test,
                                  std::string_view function) {
  std::optional<std::string> joined;
  for (const Expr* item : test.items) {
    const std::optional<std::string> one = TensorTest(context, *item);
    if (!one) return {};
    joined = joined ? std::string(function) + "(" + *joined + ", " + *one + ")" : *one;
  }
  return joined;
}

}  // namespace

std::optional<std::string> TensorTest(const FixContext& context, const Expr& test) {
  const ExprFacts facts(context);
  const Expr& read = WithoutReads(test);
  if (&read != &test) return TensorTest(context, read);
  switch (test.kind) {
    case PythonExprKind::kNot: {
      const std::optional<std::string> inner = TensorTest(context, *test.left);
      if (!inner) return {};
      return Negated(*inner);
    }
    case PythonExprKind::kAnd:
      return Joined(context, test, "torch.logical_and");
    case PythonExprKind::kOr:
      return Joined(context, test, "torch.logical_or");
    case PythonExprKind::kCompare: {
      if (test.items.size() != 2) return {};
      const std::string_view op = OperatorText(test.operators[0]);
      const Expr& left = WithoutReads(*test.items[0]);
      const Expr& right = WithoutReads(*test.items[1]);
      if (op.empty() || (!facts.LooksLikeTensor(left) && !facts.LooksLikeTensor(right))) return {};
      std::string text = CompareOperand(context, left);
      text += op;
      text += CompareOperand(context, right);
      if (facts.IsZeroDim(left) && facts.IsZeroDim(right)) return text;
      return "(" + text + ").reshape(())";
    }
    default: {
      const bool is_asked = &test == context.fact().expr && context.fact().subject.IsTensor();
      if (!is_asked && !facts.LooksLikeTensor(test)) return {};
      const std::string text = context.Operand(test);
      const bool has_no_dims =
          facts.IsZeroDim(test) || context.fact().subject.Has(Trait::kOneElement);
      if (GivesBools(test)) return has_no_dims ? text : text + ".reshape(())";
      return has_no_dims ? text + " != 0" : "(" + text + " != 0).reshape(())";
    }
  }
}

std::optional<SplitTest> SplitTensorTest(const FixContext& context, const Expr& test) {
  if (std::optional<std::string> whole = TensorTest(context, test))
    return SplitTest{"", std::move(*whole)};
  if (test.kind != PythonExprKind::kAnd) return {};
  std::optional<std::string> last = TensorTest(context, *test.items.back());
  if (!last) return {};
  SplitTest split;
  split.test = std::move(*last);
  for (const Expr* item : test.items.drop_back()) {
    if (!split.prefix.empty()) split.prefix += " and ";
    const bool needs =
        item->kind == PythonExprKind::kOr || item->kind == PythonExprKind::kConditional ||
        item->kind == PythonExprKind::kLambda || item->kind == PythonExprKind::kNamed ||
        context.Text(*item).find('\n') != std::string_view::npos;
    split.prefix +=
        needs ? "(" + std::string(context.Text(*item)) + ")" : std::string(context.Text(*item));
  }
  return split;
}

std::string Negated(const std::string& test) {
  if (test.starts_with("~")) return test.substr(1);
  // Only operators outside of a call's own parentheses need parentheses.
  int depth = 0;
  for (const char c : test) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 && c == ' ') return "~(" + test + ")";
  }
  return "~" + test;
}

}  // namespace shapewise
