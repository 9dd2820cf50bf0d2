#include "source/function_flow.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include "source/call_names.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

// Deeper code is not followed, because the stack is limited.
constexpr uint32_t kMaxBlocks = 120;

/// The values of names after two branches. A name that only one branch binds has that value or
/// none. `if_a`, `if_b`: the conditions (RunCondition) of the branches.
Scope JoinScopes(Scope a, const Scope& b, ValueStore& values, uint16_t if_a = 0,
                 uint16_t if_b = 0) {
  a.JoinWith(b, [&](Value left, Value right) {
    // Both branches of one test together have no condition.
    const int both = left.kind == right.kind ? if_a & if_b : 0;
    left.under |= static_cast<uint16_t>(if_a & ~both);
    right.under |= static_cast<uint16_t>(if_b & ~both);
    return values.Join(left, right);
  });
  return a;
}

/// Joins many scopes in order, pairwise: each name that one of them binds is visited a few times,
/// not once for every later scope.
Scope JoinAll(std::vector<Scope> ways, ValueStore& values) {
  while (ways.size() > 1) {
    size_t count = 0;
    for (size_t i = 0; i < ways.size(); i += 2) {
      Scope joined = i + 1 < ways.size() ? JoinScopes(ways[i], ways[i + 1], values) : ways[i];
      ways[count++] = std::move(joined);
    }
    ways.erase(ways.begin() + static_cast<ptrdiff_t>(count), ways.end());
  }
  return std::move(ways.front());
}

/// Whether `body` only raises, perhaps after some messages.
bool OnlyRaises(llvm::ArrayRef<const Stmt*> body) {
  return !body.empty() && body.back()->kind == StmtKind::kRaise;
}

/// Whether the body of the `if` turns its own test off for good: `if not self.checked:` with
/// `self.checked = True` in it, a flag that no method of the class stores elsewhere, except
/// `__init__`. `method` is the function with the `if`, or kNoId.
bool RunsOnce(Project& project, FunctionId method, const Stmt& stmt) {
  if (stmt.value->kind != PythonExprKind::kNot || !IsOfSelf(stmt.value->left)) return false;
  const auto is_flag = [&](const Expr* target) {
    return IsOfSelf(target) && target->text == stmt.value->left->text;
  };
  const bool is_set = llvm::any_of(stmt.body, [&](const Stmt* inner) {
    return is_flag(OnlyTarget(*inner)) && inner->value->kind == PythonExprKind::kTrue;
  });
  if (!is_set || method == kNoId || project.function(method).in_class == kNoId) return false;
  int num_stores = 0;
  for (const FunctionId id : project.class_of(project.function(method).in_class).methods) {
    const Stmt* tree = project.function(id).name != "__init__" ? project.Tree(id) : nullptr;
    if (tree == nullptr) continue;
    AnyStmt(tree->body, [&](const Stmt& inner) {
      ForEachExpr(inner, [&](const Expr& expr, bool is_target) {
        num_stores += is_target && is_flag(&expr) ? 1 : 0;
      });
      return false;
    });
  }
  return num_stores == 1;
}

}  // namespace

FunctionFlow::FunctionFlow(FlowEngine& engine, uint32_t context, FileId file, const Value& self,
                           AttributeTable* attributes)
    : engine_(engine),
      context_(context),
      followed_(engine.context(context)),
      file_(file),
      self_(self),
      attributes_(attributes),
      has_no_facts_(followed_.has_no_facts),
      is_for_value_(followed_.is_for_value),
      scope_(engine.scope_memory()) {}

Value FunctionFlow::RunBody(llvm::ArrayRef<const Stmt*> body) {
  Run(body);
  return result_.value_or(Value{.kind = ValueKind::kNone});
}

FunctionFlow::Exit FunctionFlow::Run(llvm::ArrayRef<const Stmt*> body) {
  // The conditions added by an early return end with the body.
  const llvm::SaveAndRestore restore(conditions_);
  for (const Stmt* stmt : body) {
    const Exit exit = RunOne(*stmt);
    if (exit != Exit::kNext) return exit;
  }
  return Exit::kNext;
}

