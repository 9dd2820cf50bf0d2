#include "check/preconditions.h"

#include <string>

#include "check/expr_facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// Whether the only effect of the statement is to print something: print, a logger, a warning.
bool OnlyPrints(const Stmt& statement) {
  if (statement.kind != StmtKind::kExpression || statement.value->kind != PythonExprKind::kCall) {
    return false;
  }
  const std::string name = DottedName(*statement.value->left);
  if (name == "print" || name == "warnings.warn") return true;
  const auto [receiver, level] = llvm::StringRef(name).rsplit('.');
  return receiver.contains_insensitive("log") &&
         HasWord<
             "debug info warning warn error critical exception log warning_once info_once "
             "warning_advice">(level);
}

/// Whether the arguments of `call` can be dropped: no call in them stores or draws random numbers.
bool HasPureArguments(const Expr& call) {
  return llvm::none_of(call.arguments,
                       [](const CallArgument& argument) { return MayHaveEffect(*argument.value); });
}

bool IsPositional(const CallArgument& argument) {
  return argument.keyword.empty() && argument.stars == 0;
}

/// Whether the value of `name` is only used by calls that print.
bool IsOnlyPrinted(const FixContext& context, std::string_view name, int depth) {
  return depth != 0 && llvm::all_of(context.index().UsesOf(name), [&](const NameUse& use) {
           if (use.is_store) return use.statement->kind == StmtKind::kAssign;
           if (OnlyPrints(*use.statement)) return true;
           const Expr* target = OnlyTarget(*use.statement);
           return IsName(target) && IsOnlyPrinted(context, target->text, depth - 1);
         });
}

bool OnlyPrinted(const FixContext& context) {
  constexpr int kMaxNames = 4;
  const Expr* target = OnlyTarget(context.statement());
  return IsName(target) && IsOnlyPrinted(context, target->text, kMaxNames);
}

/// The statement is a `with` whose body only contains calls, such as writing to a file.
bool BodyOnlyCalls(const FixContext& context) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kWith && !statement.is_async &&
         llvm::all_of(statement.body, [](const Stmt* inner) {
           return inner->kind == StmtKind::kExpression &&
                  inner->value->kind == PythonExprKind::kCall && HasPureArguments(*inner->value);
         });
}

/// A parameter without a gradient that no object stores: a tensor can take its place.
bool NoGradient(const FixContext& context) {
  const Expr* call = context.Call();
  if (call == nullptr || call->arguments.size() != 2) return false;
  const CallArgument& second = call->arguments[1];
  if (second.stars != 0 || second.value->kind != PythonExprKind::kFalse) return false;
  if (!second.keyword.empty() && second.keyword != "requires_grad") return false;
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kAssign) return statement.kind == StmtKind::kReturn;
  return llvm::all_of(statement.targets, [](const Expr* target) { return IsName(target); });
}

/// The stored value has the shape of the target, as far as names show.
bool SameShape(const FixContext& context) {
  const Expr* target = OnlyTarget(context.statement());
  if (target == nullptr || target->kind != PythonExprKind::kAttribute) return false;
  const ExprFacts facts(context);
  const std::string held = facts.ShapeOf(*target->left);
  return !held.empty() && held == facts.ShapeOf(*context.statement().value);
}

bool Always(const FixContext& /*context*/) { return true; }

constexpr Precondition kPreconditions[] = {
    // The first argument is given and certainly a tensor.
    {"argument-is-tensor",
     [](const FixContext& context) {
       const auto& arguments = context.fact().arguments;
       return !arguments.empty() && IsSurelyTensor(arguments.front()) &&
              !arguments.front().Has(Trait::kOptional);
     }},
    {"arguments-pure",
     [](const FixContext& context) {
       return context.Call() != nullptr && HasPureArguments(*context.Call());
     }},
    {"body-only-calls", BodyOnlyCalls},
    {"contextlib-bound", Always, "contextlib"},
    {"deep-copy", [](const FixContext& context) { return context.fact().name == "copy.deepcopy"; }},
    {"no-gradient", NoGradient},
    // At least one positional argument, and no starred one.
    {"one-argument",
     [](const FixContext& context) {
       const Expr* call = context.Call();
       return call != nullptr && !call->arguments.empty() && IsPositional(call->arguments[0]);
     }},
    {"one-target",
     [](const FixContext& context) { return OnlyTarget(context.statement()) != nullptr; }},
    // The name that is assigned is only printed or logged.
    {"only-printed", OnlyPrinted},
    // The receiver can be written twice.
    {"plain-receiver",
     [](const FixContext& context) {
       const Expr* call = context.Call();
       return call != nullptr && call->left->kind == PythonExprKind::kAttribute &&
              IsDotted(*call->left);
     }},
    // A call that is a statement of its own.
    {"result-unused",
     [](const FixContext& context) {
       const Stmt& statement = context.statement();
       return statement.kind == StmtKind::kExpression &&
              (context.expressions().empty() || context.fact().expr == statement.value);
     }},
    {"same-shape", SameShape},
    {"statement-alone",
     [](const FixContext& context) {
       return context.PlacementOf(context.statement()) != Placement::kShared;
     }},
    {"statement-prints", [](const FixContext& context) { return OnlyPrints(context.statement()); }},
    // The target of the store is `.data` of something.
    {"stores-data",
     [](const FixContext& context) {
       const Expr* target = OnlyTarget(context.statement());
       return target != nullptr && target->kind == PythonExprKind::kAttribute &&
              target->text == "data";
     }},
    // The receiver is certainly a tensor.
    {"subject-is-tensor",
     [](const FixContext& context) { return IsSurelyTensor(context.fact().subject); }},
    {"torch-bound", Always, "torch"},
    // Two positional arguments and nothing else.
    {"two-arguments",
     [](const FixContext& context) {
       const Expr* call = context.Call();
       return call != nullptr && call->arguments.size() == 2 &&
              llvm::all_of(call->arguments, IsPositional);
     }},
};

}  // namespace

llvm::ArrayRef<Precondition> Preconditions() { return kPreconditions; }

}  // namespace shapewise
