#include "check/preconditions.h"

#include <string>

#include "check/expr_facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace shapewise {
namespace {

bool ImportHolds(const FixContext& context, std::string_view module, std::vector<CodeEdit>& edits) {
  std::optional<std::vector<CodeEdit>> added = context.Import(module);
  if (!added) return false;
  for (CodeEdit& edit : *added) edits.push_back(std::move(edit));
  return true;
}

bool DeepCopy(const FixContext& context, std::vector<CodeEdit>&) {
  return context.fact().name == "copy.deepcopy";
}

bool StatementAlone(const FixContext& context, std::vector<CodeEdit>&) {
  return context.PlacementOf(context.statement()) != Placement::kShared;
}

bool TorchBound(const FixContext& context, std::vector<CodeEdit>& edits) {
  return ImportHolds(context, "torch", edits);
}

bool ContextlibBound(const FixContext& context, std::vector<CodeEdit>& edits) {
  return ImportHolds(context, "contextlib", edits);
}

/// A call that is a statement of its own.
bool ResultUnused(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kExpression && statement.value != nullptr &&
         (context.expressions().empty() || context.fact().expr == statement.value);
}

bool StatementPrints(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kExpression && statement.value != nullptr &&
         IsPrintingCall(*statement.value);
}

/// The arguments of the call can be dropped: no call in them stores or draws random numbers.
bool ArgumentsPure(const FixContext& context, std::vector<CodeEdit>&) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || call->kind != PythonExprKind::kCall) return false;
  return llvm::all_of(call->arguments, [](const CallArgument& argument) {
    return argument.value != nullptr && !MayHaveEffect(*argument.value);
  });
}

/// Whether the value of `name` is only used by calls that print.
bool IsOnlyPrinted(const FixContext& context, std::string_view name, int depth) {
  if (depth == 0) return false;
  for (const NameUse& use : context.index().UsesOf(name)) {
    if (use.is_store) {
      if (use.statement->kind != StmtKind::kAssign) return false;
      continue;
    }
    const Stmt& statement = *use.statement;
    if (statement.kind == StmtKind::kExpression && statement.value != nullptr &&
        IsPrintingCall(*statement.value))
      continue;
    if (statement.kind != StmtKind::kAssign || statement.targets.size() != 1 ||
        statement.targets[0]->kind != PythonExprKind::kName)
      return false;
    if (!IsOnlyPrinted(context, statement.targets[0]->text, depth - 1)) return false;
  }
  return true;
}

bool OnlyPrinted(const FixContext& context, std::vector<CodeEdit>&) {
  constexpr int kMaxNames = 4;
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kAssign && statement.targets.size() == 1 &&
         statement.targets[0]->kind == PythonExprKind::kName &&
         IsOnlyPrinted(context, statement.targets[0]->text, kMaxNames);
}

/// The statement is a `with` whose body only contains calls, such as writing to a file.
bool BodyOnlyCalls(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kWith && !statement.is_async &&
         llvm::all_of(statement.body, [](const Stmt* inner) {
           return inner->kind == StmtKind::kExpression && inner->value != nullptr &&
                  inner->value->kind == PythonExprKind::kCall &&
                  llvm::all_of(inner->value->arguments, [](const CallArgument& argument) {
                    return argument.value != nullptr && !MayHaveEffect(*argument.value);
                  });
         });
}

/// At least one positional argument, and no starred one.
bool OneArgument(const FixContext& context, std::vector<CodeEdit>&) {
  const Expr* call = context.fact().expr;
  return call != nullptr && call->kind == PythonExprKind::kCall && !call->arguments.empty() &&
         call->arguments[0].keyword.empty() && call->arguments[0].stars == 0;
}

/// A parameter without a gradient that no object stores: a tensor can take its place.
bool NoGradient(const FixContext& context, std::vector<CodeEdit>&) {
  const Expr* call = context.fact().expr;
  if (call == nullptr || call->kind != PythonExprKind::kCall || call->arguments.size() != 2) {
    return false;
  }
  const CallArgument& second = call->arguments[1];
  if (second.stars != 0 || second.value->kind != PythonExprKind::kFalse) return false;
  if (!second.keyword.empty() && second.keyword != "requires_grad") return false;
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kAssign) return statement.kind == StmtKind::kReturn;
  return llvm::all_of(statement.targets,
                      [](const Expr* target) { return target->kind == PythonExprKind::kName; });
}

/// The receiver can be written twice.
bool PlainReceiver(const FixContext& context, std::vector<CodeEdit>&) {
  const Expr* call = context.fact().expr;
  return call != nullptr && call->kind == PythonExprKind::kCall && call->left != nullptr &&
         call->left->kind == PythonExprKind::kAttribute && !DottedName(*call->left).empty();
}