FunctionFlow::Exit FunctionFlow::RunOne(const Stmt& stmt) {
  const llvm::SaveAndRestore restore_statement(statement_, &stmt);
  const FlowStep step(engine_, followed_);
  if (!step.is_allowed()) return Exit::kNext;
  if (nesting_ >= kMaxBlocks) {
    engine_.GiveUp(followed_, GivenUp::Why::kNesting);
    return Exit::kNext;
  }
  const llvm::SaveAndRestore deeper(nesting_, nesting_ + 1);
  switch (stmt.kind) {
    case StmtKind::kExpression:
      // A text alone is documentation.
      if (stmt.value->kind != PythonExprKind::kString && !OnlyComputes(*stmt.value) &&
          !(is_for_value_ && HasNoEffect(*stmt.value))) {
        Evaluate(stmt.value);
      }
      return Exit::kNext;
    case StmtKind::kAssign: {
      if (OnlyAssigns(stmt)) return Exit::kNext;
      if (stmt.targets.size() == 1 && AssignAround(*stmt.targets.front(), *stmt.value)) {
        return Exit::kNext;
      }
      const Value value = Evaluate(stmt.value);
      for (const Expr* target : stmt.targets) Assign(*target, value);
      return Exit::kNext;
    }
    case StmtKind::kAnnotated:
      if (stmt.value != nullptr) Assign(*stmt.targets.front(), Evaluate(stmt.value));
      return Exit::kNext;
    case StmtKind::kAugmented: {
      const Expr& target = *stmt.targets.front();
      const Value before = Evaluate(&target);
      const Value by = Evaluate(stmt.value);
      const bool is_tensor = IsTensorLike(before) || IsTensorLike(by);
      Value after = is_tensor ? (IsTensorLike(before) ? before : by) : values().Join(before, by);
      if (!is_tensor && before.Has(Trait::kFromSize)) after.Add(Trait::kFromSize);
      Record(FactKind::kArithmetic, nullptr, stmt.text, before).arguments = {by};
      Assign(target, WithoutContents(after));
      return Exit::kNext;
    }
    case StmtKind::kReturn: {
      Value value{.kind = ValueKind::kNone};
      if (stmt.value != nullptr) value = Evaluate(stmt.value);
      result_ = result_ ? values().Join(*result_, value) : value;
      return Exit::kReturn;
    }
    case StmtKind::kIf:
      return RunIf(stmt);
    case StmtKind::kWhile:
      return RunWhile(stmt);
    case StmtKind::kFor:
      return RunFor(stmt);
    case StmtKind::kWith:
      return RunWith(stmt);
    case StmtKind::kTry:
      return RunTry(stmt);
    case StmtKind::kMatch:
      return RunMatch(stmt);
    case StmtKind::kRaise: {
      const llvm::SaveAndRestore restore(conditions_);
      conditions_ |= Bit(RunCondition::kRaises);
      if (stmt.value != nullptr && !is_for_value_ && !OnlyComputes(*stmt.value)) {
        Evaluate(stmt.value);
      }
      return Exit::kRaise;
    }
    case StmtKind::kAssert: {
      const TestOutcome truth = Test(*stmt.value, FactUse::kAssert);
      Record(FactKind::kAssert, stmt.value, {}, truth.value);
      if (stmt.message != nullptr && !is_for_value_) {
        Value message;
        {
          const llvm::SaveAndRestore restore(conditions_);
          conditions_ |= Bit(RunCondition::kRaises);
          message = Evaluate(stmt.message);
        }
        Record(FactKind::kAssert, stmt.value, {}, truth.value).arguments = {message};
      }
      Refine(truth.names_if_true);
      return Exit::kNext;
    }
    case StmtKind::kImport:
    case StmtKind::kImportFrom:
      RunImport(stmt);
      return Exit::kNext;
    case StmtKind::kFunction: {
      Callable callable{.local = &stmt, .file = file_};
      callable.within = followed_.function;
      ForgetSharedNames(stmt.body);
      callable.scope = engine_.KeepScope(scope_);
      const Value function = values().Method(callable);
      for (const Expr* decorator : stmt.decorators) {
        Evaluate(decorator);
        const CompileWay way = ReadDecorator(engine_.project(), file_, *decorator);
        if (way.compiles) engine_.NoteCompiled(context_, function, way.is_whole);
      }
      Bind(stmt.text, function);
      return Exit::kNext;
    }
    case StmtKind::kClass:
      Record(FactKind::kClass, nullptr, stmt.text, {});
      Bind(stmt.text, {});
      return Exit::kNext;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      return Exit::kLoop;
    case StmtKind::kGlobal:
      llvm::append_range(globals_, stmt.names);
      return Exit::kNext;
    case StmtKind::kDelete:
    case StmtKind::kPass:
    case StmtKind::kNonlocal:
      return Exit::kNext;
    case StmtKind::kUnreadable:
      engine_.GiveUp(followed_, GivenUp::Why::kUnread);
      return Exit::kNext;
  }
  return Exit::kNext;
}

