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

#include "check/expr_facts.h"
#include "check/rewrites/messages.h"
#include "check/rewrites/rewrites.h"
#include "check/rewrites/tensor_tests.h"

namespace shapewise {
namespace {

struct Check {
  const Expr* test = nullptr;
  const Expr* message = nullptr;
  bool raises_if_true = false;
};

/// Whether the statement is `raise RuntimeError(...)`.
bool RaisesRuntimeError(const Stmt& raise) {
  return raise.kind == StmtKind::kRaise && raise.value != nullptr &&
         raise.value->kind == PythonExprKind::kCall &&
         DottedName(*raise.value->left) == "RuntimeError";
}

/// The message of `raise Error("text")`.
const Expr* RaisedMessage(const Stmt& raise) {
  if (raise.value == nullptr || raise.value->kind != PythonExprKind::kCall) return nullptr;
  const llvm::ArrayRef<CallArgument> arguments = raise.value->arguments;
  return arguments.size() == 1 && arguments[0].keyword.empty() ? arguments[0].value : nullptr;
}

std::optional<Check> CheckOf(const Stmt& statement) {
  if (statement.kind == StmtKind::kAssert) return Check{statement.value, statement.message, false};
  if (statement.kind == StmtKind::kIf && statement.orelse.empty() && statement.body.size() == 1 &&
      RaisesRuntimeError(*statement.body[0]))
    return Check{statement.value, RaisedMessage(*statement.body[0]), true};
  if (statement.kind != StmtKind::kExpression || statement.value == nullptr ||
      statement.value->kind != PythonExprKind::kCall || statement.value->left == nullptr)
    return {};
  if (DottedName(*statement.value->left) != "torch._check") return {};
  const llvm::ArrayRef<CallArgument> arguments = statement.value->arguments;
  if (arguments.empty() || arguments.size() > 2 || !arguments[0].keyword.empty()) return {};
  const Expr* message = arguments.size() == 2 ? arguments[1].value : nullptr;
  if (message != nullptr && message->kind == PythonExprKind::kLambda) message = message->left;
  return Check{arguments[0].value, message, false};
}

/// Whether the statement is an `elif`: an `if` in the orelse of another one without its own colon
/// before it.
bool IsElif(const FixContext& context) {
  const FileSpan place = context.Place(context.statement().span);
  return context.file().text().substr(place.begin, 4) == "elif";
}

}  // namespace

std::optional<Rewritten> AssertAsync(const FixContext& context) {
  const Stmt& statement = context.statement();
  if (context.fact().in_try || IsElif(context)) return {};
  const std::optional<Check> check = CheckOf(statement);
  if (!check || check->test == nullptr) return {};
  std::optional<SplitTest> split = SplitTensorTest(context, *check->test);
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
    std::optional<CodeEdit> edit =
        context.ReplaceStatements(statement, statement, {std::move(line)});
    if (!edit) return {};
    return Rewritten{{std::move(*edit)}, false};
  }

  std::optional<std::vector<CodeEdit>> edits = context.Import("torch");
  if (!edits) return {};
  const std::string test = check->raises_if_true ? Negated(split->test) : split->test;
  std::string call = "torch._assert_async(" + test + ", " + message + ")";
  std::vector<std::string> lines;
  if (!split->prefix.empty()) {
    lines.push_back("if " + split->prefix + ":");
    call.insert(0, context.file().indent_unit());
  }
  lines.push_back(std::move(call));
  std::optional<CodeEdit> edit = context.ReplaceStatements(statement, statement, std::move(lines));
  if (!edit) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