/// The first argument is given and certainly a tensor.
bool ArgumentIsTensor(const FixContext& context, std::vector<CodeEdit>&) {
  const Fact& fact = context.fact();
  return !fact.arguments.empty() && IsSurelyTensor(fact.arguments.front()) &&
         !fact.arguments.front().Has(Trait::kOptional);
}

/// The receiver is certainly a tensor.
bool SubjectIsTensor(const FixContext& context, std::vector<CodeEdit>&) {
  return IsSurelyTensor(context.fact().subject);
}

/// Two positional arguments and nothing else.
bool TwoArguments(const FixContext& context, std::vector<CodeEdit>&) {
  const Expr* call = context.fact().expr;
  return call != nullptr && call->kind == PythonExprKind::kCall && call->arguments.size() == 2 &&
         llvm::all_of(call->arguments, [](const CallArgument& argument) {
           return argument.keyword.empty() && argument.stars == 0;
         });
}

/// The target of the store is `.data` of something.
bool StoresData(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kAssign && statement.targets.size() == 1 &&
         statement.targets[0]->kind == PythonExprKind::kAttribute &&
         statement.targets[0]->text == "data";
}

/// The statement has a single target.
bool OneTarget(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  return statement.kind == StmtKind::kAssign && statement.targets.size() == 1;
}

/// The stored value has the shape of the target, as far as names show.
bool SameShape(const FixContext& context, std::vector<CodeEdit>&) {
  const Stmt& statement = context.statement();
  if (statement.kind != StmtKind::kAssign || statement.targets.size() != 1) return false;
  const Expr& target = *statement.targets[0];
  if (target.kind != PythonExprKind::kAttribute || target.left == nullptr) return false;
  const ExprFacts facts(context);
  const std::string held = facts.ShapeOf(*target.left);
  return !held.empty() && held == facts.ShapeOf(*statement.value);
}

constexpr Precondition kPreconditions[] = {
    {"argument-is-tensor", ArgumentIsTensor, "the first argument is known to be a tensor"},
    {"arguments-pure", ArgumentsPure,
     "no argument of the call has a side effect or draws random numbers"},
    {"body-only-calls", BodyOnlyCalls, "a `with` whose body only calls things"},
    {"contextlib-bound", ContextlibBound, "`contextlib` is, or can be, imported"},
    {"deep-copy", DeepCopy, "the call is copy.deepcopy"},
    {"no-gradient", NoGradient, "a parameter without a gradient, which no object stores"},
    {"one-argument", OneArgument, "the call has a first positional argument"},
    {"one-target", OneTarget, "an assignment to one thing"},
    {"only-printed", OnlyPrinted, "the name that is assigned is only printed or logged"},
    {"plain-receiver", PlainReceiver, "the receiver is a name, or attributes of one"},
    {"result-unused", ResultUnused, "the call is a statement of its own"},
    {"same-shape", SameShape, "what is stored has the shape of what it is stored to"},
    {"statement-alone", StatementAlone, "the statement shares no line with another"},
    {"statement-prints", StatementPrints, "the statement only prints, logs or warns"},
    {"stores-data", StoresData, "an assignment to `.data`"},
    {"subject-is-tensor", SubjectIsTensor, "the receiver is known to be a tensor"},
    {"torch-bound", TorchBound, "`torch` is, or can be, imported"},
    {"two-arguments", TwoArguments, "the call has two positional arguments and no others"},
};

}  // namespace

llvm::ArrayRef<Precondition> Preconditions() { return kPreconditions; }

const Precondition* FindPrecondition(std::string_view name) {
  const auto* found =
      llvm::find_if(kPreconditions, [&](const Precondition& one) { return one.name == name; });
  return found == std::end(kPreconditions) ? nullptr : found;
}

bool IsPrintingCall(const Expr& call) {
  if (call.kind != PythonExprKind::kCall || call.left == nullptr) return false;
  const std::string name = DottedName(*call.left);
  if (name == "print" || name == "warnings.warn") return true;
  static constexpr std::string_view kLevels[] = {
      "debug",     "info", "warning",      "warn",      "error",         "critical",
      "exception", "log",  "warning_once", "info_once", "warning_advice"};
  const llvm::StringRef dotted(name);
  const auto [receiver, level] = dotted.rsplit('.');
  return !level.empty() && receiver.contains_insensitive("log") &&
         llvm::is_contained(kLevels, std::string_view(level));
}

}  // namespace shapewise