bool FunctionFlow::HasNoEffect(const Expr& expr) const {
  return attributes_ == nullptr && !AnyExpr(expr, [](const Expr& part) {
           if (part.kind == PythonExprKind::kNamed) return true;
           // An item added to a list.
           return part.kind == PythonExprKind::kCall &&
                  part.left->kind == PythonExprKind::kAttribute &&
                  HasWord<"append extend insert add">(part.left->text);
         });
}

bool FunctionFlow::OnlyComputes(const Expr& expr) {
  return attributes_ != nullptr && !engine_.constructor_effects().MayChange(
                                       expr, followed_.function, values().class_of(self_));
}

bool FunctionFlow::OnlyAssigns(const Stmt& stmt) {
  if (attributes_ == nullptr) return false;
  // `self.config.name = ...`: the base is no name.
  const bool is_elsewhere = llvm::all_of(stmt.targets, [](const Expr* target) {
    return target->kind == PythonExprKind::kAttribute &&
           target->left->kind != PythonExprKind::kName;
  });
  return is_elsewhere && OnlyComputes(*stmt.value) &&
         llvm::all_of(stmt.targets,
                      [&](const Expr* target) { return OnlyComputes(*target->left); });
}

FunctionFlow::NamesBefore FunctionFlow::Refine(const Names& names) {
  NamesBefore before;
  for (const auto& [name, value] : names) {
    const Value* held = scope_.Find(name);
    before.emplace_back(name, held != nullptr ? std::optional(*held) : std::nullopt);
    scope_.Set(name, value);
  }
  return before;
}

void FunctionFlow::Restore(const NamesBefore& before) {
  for (const auto& [name, value] : llvm::reverse(before)) {
    if (value) {
      scope_.Set(name, *value);
    } else {
      scope_.Forget(name);
    }
  }
}

uint16_t FunctionFlow::ConditionsAfter(Exit other_way) {
  // A run that goes well never raises: what is checked that way is a requirement of the code.
  if (other_way == Exit::kRaise) return kModeConditions;
  return kReportedConditions;
}

FunctionFlow::Exit FunctionFlow::RunIf(const Stmt& stmt) {
  const TestOutcome truth = Test(*stmt.value, FactUse::kIf);
  const uint16_t conditions = conditions_;
  Scope before = scope_;

  Exit if_true = Exit::kNext;
  if (truth.constant != false) {
    conditions_ |= truth.if_true;
    if (OnlyRaises(stmt.body)) conditions_ |= Bit(RunCondition::kRaises);
    if (RunsOnce(engine_.project(), followed_.function, stmt)) {
      conditions_ |= Bit(RunCondition::kOnce);
    }
    Refine(truth.names_if_true);
    if_true = Run(stmt.body);
  } else {
    if_true = Exit::kRaise;  // never left at its end
  }
  Scope after_true = std::exchange(scope_, std::move(before));

  conditions_ = conditions;
  Exit if_false = Exit::kNext;
  if (truth.constant != true) {
    conditions_ |= truth.if_false;
    if (OnlyRaises(stmt.orelse)) conditions_ |= Bit(RunCondition::kRaises);
    Refine(truth.names_if_false);
    if_false = Run(stmt.orelse);
  } else {
    if_false = Exit::kRaise;
  }
  conditions_ = conditions;

  if (if_true != Exit::kNext && if_false != Exit::kNext) {
    if (truth.constant == true) return if_true;
    if (truth.constant == false) return if_false;
    return if_true == if_false ? if_true : Exit::kReturn;
  }
  // Who comes here took the other way: what follows runs under its conditions. A plain question
  // that leaves early is about a special case; the usual one goes on.
  if (if_true != Exit::kNext) {
    if (!truth.constant) {
      conditions_ |= static_cast<uint16_t>(truth.if_false & ConditionsAfter(if_true));
    }
    return Exit::kNext;
  }
  if (if_false != Exit::kNext) {
    if (!truth.constant) {
      conditions_ |= static_cast<uint16_t>(truth.if_true & ConditionsAfter(if_false));
    }
    scope_ = std::move(after_true);
    return Exit::kNext;
  }
  scope_ = JoinScopes(std::move(after_true), scope_, values(), truth.if_true, truth.if_false);
  return Exit::kNext;
}

