#include "source/compile_calls.h"

#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

// Names for names; more are not written.
constexpr int kMaxNames = 4;

CompileWay WayOf(Project& project, FileId file, const Expr& expr, int names_left) {
  if (expr.kind != PythonExprKind::kCall) {
    const Binding binding = project.ResolveDotted(file, expr);
    if (binding.kind == Binding::Kind::kOutside) return {.compiles = binding.name == kCompileName};
    if (binding.kind != Binding::Kind::kExpression || binding.expr == nullptr || names_left == 0) {
      return {};
    }
    return WayOf(project, binding.file, *binding.expr, names_left - 1);
  }
  const Expr* callee = expr.left;
  if (callee->kind != PythonExprKind::kCall) {
    const Binding binding = project.ResolveDotted(file, *callee);
    const bool is_partial =
        binding.kind == Binding::Kind::kOutside && binding.name == "functools.partial";
    if (is_partial && !expr.arguments.empty()) callee = expr.arguments.front().value;
  }
  CompileWay way = WayOf(project, file, *callee, names_left);
  way.is_whole = way.compiles && (way.is_whole || IsWhole(expr));
  return way;
}

}  // namespace

bool IsWhole(const Expr& call) {
  return llvm::any_of(call.arguments, [](const CallArgument& argument) {
    return argument.keyword == "fullgraph" && argument.value->kind == PythonExprKind::kTrue;
  });
}

CompileWay ReadDecorator(Project& project, FileId file, const Expr& decorator) {
  return WayOf(project, file, decorator, kMaxNames);
}

}  // namespace shapewise
