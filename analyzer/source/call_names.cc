#include "source/call_names.h"

#include "llvm/ADT/STLExtras.h"
#include "source/word_list.h"
#include "support/text_scan.h"

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

bool HoldsModules(std::string_view name) {
  return HasWord<
      "torch.nn.ModuleList torch.nn.Sequential torch.nn.ModuleDict torch.nn.ParameterList "
      "torch.nn.modules.container.ModuleList torch.nn.modules.container.Sequential">(name);
}

bool IsLoggerFactory(std::string_view name) {
  return HasWord<"getLogger get_logger get_child_logger">(LastName(name));
}

bool KeepsOut(std::string_view decorator) {
  return HasWord<
             "torch.compiler.disable torch._dynamo.disable torch._disable_dynamo "
             "torch._dynamo.disallow_in_graph">(decorator) ||
         HasBeginning<"numba. triton. tilelang.">(decorator);
}

bool GivesPieces(const Expr& call, std::string_view name, llvm::ArrayRef<Value> passed) {
  const bool is_method = name.starts_with("torch.Tensor.");
  const bool splits = name.ends_with(".split");
  if (!splits && !name.ends_with(".unbind")) return false;
  if (!name.starts_with("torch.")) return false;
  size_t position = is_method ? 0 : 1;
  if (splits) {
    // A list of sizes says how many pieces there are.
    if (passed.size() <= position || passed[position].kind != ValueKind::kInt) return false;
    ++position;
  }
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const CallArgument& argument = call.arguments[i];
    const bool is_dim = argument.keyword.empty() ? i == position : argument.keyword == "dim";
    if (is_dim && argument.value->kind == PythonExprKind::kUnary) return false;
  }
  return true;
}

bool IsWhole(const Expr& call) {
  return llvm::any_of(call.arguments, [](const CallArgument& argument) {
    return argument.keyword == "fullgraph" && argument.value->kind == PythonExprKind::kTrue;
  });
}

CompileWay ReadDecorator(Project& project, FileId file, const Expr& decorator) {
  return WayOf(project, file, decorator, kMaxNames);
}

}  // namespace shapewise