void FunctionFlow::RunLoopBody(const Stmt& stmt, llvm::function_ref<void()> bind) {
  const bool was_in_loop = in_loop_;
  const uint16_t conditions = conditions_;
  in_loop_ = true;
  // Run again with the values of the first run, which may be of another kind.
  for (int time = 0; time < 2; ++time) {
    const Scope before = scope_;
    bind();
    Run(stmt.body);
    scope_ = JoinScopes(before, scope_, values());
    if (scope_ == before) break;
  }
  in_loop_ = was_in_loop;
  conditions_ = conditions;
  Run(stmt.orelse);
}

FunctionFlow::Exit FunctionFlow::RunWhile(const Stmt& stmt) {
  const TestOutcome truth = Test(*stmt.value, FactUse::kWhile);
  if (truth.constant == false) return Run(stmt.orelse);
  if (!IsTensorLike(truth.value) && truth.value.Has(Trait::kFromSize)) {
    Record(FactKind::kTruth, stmt.value, {}, truth.value).use = FactUse::kWhile;
  }
  RunLoopBody(stmt, [&] { Test(*stmt.value, FactUse::kWhile); });
  return Exit::kNext;
}

uint16_t FunctionFlow::ConditionsOfItems(const Expr& iterable) {
  if (iterable.kind != PythonExprKind::kConditional) return 0;
  const auto is_empty = [](const Expr& expr) { return IsDisplay(expr) && expr.items.empty(); };
  if (is_empty(*iterable.right)) return Test(*iterable.third, FactUse::kConditional).if_true;
  if (is_empty(*iterable.left)) return Test(*iterable.third, FactUse::kConditional).if_false;
  return 0;
}

FunctionFlow::Exit FunctionFlow::RunFor(const Stmt& stmt) {
  const Value iterable = Evaluate(stmt.value);
  RecordItems(*stmt.value, iterable, FactUse::kFor);
  const Items* items = values().items(iterable);
  const bool is_empty = items != nullptr && items->is_exact && items->items.empty();
  if (is_empty && !in_loop_) return Run(stmt.orelse);
  const Value element = ElementOf(iterable);
  const llvm::SaveAndRestore restore(conditions_);
  conditions_ |= ConditionsOfItems(*stmt.value);
  RunLoopBody(stmt, [&] { Assign(*stmt.targets.front(), element); });
  return Exit::kNext;
}

FunctionFlow::Exit FunctionFlow::RunWith(const Stmt& stmt) {
  const llvm::SaveAndRestore restore_try(in_try_);
  const llvm::SaveAndRestore restore_no_grad(in_no_grad_);
  for (const WithItem& item : stmt.with_items) {
    const Value context = Evaluate(item.context);
    std::string_view name = values().name(context);
    Record(FactKind::kEnter, item.context, name, context);
    if (name == "torch.no_grad" || name == "torch.inference_mode") in_no_grad_ = true;
    if (item.target != nullptr) Assign(*item.target, context);
  }
  in_try_ = true;
  return Run(stmt.body);
}

FunctionFlow::Exit FunctionFlow::RunTry(const Stmt& stmt) {
  Record(FactKind::kTry, nullptr, {}, {});
  const bool was_in_try = in_try_;
  const uint16_t conditions = conditions_;
  in_try_ = true;
  const Scope before = scope_;
  const Exit exit = Run(stmt.body);
  if (exit == Exit::kNext) Run(stmt.orelse);
  Scope after = scope_;
  // Any statement of the body may have run before it raised.
  const Scope at_handler = JoinScopes(before, scope_, values());
  for (const Branch& handler : stmt.handlers) {
    scope_ = at_handler;
    if (!handler.name.empty()) Bind(handler.name, {});
    conditions_ = conditions | Bit(RunCondition::kExcept);
    if (Run(handler.body) != Exit::kNext) continue;
    after = JoinScopes(std::move(after), scope_, values(), 0, Bit(RunCondition::kExcept));
  }
  scope_ = std::move(after);
  conditions_ = conditions;
  in_try_ = was_in_try;
  const Exit at_end = Run(stmt.finally);
  return at_end != Exit::kNext ? at_end : (stmt.handlers.empty() ? exit : Exit::kNext);
}

