#include "source/compiling_answers.h"

#include <string>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "source/outside.h"
#include "source/word_list.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// Helpers that call helpers. Real ones are two levels deep.
constexpr int kMaxHelpers = 8;

/// The full name of a dotted expression whose first name one of `imports` binds; empty: none does.
std::string LocalName(llvm::ArrayRef<const Stmt*> imports, const Expr& expr) {
  if (expr.kind == PythonExprKind::kAttribute) {
    std::string base = LocalName(imports, *expr.left);
    return base.empty() ? base : base.append(".").append(expr.text);
  }
  if (expr.kind != PythonExprKind::kName) return {};
  for (const Stmt* stmt : imports) {
    if (stmt->dots != 0) continue;
    for (const ImportedName& name : stmt->imports) {
      if (BoundName(name) != expr.text) continue;
      if (stmt->kind == StmtKind::kImport) {
        return std::string(name.as.empty() ? expr.text : name.name);
      }
      return std::string(stmt->text).append(".").append(name.name);
    }
  }
  return {};
}

std::optional<bool> Not(std::optional<bool> answer) {
  return answer ? std::optional(!*answer) : std::nullopt;
}

}  // namespace

std::optional<bool> CompilingAnswers::OfOutside(std::string_view dotted) {
  // True while Dynamo traces; the other functions of this kind return False then, including
  // torch.jit.is_tracing(). The helper of transformers is imported from different modules.
  if (HasWord<"torch.compiler.is_compiling torch.compiler.is_dynamo_compiling "
              "torch._dynamo.is_compiling torch._dynamo.external_utils.is_compiling "
              "torch._utils.is_compiling torch._dynamo.is_dynamo_compiling">(dotted) ||
      LastName(dotted) == "is_torchdynamo_compiling") {
    return true;
  }
  if (HasWord<"torch.jit.is_scripting torch.jit.is_tracing torch.onnx.is_in_onnx_export "
              "torch.compiler.is_exporting torch._jit_internal.is_scripting">(dotted)) {
    return false;
  }
  return std::nullopt;
}

std::optional<bool> CompilingAnswers::OfFunction(FunctionId id) {
  const auto [entry, is_new] = known_.try_emplace(id, std::nullopt);
  if (!is_new || depth_ >= kMaxHelpers) return entry->second;
  const Stmt* tree = project_.Tree(id);
  if (tree == nullptr) return std::nullopt;
  ++depth_;
  const auto leave = llvm::make_scope_exit([&] { --depth_; });
  LocalImports imports;
  Returns returns;
  const bool has_asked = std::exchange(has_asked_, false);
  const bool falls_through =
      Collect(project_.function(id).file, tree->body, /*is_certain=*/true, imports, returns);
  std::optional<bool> answer;
  const bool is_one = returns.has_true != returns.has_false;
  if (has_asked_ && is_one && !returns.has_unknown && !falls_through) {
    // The opposite constant is returned if torch is not available.
    const bool is_clear = returns.has_true ? !returns.has_other_true : !returns.has_other_false;
    if (is_clear) answer = returns.has_true;
  }
  has_asked_ = has_asked || answer.has_value();
  known_[id] = answer;
  return answer;
}

bool CompilingAnswers::Collect(FileId file, llvm::ArrayRef<const Stmt*> body, bool is_certain,
                               LocalImports& imports, Returns& returns) {
  for (const Stmt* stmt : body) {
    switch (stmt->kind) {
      case StmtKind::kImport:
      case StmtKind::kImportFrom:
        imports.push_back(stmt);
        break;
      case StmtKind::kReturn: {
        if (stmt->value == nullptr) {
          returns.has_unknown = true;
          return false;
        }
        const bool is_constant = stmt->value->kind == PythonExprKind::kTrue ||
                                 stmt->value->kind == PythonExprKind::kFalse;
        const std::optional<bool> answer = OfExpr(file, imports, *stmt->value);
        if (!answer) {
          returns.has_unknown = true;
        } else if (is_constant && !is_certain) {
          (*answer ? returns.has_other_true : returns.has_other_false) = true;
        } else {
          (*answer ? returns.has_true : returns.has_false) = true;
        }
        return false;
      }
      case StmtKind::kRaise:
        return false;
      case StmtKind::kIf: {
        const std::optional<bool> test = OfExpr(file, imports, *stmt->value);
        const bool is_known = is_certain && test.has_value();
        const bool goes_on_if_true =
            test != false && Collect(file, stmt->body, is_known, imports, returns);
        const bool goes_on_if_false =
            test != true && Collect(file, stmt->orelse, is_known, imports, returns);
        if (!goes_on_if_true && !goes_on_if_false) return false;
        // What follows an unrelated test that may return is one of its two ways.
        is_certain &= test.has_value() || (goes_on_if_true && goes_on_if_false);
        break;
      }
      case StmtKind::kTry: {
        bool goes_on = Collect(file, stmt->body, is_certain, imports, returns) &&
                       Collect(file, stmt->orelse, is_certain, imports, returns);
        for (const Branch& handler : stmt->handlers) {
          goes_on |= Collect(file, handler.body, /*is_certain=*/false, imports, returns);
        }
        if (!Collect(file, stmt->finally, is_certain, imports, returns) || !goes_on) return false;
        break;
      }
      case StmtKind::kExpression:  // a docstring, or a statement without influence on the result
      case StmtKind::kPass:
        break;
      default:
        returns.has_unknown = true;
        return false;
    }
  }
  return true;
}

std::optional<bool> CompilingAnswers::OfCall(FileId file, const LocalImports& imports,
                                             const Expr& call) {
  if (call.left == nullptr) return std::nullopt;
  if (const std::string local = LocalName(imports, *call.left); !local.empty()) {
    return Asked(OfOutside(CanonicalName(local)));
  }
  const Binding binding = project_.ResolveDotted(file, *call.left);
  if (binding.kind == Binding::Kind::kFunction) return Asked(OfFunction(binding.id));
  if (binding.kind != Binding::Kind::kOutside) return std::nullopt;
  // hasattr(torch, "compiler") and torch.compiler.is_compiling()
  if (binding.name == "builtins.hasattr" && !call.arguments.empty()) {
    const Expr& of = *call.arguments.front().value;
    std::string name = LocalName(imports, of);
    if (name.empty()) {
      const Binding owner = project_.ResolveDotted(file, of);
      if (owner.kind == Binding::Kind::kOutside) name = owner.name;
    }
    if (name == "torch" || name.starts_with("torch.")) return true;
    return std::nullopt;
  }
  return Asked(OfOutside(binding.name));
}

std::optional<bool> CompilingAnswers::OfExpr(FileId file, const LocalImports& imports,
                                             const Expr& expr) {
  switch (expr.kind) {
    case PythonExprKind::kTrue:
      return true;
    case PythonExprKind::kFalse:
      return false;
    case PythonExprKind::kNot:
      return Not(OfExpr(file, imports, *expr.left));
    case PythonExprKind::kAnd:
    case PythonExprKind::kOr: {
      // One operand may decide the result; otherwise all must agree.
      const bool settles = expr.kind == PythonExprKind::kOr;
      bool is_known = true;
      for (const Expr* item : expr.items) {
        const std::optional<bool> answer = OfExpr(file, imports, *item);
        if (answer == settles) return settles;
        is_known &= answer.has_value();
      }
      return is_known ? std::optional(!settles) : std::nullopt;
    }
    case PythonExprKind::kCall:
      return OfCall(file, imports, expr);
    default:
      return std::nullopt;
  }
}

}  // namespace shapewise
