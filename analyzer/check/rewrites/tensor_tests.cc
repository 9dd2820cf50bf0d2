// Rewrites of branches and checks that test tensors.

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// A test in Python, split into `prefix and test`.
struct SplitTest {
  std::string prefix;  ///< the parts before it, as written; empty: none
  std::string test;    ///< an expression that returns a tensor of one bool
};

/// The `x` in `x.item()`, bool(x) and float(x); null for anything else.
const Expr* ReadTensor(const Expr& expr) {
  if (expr.kind != PythonExprKind::kCall) return nullptr;
  if (expr.left->kind == PythonExprKind::kAttribute && expr.left->text == "item" &&
      expr.arguments.empty())
    return expr.left->left;
  const bool is_bool = IsName(expr.left, "bool") || IsName(expr.left, "float");
  if (is_bool && expr.arguments.size() == 1 && expr.arguments[0].keyword.empty() &&
      expr.arguments[0].stars == 0)
    return expr.arguments[0].value;
  return nullptr;
}

const Expr& WithoutReads(const Expr& expr) {
  const Expr* inner = ReadTensor(expr);
  return inner != nullptr ? WithoutReads(*inner) : expr;
}

/// The text of a comparison of values; empty: `in`, `is`.
std::string_view OperatorText(CompareOperator op) {
  constexpr std::string_view kTexts[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  const auto index = static_cast<size_t>(op);
  return index < std::size(kTexts) ? kTexts[index] : "";
}

bool GivesBools(const Expr& expr) {
  if (expr.kind == PythonExprKind::kCompare) return true;
  if (expr.kind != PythonExprKind::kCall) return false;
  const std::string_view name = LastName(*expr.left);
  return name.starts_with("logical_") || HasWord<"any all isnan isinf isfinite">(name);
}

/// An operand of a comparison without the read of its value, in parentheses if needed.
std::string CompareOperand(const FixContext& context, const Expr& expr) {
  const bool is_loose = expr.kind == PythonExprKind::kBinary || expr.kind == PythonExprKind::kUnary;
  return is_loose ? std::string(context.Text(expr)) : context.Operand(expr);
}

/// `~test`, with parentheses if needed.
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

std::optional<std::string> TensorTest(const FixContext& context, const Expr& test);

std::optional<std::string> JoinedTest(const FixContext& context, const Expr& test,
                                      std::string_view function) {
  std::optional<std::string> joined;
  for (const Expr* item : test.items) {
    const std::optional<std::string> one = TensorTest(context, *item);
    if (!one) return {};
    joined = joined ? std::string(function) + "(" + *joined + ", " + *one + ")" : *one;
  }
  return joined;
}

/// The source of a bool tensor without dims that is true if `test` is; absent if `test` may contain
/// other values than tensors. Drops `item()` and bool().
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
      return JoinedTest(context, test, "torch.logical_and");
    case PythonExprKind::kOr:
      return JoinedTest(context, test, "torch.logical_or");
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

/// Like TensorTest; in `a and b` the leading parts that are not tensors may stay Python
/// expressions.
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
    const std::string text(context.Text(*item));
    const bool needs = item->kind == PythonExprKind::kOr ||
                       item->kind == PythonExprKind::kConditional ||
                       item->kind == PythonExprKind::kLambda ||
                       item->kind == PythonExprKind::kNamed || text.find('\n') != std::string::npos;
    split.prefix += needs ? "(" + text + ")" : text;
  }
  return split;
}

/// `line`, under an `if` with the part of `split` that remains Python.
std::vector<std::string> LinesUnder(const FixContext& context, const SplitTest& split,
                                    std::string line) {
  if (split.prefix.empty()) return {std::move(line)};
  return {"if " + split.prefix + ":", std::string(context.file().indent_unit()) + line};
}

/// Whether the statement is an `elif`: an `if` in the orelse of another one without its own colon
/// before it.
bool IsElif(const FixContext& context) {
  const FileSpan place = context.Place(context.statement().span);
  return context.file().text().substr(place.begin, 4) == "elif";
}