FunctionFlow::Exit FunctionFlow::RunMatch(const Stmt& stmt) {
  const Value subject = Evaluate(stmt.value);
  if (IsTensorLike(subject)) TruthOf(subject, *stmt.value, FactUse::kMatch);
  const uint16_t conditions = conditions_;
  const Scope before = scope_;
  std::vector<Scope> ways{scope_};
  for (const Branch& branch : stmt.handlers) {
    scope_ = before;
    conditions_ = conditions | Bit(RunCondition::kPython);
    if (branch.test != nullptr) Test(*branch.test, FactUse::kIf);
    if (Run(branch.body) == Exit::kNext) ways.push_back(scope_);
  }
  scope_ = JoinAll(std::move(ways), values());
  conditions_ = conditions;
  return Exit::kNext;
}

void FunctionFlow::ForgetSharedNames(llvm::ArrayRef<const Stmt*> body) {
  for (const Stmt* stmt : body) {
    if (stmt->kind != StmtKind::kNonlocal) continue;
    for (const std::string_view name : stmt->names) {
      if (const Value* held = scope_.Find(name)) scope_.Set(name, WithoutContents(*held));
    }
  }
}

void FunctionFlow::RunImport(const Stmt& stmt) {
  Record(FactKind::kImport, nullptr, stmt.text, {});
  for (const ImportedName& name : stmt.imports) {
    Value value;
    if (stmt.kind == StmtKind::kImport) {
      value = values().Outside(name.as.empty() ? BoundName(name) : name.name);
    } else if (stmt.dots == 0) {
      value = values().Outside(values().Dotted(stmt.text, name.name));
    }
    Bind(BoundName(name), value);
  }
}

Fact& FunctionFlow::Record(FactKind kind, const Expr* expr, std::string_view name,
                           const Value& subject) {
  // A tensor that is only used in training does not occur in evaluation.
  constexpr uint16_t kNever = Bit(RunCondition::kTraining) | Bit(RunCondition::kEvaluation);
  const bool never_runs = ((conditions_ | subject.under) & kNever) == kNever;
  if (has_no_facts_ || is_for_value_ || never_runs || !engine_.Wants(kind, name)) {
    unwanted_.arguments.clear();
    unwanted_.keywords.clear();
    return unwanted_;
  }
  const void* place = expr != nullptr ? static_cast<const void*>(expr) : statement_;
  const auto conditions = static_cast<uint16_t>(conditions_ | subject.under);
  const auto [entry, is_new] = fact_at_.try_emplace({place, static_cast<uint32_t>(kind)},
                                                    static_cast<uint32_t>(followed_.facts.size()));
  if (!is_new) {
    // The second time through a loop, or another operand of the same place.
    Fact& fact = followed_.facts[entry->second];
    fact.conditions &= conditions;
    if (subject.certainty > fact.certainty || fact.subject.kind == ValueKind::kUnknown) {
      fact.subject = subject;
      fact.certainty = subject.certainty;
      if (!name.empty()) fact.name = name;
    }
    return fact;
  }
  Fact& fact = followed_.facts.emplace_back();
  fact.kind = kind;
  fact.conditions = conditions;
  fact.certainty = subject.certainty;
  fact.in_loop = in_loop_;
  fact.in_comprehension = in_comprehension_;
  fact.in_try = in_try_;
  fact.in_no_grad = in_no_grad_;
  fact.function = followed_.function;
  fact.file = file_;
  fact.expr = expr;
  fact.statement = statement_;
  fact.name = name;
  fact.subject = subject;
  return fact;
}

void FunctionFlow::RecordItems(const Expr& place, const Value& value, FactUse use) {
  const Items* items = values().items(value);
  const bool are_pieces =
      items != nullptr && items->element.IsTensor() && value.Has(Trait::kFromSize);
  if (IsTensorLike(value) || are_pieces) {
    Record(FactKind::kIterate, &place, {}, value).use = use;
  }
}

void FunctionFlow::AskNumber(const Expr* expr, const Value& value, FactUse use) {
  if (!IsTensorLike(value)) return;
  Record(FactKind::kNumber, expr, {}, value).use = use;
}

}  // namespace shapewise
