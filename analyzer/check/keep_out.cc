#include "check/keep_out.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

constexpr std::string_view kDecorator = "@torch.compiler.disable";

// What torch.nn.Module calls.
constexpr std::string_view kPartsOfModel[] = {"forward", "__init__"};
// Decorators that pass on what they decorate.
constexpr std::string_view kTransparent[] = {"staticmethod", "classmethod", "no_grad",
                                             "inference_mode"};
bool HasYield(llvm::ArrayRef<const Stmt*> body) {
  bool found = false;
  const auto visit = [&](const Expr& expr, const auto& self) -> void {
    found |= expr.kind == PythonExprKind::kYield || expr.kind == PythonExprKind::kYieldFrom;
    if (!found) ForEachChild(expr, [&](const Expr& child) { self(child, self); });
  };
  for (const Stmt* stmt : body) {
    ForEachExpr(*stmt, [&](const Expr& expr, bool) { visit(expr, visit); });
    ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> inner) { found |= HasYield(inner); });
  }
  return found;
}

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
  if (HasYield(function->body)) return {};
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