/// A string literal with the source of `expr` on one line.
std::string QuotedSource(const FixContext& context, const Expr& expr) {
  std::string text;
  bool was_space = false;
  for (const char c : context.Text(expr)) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
    if (is_space && was_space) continue;
    was_space = is_space;
    // A backslash or a double quote would have to be escaped in the literal.
    text += is_space ? ' ' : c == '\\' ? '/' : c == '"' ? '\'' : c;
  }
  return "\"" + text + "\"";
}

struct Check {
  const Expr* test = nullptr;
  const Expr* message = nullptr;
  bool raises_if_true = false;
};

std::optional<Check> CheckOf(const Stmt& statement) {
  if (statement.kind == StmtKind::kAssert) return Check{statement.value, statement.message, false};
  // `raise RuntimeError("text")`
  if (statement.kind == StmtKind::kIf && statement.orelse.empty() && statement.body.size() == 1) {
    const Stmt& raise = *statement.body[0];
    const bool is_raise = raise.kind == StmtKind::kRaise && raise.value != nullptr &&
                          raise.value->kind == PythonExprKind::kCall;
    if (!is_raise || DottedName(*raise.value->left) != "RuntimeError") return {};
    const llvm::ArrayRef<CallArgument> arguments = raise.value->arguments;
    const bool has_message = arguments.size() == 1 && arguments[0].keyword.empty();
    return Check{statement.value, has_message ? arguments[0].value : nullptr, true};
  }
  if (statement.kind != StmtKind::kExpression || statement.value->kind != PythonExprKind::kCall ||
      DottedName(*statement.value->left) != "torch._check")
    return {};
  const llvm::ArrayRef<CallArgument> arguments = statement.value->arguments;
  if (arguments.empty() || arguments.size() > 2 || !arguments[0].keyword.empty()) return {};
  const Expr* message = arguments.size() == 2 ? arguments[1].value : nullptr;
  if (message != nullptr && message->kind == PythonExprKind::kLambda) message = message->left;
  return Check{arguments[0].value, message, false};
}

/// The result of one side of a selection: the value as text, and its shape.
struct Side {
  std::string text;
  std::string shape;
  bool is_number = false;
  std::string casts;  ///< the dtypes it asks for
};

bool IsNumberLiteral(const Expr& expr) {
  if (expr.kind == PythonExprKind::kUnary) return IsNumberLiteral(*expr.left);
  return expr.kind == PythonExprKind::kInteger || expr.kind == PythonExprKind::kFloat;
}

/// Whether `expr` has an infinite value or slope somewhere, which the test may keep it from: the
/// gradient of the side that is not selected is then 0 * inf.
bool MayBeInfinite(const Expr& expr) {
  return AnyExpr(expr, [](const Expr& part) {
    if (part.kind == PythonExprKind::kBinary) {
      const bool divides = HasWord<"/ // %">(part.text);
      const bool is_square = part.text != "**" || part.right->kind == PythonExprKind::kInteger;
      return (divides && !IsNumberLiteral(*part.right)) || !is_square;
    }
    return part.kind == PythonExprKind::kCall &&
           HasWord<
               "sqrt sqrt_ rsqrt log log2 log10 log1p logit norm vector_norm pow float_power div "
               "divide true_divide reciprocal std var acos asin acosh atanh atan2 arccos arcsin "
               "cdist dist nan_to_num xlogy logsumexp">(part.left->text);
  });
}

/// Adds the dtypes that `expr` asks for.
void AddCasts(const FixContext& context, const Expr& expr, std::string& casts) {
  if (expr.kind == PythonExprKind::kCompare) casts += "bool ";
  if (expr.kind == PythonExprKind::kCall &&
      HasWord<"float double half bfloat16 int long short bool to type type_as argmax argmin">(
          expr.left->text)) {
    casts += std::string(context.Text(expr)) + " ";
  }
  ForEachChild(expr, [&](const Expr& child) { AddCasts(context, child, casts); });
}

