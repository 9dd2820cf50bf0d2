#include "check/keep_out.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "source/outside_table.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

constexpr std::string_view kReceiverName = "self";
constexpr std::string_view kDecorator = "@torch.compiler.disable";

// What runs the model itself.
constexpr std::string_view kPartsOfModel[] = {"forward", "__call__", "__init__"};
// Decorators that pass on what they decorate.
constexpr std::string_view kTransparent[] = {"staticmethod", "classmethod", "no_grad",
                                             "inference_mode"};
// Methods of lists, dicts and texts; those of tensors are in the tables.
constexpr std::string_view kOfContainers[] = {
    "append", "extend", "insert", "pop",    "get",   "items",      "keys",     "values", "update",
    "copy",   "count",  "index",  "format", "split", "startswith", "endswith", "join",   "lower"};
// Names of arguments that are called by what they are passed to.
constexpr std::string_view kCallables[] = {"func",    "fn",      "f",     "model", "module",  "net",
                                           "network", "encoder", "layer", "head",  "backbone"};

class CallReader {
 public:
  CallReader(const Stmt& function, const TreeIndex& index) : function_(function), index_(index) {}

  /// Whether only functions of modules, and methods of tensors and containers, are called.
  bool CallsOnlyKnown() {
    VisitBlock(function_.body);
    return is_known_;
  }

 private:
  void VisitBlock(llvm::ArrayRef<const Stmt*> body) {
    for (const Stmt* stmt : body) {
      ForEachExpr(*stmt, [&](const Expr& expr, bool) { Visit(expr); });
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> inner) { VisitBlock(inner); });
    }
  }

  void Visit(const Expr& expr) {
    const bool yields =
        expr.kind == PythonExprKind::kYield || expr.kind == PythonExprKind::kYieldFrom;
    if (yields || (expr.kind == PythonExprKind::kCall && !IsKnown(expr))) is_known_ = false;
    if (is_known_) ForEachChild(expr, [&](const Expr& child) { Visit(child); });
  }

  bool IsLocal(std::string_view name) const {
    return !index_.StoresOf(name).empty() ||
           llvm::any_of(function_.parameters,
                        [&](const Parameter& parameter) { return parameter.name == name; });
  }

  bool IsKnown(const Expr& call) const {
    const bool passes_callable = llvm::any_of(call.arguments, [](const CallArgument& argument) {
      const Expr* value = argument.value;
      const bool is_name =
          value->kind == PythonExprKind::kName || value->kind == PythonExprKind::kAttribute;
      return is_name && llvm::is_contained(kCallables, value->text);
    });
    if (passes_callable) return false;
    const Expr& callee = *call.left;
    if (callee.kind == PythonExprKind::kName) return !IsLocal(callee.text);
    if (callee.kind != PythonExprKind::kAttribute) return false;
    if (llvm::is_contained(kOfContainers, callee.text) ||
        FindOutside("torch.Tensor.", callee.text).entry != nullptr) {
      return true;
    }
    const Expr* root = callee.left;
    while (root->kind == PythonExprKind::kAttribute) root = root->left;
    return root->kind == PythonExprKind::kName && root->text != kReceiverName && !IsLocal(root->text);
  }

  const Stmt& function_;
  const TreeIndex& index_;
  bool is_known_ = true;
};

bool IsTransparent(const Expr* decorator) {
  const Expr* named = decorator->kind == PythonExprKind::kCall ? decorator->left : decorator;
  return llvm::is_contained(kTransparent, named->text);
}

}  // namespace

std::optional<CodeFix> KeepOut(const FixContext& context) {
  const Stmt* function = context.unit().function;
  if (function == nullptr || function->kind != StmtKind::kFunction || function->is_async) return {};
  if (llvm::is_contained(kPartsOfModel, function->text)) return {};
  if (!llvm::all_of(function->decorators, IsTransparent)) return {};
  if (!CallReader(*function, context.index()).CallsOnlyKnown()) return {};
  std::optional<std::vector<CodeEdit>> edits = context.Import("torch");
  if (!edits) return {};
  const FileView& file = context.file();
  const size_t at = function->decorators.empty()
                        ? file.LineBegin(context.Place(function->span).begin)
                        : file.NextLine(context.Place(function->decorators.back()->span).end);
  const std::string_view indent = file.IndentOf(at);
  if (!file.text().substr(at + indent.size()).starts_with("def ")) return {};
  CodeFix fix;
  fix.title = "run `" + std::string(function->text) + "` without compiling, as one break";
  std::string line(indent);
  line.append(kDecorator).append(file.line_end());
  edits->push_back(file.Edit({at, at}, std::move(line)));
  fix.edits = std::move(*edits);
  llvm::stable_sort(fix.edits,
                    [](const CodeEdit& a, const CodeEdit& b) { return a.begin < b.begin; });
  return fix;
}

}  // namespace shapewise
