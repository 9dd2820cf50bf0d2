#include "source/call_names.h"

#include "llvm/ADT/STLExtras.h"

namespace shapewise {
namespace {

constexpr std::string_view kContainers[] = {"torch.nn.ModuleList",
                                            "torch.nn.Sequential",
                                            "torch.nn.ModuleDict",
                                            "torch.nn.ParameterList",
                                            "torch.nn.modules.container.ModuleList",
                                            "torch.nn.modules.container.Sequential"};

}  // namespace

bool HoldsModules(std::string_view name) { return llvm::is_contained(kContainers, name); }

bool IsLoggerFactory(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return last == "getLogger" || last == "get_logger" || last == "get_child_logger";
}

bool KeepsOut(std::string_view decorator) {
  return decorator == "torch.compiler.disable" || decorator == "torch._dynamo.disable" ||
         decorator == "torch._disable_dynamo" || decorator == "torch._dynamo.disallow_in_graph" ||
         decorator.starts_with("numba.") || decorator.starts_with("triton.") ||
         decorator.starts_with("tilelang.");
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

}  // namespace shapewise
