// Rewrites of single calls.

#include <string>

#include "check/expr_facts.h"
#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether a call with literal arguments of the right types cannot raise.
bool NeverRaises(std::string_view name, const Expr& call) {
  if (name == "os.getpid") return call.arguments.empty();
  if (call.arguments.size() != 1 || call.arguments[0].value->kind != PythonExprKind::kString) {
    return false;
  }
  if (IsOneOf(name, {"os.path.exists", "os.path.isfile", "os.path.isdir"})) return true;
  // A dotted name makes find_spec import the parent packages.
  return name == "importlib.util.find_spec" &&
         call.arguments[0].value->text.find('.') == std::string_view::npos;
}

bool IsLiteral(const Expr& expr) {
  switch (expr.kind) {
    case PythonExprKind::kString:
    case PythonExprKind::kInteger:
    case PythonExprKind::kFloat:
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse:
    case PythonExprKind::kNone:
      return true;
    default:
      return false;
  }
}

/// Whether an import at the top of the file, before `offset`, binds `name`.
bool IsImported(const FileView& file, std::string_view name, size_t offset) {
  return llvm::any_of(file.module(), [&](const Stmt* statement) {
    return file.module_begin() + statement->span.end <= offset && ImportsName(*statement, name);
  });
}

/// A name for the result that does not occur in the file.
std::string FreeName(const FileView& file, const std::string& dotted) {
  std::string base = "_";
  for (const char c : dotted) base += c == '.' ? '_' : llvm::toUpper(c);
  std::string name = base;
  for (int i = 2; file.text().find(name) != std::string_view::npos; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// The only argument of a call, if it is positional; null otherwise.
const Expr* OnlyArgument(const Expr& call) {
  if (call.kind != PythonExprKind::kCall || call.arguments.size() != 1) return nullptr;
  const CallArgument& argument = call.arguments[0];
  return argument.keyword.empty() && argument.stars == 0 ? argument.value : nullptr;
}

bool AreSizes(const Expr& expr) {
  if (expr.kind == PythonExprKind::kAttribute) return expr.text == "shape";
  if (expr.kind == PythonExprKind::kCall) {
    return expr.arguments.empty() && expr.left->kind == PythonExprKind::kAttribute &&
           expr.left->text == "size";
  }
  return expr.kind == PythonExprKind::kSubscript && expr.items.size() == 1 &&
         expr.items[0]->kind == PythonExprKind::kSlice && AreSizes(*expr.left);
}

bool IsNumPy(const FixContext& context, const Expr& name) {
  if (!IsName(&name) || !context.index().StoresOf(name.text).empty()) return false;
  return llvm::any_of(context.file().module(), [&](const Stmt* statement) {
    return statement->kind == StmtKind::kImport &&
           llvm::any_of(statement->imports, [&](const ImportedName& imported) {
             return imported.name == "numpy" && name.text == BoundName(imported);
           });
  });
}

/// The awaited value in `expr`: the `work` of `work.wait()`; null: none.
const Expr* Waited(const Expr* expr) {
  const bool is_wait = expr != nullptr && expr->kind == PythonExprKind::kCall &&
                       expr->arguments.empty() && expr->left->kind == PythonExprKind::kAttribute &&
                       expr->left->text == "wait";
  return is_wait ? expr->left->left : nullptr;
}

/// The edits that remove the handle of `call` and the wait; absent if the call is used in another
/// way.
std::optional<std::vector<CodeEdit>> WithoutHandle(const FixContext& context, const Expr& call) {
  const Stmt& statement = context.statement();
  const FileView& file = context.file();
  const FileSpan place = context.Place(call.span);
  if (statement.kind == StmtKind::kExpression && Waited(statement.value) == &call) {
    const FileSpan wait{place.end, context.Place(statement.value->span).end};
    if (!file.CommentsIn(wait).empty()) return {};
    return {{file.Edit(wait, "")}};
  }
  const Expr* handle = OnlyTarget(statement);
  const Stmt* wait = context.Next(statement);
  if (!IsName(handle) || &call != statement.value || wait == nullptr ||
      wait->kind != StmtKind::kExpression || context.PlacementOf(statement) == Placement::kShared)
    return {};
  if (!IsName(Waited(wait->value), handle->text) ||
      context.index().UsesOf(handle->text).size() != 2)
    return {};
  std::optional<CodeEdit> removed = context.RemoveStatement(*wait);
  if (!removed) return {};
  return {{file.Edit({context.Place(statement.span).begin, place.begin}, ""), std::move(*removed)}};
}

}  // namespace

// Replaces out= on a part of a tensor by a copy:
//
//   torch.mul(x, 2, out=buffer[:, :8])   ->   buffer[:, :8].copy_(torch.mul(x, 2))
//
// Requires a statement of its own, and an out= that is not evaluated before anything with a side
// effect. Not safe: out= resizes a tensor of another shape, whereas a copy raises an error.
std::optional<Rewritten> CopyInsteadOfOut(const FixContext& context) {
  const Stmt& statement = context.statement();
  const Expr* call = context.Call();
  if (call == nullptr || statement.kind != StmtKind::kExpression || call != statement.value ||
      call->arguments.size() < 2)
    return {};
  const CallArgument& last = call->arguments.back();
  if (last.keyword != "out" || last.value->kind == PythonExprKind::kTuple ||
      MayHaveEffect(*last.value))
    return {};
  const CallArgument& before = call->arguments[call->arguments.size() - 2];
  const std::string head(context.Text(ByteSpan{call->span.begin, before.span.end}));
  return Only(context.ReplaceStatements(statement, statement,
                                        {context.Operand(*last.value) + ".copy_(" + head + "))"}));
}

// Makes the message of a check a function, as torch._check requires:
//
//   torch._check(n > 0, "empty")   ->   torch._check(n > 0, lambda: "empty")
//
// Only for a text without values: those of an f-string may be tensors, which break the graph in a
// function as well, and a message that no longer shows them is worth less than the graph. Not safe:
// without the function, a check that fails raises a TypeError about its message.
std::optional<Rewritten> FunctionMessage(const FixContext& context) {
  const Expr* call = context.Call();
  if (call == nullptr) return {};
  const Expr* message = nullptr;
  for (const CallArgument& argument : call->arguments) {
    if (argument.value->kind == PythonExprKind::kLambda) return {};
    const bool is_text = argument.value->kind == PythonExprKind::kString;
    if (is_text && message == nullptr) message = argument.value;
  }
  if (message == nullptr) return {};
  return Only(context.ReplaceExpr(*message, "lambda: " + std::string(context.Text(*message))));
}

// Evaluates a call with a constant result once, when the module is imported:
//
//   if os.path.exists("/opt/k.so"):   ->   _OS_PATH_EXISTS = os.path.exists("/opt/k.so")
//                                          ...
//                                          if _OS_PATH_EXISTS:
//
// Requires literal arguments, a callee that is bound by an import at the top of the file, and a
// call that cannot raise: otherwise the module could no longer be imported where the call used to
// be skipped. Not safe: the result is that of the import.
std::optional<Rewritten> HoistCall(const FixContext& context) {
  const Expr* call = context.Call();
  const FixUnit& unit = context.unit();
  if (call == nullptr || unit.function == nullptr) return {};
  const std::string dotted = DottedName(*call->left);
  if (dotted.empty()) return {};
  for (const CallArgument& argument : call->arguments)
    if (argument.stars != 0 || !IsLiteral(*argument.value)) return {};
  if (!NeverRaises(context.fact().name, *call)) return {};
  const std::string root = dotted.substr(0, dotted.find('.'));
  const FileView& file = context.file();
  if (!IsImported(file, root, unit.outermost)) return {};
  if (!context.index().StoresOf(root).empty()) return {};
  const size_t at = file.LineBegin(unit.outermost);
  if (!file.IndentOf(at).empty()) return {};
  const std::string name = FreeName(file, dotted);
  const std::string end(file.line_end());
  std::string line = name + " = " + std::string(context.Text(*call)) + end + end + end;
  std::optional<Rewritten> made = Only(context.ReplaceExpr(*call, name));
  if (made) made->edits.insert(made->edits.begin(), file.Edit({at, at}, std::move(line)));
  return made;
}

// Multiplies sizes in Python, where NumPy would make a tensor of them:
//
//   int(np.prod(x.shape[1:]))   ->   math.prod(x.shape[1:])
//
// Requires that the sizes are those of `.shape`, `.size()` or a slice of them, and that an import
// at the top of the file binds NumPy. Not safe: NumPy's product wraps at 64 bits, and an object may
// have a `shape` of another kind.
std::optional<Rewritten> ProductInPython(const FixContext& context) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || context.fact().name != "builtins.int") return {};
  const Expr* product = OnlyArgument(*call);
  const Expr* sizes = product != nullptr ? OnlyArgument(*product) : nullptr;
  if (sizes == nullptr || !AreSizes(*sizes)) return {};
  const Expr& callee = *product->left;
  if (callee.kind != PythonExprKind::kAttribute || callee.text != "prod") return {};
  if (!IsNumPy(context, *callee.left)) return {};
  return WithImport(
      context, "math",
      context.ReplaceExpr(*call, "math.prod(" + std::string(context.Text(*sizes)) + ")"));
}