/// torch.where of a test and two sides that match.
std::optional<Side> JoinedSides(const std::optional<std::string>& test,
                                const std::optional<Side>& chosen,
                                const std::optional<Side>& other) {
  if (!test || !chosen || !other || chosen->shape != other->shape ||
      chosen->is_number != other->is_number || chosen->casts != other->casts)
    return {};
  return Side{"torch.where(" + *test + ", " + chosen->text + ", " + other->text + ")",
              chosen->shape, chosen->is_number, chosen->casts};
}

class Selector {
 public:
  explicit Selector(const FixContext& context) : context_(context), facts_(context) {}

  std::optional<Rewritten> Make() {
    if (std::optional<Rewritten> made = Conditional()) return made;
    // The `if` whose test contains the fact.
    const Stmt& statement = context_.statement();
    if (statement.kind != StmtKind::kIf || IsElif(context_)) return {};
    if (std::optional<Rewritten> made = Assigned(statement)) return made;
    return Returned(statement);
  }

 private:
  std::optional<Side> SideOf(const Expr& value) const {
    if (!facts_.IsFreeToCompute(value)) return {};
    const bool is_number = IsNumberLiteral(value);
    if (!is_number && !facts_.LooksLikeTensor(value)) return {};
    Side side{std::string(context_.Text(value)), facts_.ShapeOf(value), is_number, {}};
    if (side.shape.empty() || MayBeInfinite(value)) return {};
    AddCasts(context_, value, side.casts);
    return side;
  }

  /// The text of a selection between two values, of which the first is no number.
  std::optional<std::string> Selected(const Expr& test, const Expr& first,
                                      const Expr& second) const {
    const std::optional<Side> chosen = SideOf(first);
    if (!chosen || chosen->is_number) return {};
    const std::optional<Side> joined =
        JoinedSides(TensorTest(context_, test), chosen, SideOf(second));
    return joined ? std::optional(joined->text) : std::nullopt;
  }

  std::optional<Rewritten> Conditional() const {
    for (const Expr* expr : context_.expressions()) {
      const auto is_fact = [&](const Expr& part) { return &part == context_.fact().expr; };
      if (expr->kind != PythonExprKind::kConditional || !AnyExpr(*expr->third, is_fact)) continue;
      const std::optional<std::string> text = Selected(*expr->third, *expr->left, *expr->right);
      if (!text) return {};
      return WithImport(context_, "torch", context_.ReplaceExpr(*expr, *text));
    }
    return {};
  }

  /// What a block of one statement assigns to `name`, which is set if empty.
  std::optional<Side> AssignedIn(llvm::ArrayRef<const Stmt*> block, std::string_view& name) const {
    if (block.size() != 1) return {};
    const Stmt& statement = *block[0];
    if (statement.kind == StmtKind::kIf) {
      const std::optional<Side> chosen = AssignedIn(statement.body, name);
      if (!chosen) return {};
      return JoinedSides(TensorTest(context_, *statement.value), chosen,
                         AssignedIn(statement.orelse, name));
    }
    const bool is_augmented = statement.kind == StmtKind::kAugmented;
    const Expr* target = is_augmented ? statement.targets[0] : OnlyTarget(statement);
    if (!IsName(target)) return {};
    if (name.empty()) name = target->text;
    if (target->text != name) return {};
    std::optional<Side> side = SideOf(*statement.value);
    if (!side || !is_augmented) return side;
    // An in-place change of an argument would be visible to the caller.
    if (facts_.IsParameter(name) || HasWord<"@ **">(statement.text)) return {};
    if (HasWord<"/ // %">(statement.text) && !side->is_number) return {};
    const std::string held = facts_.ShapeOf(*target);
    if (side->shape != "1" && side->shape != held) return {};
    return Side{std::string(name) + " " + std::string(statement.text) + " " +
                    context_.Operand(*statement.value),
                held, false, side->casts};
  }

