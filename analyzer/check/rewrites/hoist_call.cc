// Evaluates a call with a constant result once, when the module is imported:
//
//   if os.path.exists("/opt/k.so"):   ->   _OS_PATH_EXISTS = os.path.exists("/opt/k.so")
//                                          ...
//                                          if _OS_PATH_EXISTS:
//
// Requires literal arguments, a callee that is bound by an import at the top of the file, and a
// call that cannot raise: otherwise the module could no longer be imported where the call used to
// be skipped. Not safe: the result is that of the import.

#include <string>

#include "check/rewrites/rewrites.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace shapewise {
namespace {

/// Whether a call with literal arguments of the right types cannot raise.
bool NeverRaises(std::string_view name, const Expr& call) {
  if (name == "os.getpid") return call.arguments.empty();
  if (call.arguments.size() != 1 || call.arguments[0].value->kind != PythonExprKind::kString) {
    return false;
  }
  constexpr std::string_view kOfPaths[] = {"os.path.exists", "os.path.isfile", "os.path.isdir"};
  if (llvm::is_contained(kOfPaths, name)) return true;
  // A dotted name makes find_spec import the parent packages.
  return name == "importlib.util.find_spec" &&
         call.arguments[0].value->text.find('.') == std::string_view::npos;
}

bool IsLiteral(const Expr& expr) {
  return expr.kind == PythonExprKind::kString || expr.kind == PythonExprKind::kInteger ||
         expr.kind == PythonExprKind::kFloat || expr.kind == PythonExprKind::kTrue ||
         expr.kind == PythonExprKind::kFalse || expr.kind == PythonExprKind::kNone;
}

/// Whether an import at the top of the file, before `offset`, binds `name`.
bool IsImported(const FileView& file, std::string_view name, size_t offset) {
  for (const Stmt* statement : file.module()) {
    if (file.module_begin() + statement->span.end > offset) continue;
    for (const ImportedName& imported : statement->imports) {
      const std::string_view bound =
          !imported.as.empty() ? imported.as : imported.name.substr(0, imported.name.find('.'));
      if (bound == name) return true;
    }
  }
  return false;
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

}  // namespace

std::optional<Rewritten> HoistCall(const FixContext& context) {
  const Expr* call = context.fact().expr;
  const FixUnit& unit = context.unit();
  if (call == nullptr || call->kind != PythonExprKind::kCall || unit.function == nullptr) return {};
  const std::string dotted = DottedName(*call->left);
  if (dotted.empty()) return {};
  for (const CallArgument& argument : call->arguments)
    if (argument.stars != 0 || argument.value == nullptr || !IsLiteral(*argument.value)) return {};
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
  std::optional<CodeEdit> edit = context.ReplaceExpr(*call, name);
  if (!edit) return {};
  return Rewritten{{file.Edit({at, at}, std::move(line)), std::move(*edit)}, false};
}

}  // namespace shapewise
