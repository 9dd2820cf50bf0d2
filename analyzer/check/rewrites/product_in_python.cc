// Multiplies sizes in Python, where NumPy would make a tensor of them:
//
//   int(np.prod(x.shape[1:]))   ->   math.prod(x.shape[1:])
//
// Requires that the sizes are those of `.shape`, `.size()` or a slice of them, and that an import
// at the top of the file binds NumPy. Not safe: NumPy's product wraps at 64 bits, and an object may
// have a `shape` of another kind.

#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

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
         expr.items[0] != nullptr && expr.items[0]->kind == PythonExprKind::kSlice &&
         AreSizes(*expr.left);
}

bool IsNumPy(const FixContext& context, const Expr& name) {
  if (name.kind != PythonExprKind::kName || !context.index().StoresOf(name.text).empty()) {
    return false;
  }
  return llvm::any_of(context.file().module(), [&](const Stmt* statement) {
    return statement->kind == StmtKind::kImport &&
           llvm::any_of(statement->imports, [&](const ImportedName& imported) {
             return imported.name == "numpy" &&
                    name.text == (imported.as.empty() ? imported.name : imported.as);
           });
  });
}

}  // namespace

std::optional<Rewritten> ProductInPython(const FixContext& context) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || context.fact().name != "builtins.int") return {};
  const Expr* product = OnlyArgument(*call);
  if (product == nullptr) return {};
  const Expr* sizes = OnlyArgument(*product);
  if (sizes == nullptr || !AreSizes(*sizes)) return {};
  const Expr& callee = *product->left;
  if (callee.kind != PythonExprKind::kAttribute || callee.text != "prod") return {};
  if (!IsNumPy(context, *callee.left)) return {};
  std::optional<std::vector<CodeEdit>> edits = context.Import("math");
  std::optional<CodeEdit> edit =
      context.ReplaceExpr(*call, "math.prod(" + std::string(context.Text(*sizes)) + ")");
  if (!edit || !edits) return {};
  edits->push_back(std::move(*edit));
  return Rewritten{std::move(*edits), false};
}

}  // namespace shapewise