// Removes a call whose result is unused: torch._dynamo.graph_break() and the like.
std::optional<Rewritten> RemoveStatement(const FixContext& context) {
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kExpression || statement.value->kind != PythonExprKind::kCall)
    return {};
  return Only(context.RemoveStatement(statement));
}

// Replaces keywords passed as a literal dict by arguments:
//
//   x.uniform_(**{"from": a, "to": b})   ->   x.uniform_(a, b)
//
// Safe if x is known to be a tensor. Requires one of the in-place random functions whose first
// keyword is reserved in Python, with the keywords in order.
std::optional<Rewritten> UnpackDict(const FixContext& context) {
  const Expr* call = context.Call();
  if (call == nullptr || call->arguments.size() != 1) return {};
  const std::string_view name = LastName(*call->left);
  if (name != "uniform_" && name != "random_") return {};
  const CallArgument& argument = call->arguments[0];
  if (argument.stars != 2 || argument.value->kind != PythonExprKind::kDict) return {};
  const llvm::ArrayRef<const Expr*> items = argument.value->items;
  if (items.size() != 4 || PlainString(items[0]) != "from" || PlainString(items[2]) != "to")
    return {};
  const FileSpan span = context.Place(argument.span);
  if (!context.file().CommentsIn(span).empty()) return {};
  return Rewritten{{context.file().Edit(span, std::string(context.Text(*items[1])) + ", " +
                                                  std::string(context.Text(*items[3])))},
                   IsSurelyTensor(context.fact().subject)};
}

// A collective that is awaited immediately does not need a handle:
//
//   work = dist.all_reduce(x, async_op=True)   ->   dist.all_reduce(x)
//   work.wait()
//
//   dist.all_reduce(x, async_op=True).wait()   ->   dist.all_reduce(x)
//
// Requires that the wait is the next statement, and that the handle has no other use.
std::optional<Rewritten> WaitAtOnce(const FixContext& context) {
  const Expr* call = context.Call();
  if (call == nullptr) return {};
  const auto* async = llvm::find_if(
      call->arguments, [](const CallArgument& one) { return one.keyword == "async_op"; });
  if (async == call->arguments.end() || async == call->arguments.begin() ||
      async->value->kind != PythonExprKind::kTrue)
    return {};
  const FileView& file = context.file();
  const FileSpan keyword{context.Place(async[-1].span).end, context.Place(async->span).end};
  if (!file.CommentsIn(keyword).empty()) return {};
  std::optional<std::vector<CodeEdit>> edits = WithoutHandle(context, *call);
  if (!edits) return {};
  // In the order of the file: the keyword comes after the assigned target and before the wait.
  edits->insert(edits->end() - 1, file.Edit(keyword, ""));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