  std::optional<Rewritten> Assigned(const Stmt& statement) const {
    std::string_view name;
    const std::optional<Side> chosen = AssignedIn(statement.body, name);
    if (!chosen) return {};
    const std::optional<SplitTest> split = SplitTensorTest(context_, *statement.value);
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
    const std::optional<Side> joined = JoinedSides(split->test, chosen, other);
    if (!joined || (joined->is_number && !facts_.NameTakesTensor(name))) return {};
    return WithImport(context_, "torch",
                      context_.ReplaceStatements(
                          statement, statement,
                          LinesUnder(context_, *split, std::string(name) + " = " + joined->text)));
  }

  static const Expr* TargetOf(llvm::ArrayRef<const Stmt*> block) {
    return block.size() == 1 && block[0]->targets.size() == 1 ? block[0]->targets[0] : nullptr;
  }

  static const Expr* ReturnedIn(llvm::ArrayRef<const Stmt*> block) {
    return block.size() == 1 && block[0]->kind == StmtKind::kReturn ? block[0]->value : nullptr;
  }

  std::optional<Rewritten> Returned(const Stmt& statement) const {
    const Expr* first = ReturnedIn(statement.body);
    const Stmt* last = &statement;
    const Expr* second = ReturnedIn(statement.orelse);
    if (statement.orelse.empty()) {
      last = context_.Next(statement);
      second = last != nullptr ? ReturnedIn(last) : nullptr;
    }
    if (first == nullptr || second == nullptr) return {};
    const std::optional<std::string> text = Selected(*statement.value, *first, *second);
    if (!text) return {};
    return WithImport(context_, "torch",
                      context_.ReplaceStatements(statement, *last, {"return " + *text}));
  }

  const FixContext& context_;
  ExprFacts facts_;
};

}  // namespace

// Moves checks of values into the graph:
//
//   assert x.min().item() >= 0, "negative"       ->   assert x.min() >= 0, "negative"
//   if x.max() > n:                              ->   torch._assert_async(~(x.max() > n), "large")
//       raise RuntimeError("large")
//   torch._check((x > 0).all().item(), ...)      ->   torch._assert_async((x > 0).all(), ...)
//
// Requires a test of tensors (leading parts of an `and` may be Python values: they stay an `if`),
// and an exception that stays the same: Dynamo traces an assert of a tensor, which outside of it
// still raises AssertionError; torch._assert_async raises RuntimeError. Not safe: on a GPU it is
// raised later than before, so a surrounding `try` prevents the rewrite. A message that is not a
// plain text prevents it too: the graph cannot compute it.
std::optional<Rewritten> AssertAsync(const FixContext& context) {
  const Stmt& statement = context.statement();
  if (context.fact().in_try || IsElif(context)) return {};
  const std::optional<Check> check = CheckOf(statement);
  if (!check) return {};
  const std::optional<SplitTest> split = SplitTensorTest(context, *check->test);
  if (!split) return {};
  // `assert a and b` fails if a is false; only an `if` lets that pass.
  if (!split->prefix.empty() && !check->raises_if_true) return {};
  if (MayHaveEffect(*check->test)) return {};
  std::string message;
  if (check->message == nullptr) {
    message = QuotedSource(context, *check->test);
  } else if (check->message->kind == PythonExprKind::kString) {
    message = context.Text(*check->message);
  } else {
    return {};
  }

  if (statement.kind == StmtKind::kAssert) {
    if (split->test == context.Text(*check->test)) return {};
    std::string line = "assert " + split->test;
    if (check->message != nullptr) line += ", " + message;
    return Only(context.ReplaceStatements(statement, statement, {std::move(line)}));
  }
  const std::string test = check->raises_if_true ? Negated(split->test) : split->test;
  return WithImport(
      context, "torch",
      context.ReplaceStatements(
          statement, statement,
          LinesUnder(context, *split, "torch._assert_async(" + test + ", " + message + ")")));
}

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
std::optional<Rewritten> Select(const FixContext& context) { return Selector(context).Make(); }

}  // namespace shapewise
