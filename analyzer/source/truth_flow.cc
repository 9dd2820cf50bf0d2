// Tests: what they imply for the branches after them.

#include <array>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "source/function_flow.h"

namespace shapewise {
namespace {

bool IsAttribute(const Expr& expr, std::string_view name) {
  return expr.kind == PythonExprKind::kAttribute && expr.text == name;
}

bool HasAttribute(const Expr* expr, std::string_view name) {
  for (; expr != nullptr; expr = expr->left) {
    if (IsAttribute(*expr, name)) return true;
    if (expr->kind != PythonExprKind::kAttribute && expr->kind != PythonExprKind::kCall &&
        expr->kind != PythonExprKind::kSubscript) {
      return false;
    }
  }
  return false;
}

/// A name, or several names joined by dots.
bool IsDotted(const Expr& expr) {
  const Expr* base = &expr;
  while (base->kind == PythonExprKind::kAttribute && base->left != nullptr) base = base->left;
  return base->kind == PythonExprKind::kName;
}

// How sure the kind of a value is that a test of its type has left, in per cent.
constexpr uint8_t kNarrowed = 95;

TestOutcome Not(TestOutcome truth) {
  if (truth.constant) truth.constant = !*truth.constant;
  std::swap(truth.if_true, truth.if_false);
  std::swap(truth.names_if_true, truth.names_if_false);
  truth.value = {.kind = ValueKind::kBool};
  return truth;
}

/// Whether an optional tensor with this name is not passed in plain inference.
bool IsForTraining(std::string_view name) {
  constexpr std::string_view kWords[] = {"label",   "target", "loss",  "start_pos",
                                         "end_pos", "answer", "cache", "past"};
  return llvm::any_of(kWords, [&](std::string_view word) { return name.find(word) != name.npos; });
}

/// The condition under which an optional argument is given.
uint16_t GivenCondition(const Expr& expr, const Value& value) {
  const bool is_input = value.IsTensor() && !IsForTraining(expr.text);
  return Bit(is_input ? RunCondition::kInput : RunCondition::kArgument);
}

}  // namespace

uint16_t FunctionFlow::ConditionOf(const Expr& expr, const Value& value) {
  if (HasAttribute(&expr, "dtype")) return Bit(RunCondition::kDtype);
  if (HasAttribute(&expr, "device") || HasAttribute(&expr, "is_cuda")) {
    return Bit(RunCondition::kDevice);
  }
  // A test on sizes, with or without a setting, changes from call to call.
  const bool is_setting = value.Has(Trait::kConfig) || value.Has(Trait::kStored);
  if (is_setting && !value.Has(Trait::kFromSize)) return Bit(RunCondition::kSetting);
  if (value.Has(Trait::kArgument) && value.Has(Trait::kOptional)) {
    return GivenCondition(expr, value);
  }
  // A flag argument is off unless the caller sets it.
  if (value.Has(Trait::kArgument) && value.kind == ValueKind::kBool) {
    return Bit(RunCondition::kArgument);
  }
  return Bit(RunCondition::kPython);
}

TestOutcome FunctionFlow::TruthOf(const Value& value, const Expr& expr, FactUse use) {
  TestOutcome truth;
  truth.value = value;
  if (value.kind == ValueKind::kNone) {
    truth.constant = false;
    return truth;
  }
  if (IsTensorLike(value)) {
    // An assert on a tensor alone is traced; a compound condition is not.
    if (use != FactUse::kAssert) {
      Fact& fact = Record(FactKind::kTruth, &expr, {}, value);
      fact.use = use;
    }
    return truth;
  }
  if (value.kind == ValueKind::kFunction || value.kind == ValueKind::kClass ||
      (value.kind == ValueKind::kModule && !value.Has(Trait::kOptional))) {
    truth.constant = true;
    return truth;
  }
  const uint16_t condition = ConditionOf(expr, value);
  truth.if_true = condition;
  // Usually a setting is off, or an argument is not given.
  truth.if_false =
      condition == Bit(RunCondition::kSetting) || condition == Bit(RunCondition::kArgument)
          ? 0
          : condition;
  return truth;
}

TestOutcome FunctionFlow::TestBoolOp(const Expr& expr, FactUse use) {
  const bool is_and = expr.kind == PythonExprKind::kAnd;
  const uint16_t conditions = conditions_;
  llvm::SmallVector<NamesBefore, 2> before;
  TestOutcome whole;
  bool is_first = true;
  for (size_t i = 0; i < expr.items.size(); ++i) {
    // The last operand decides nothing by itself: the test of the whole expression evaluates it.
    const bool is_last = i + 1 == expr.items.size();
    TestOutcome truth;
    if (is_last && use == FactUse::kNone) {
      truth.value = Evaluate(expr.items[i]);
    } else {
      const bool is_plain = use == FactUse::kNone || use == FactUse::kAssert;
      const FactUse how = is_plain ? FactUse::kAnd : use;
      truth = Test(*expr.items[i], how);
    }
    Value value = truth.value;
    // An operand only counts if the ones before it let it be evaluated.
    value.under |= static_cast<uint16_t>(conditions_ & ~conditions);
    if (is_first) {
      whole = truth;
      whole.value = value;
    } else if (is_and) {
      whole.if_true |= truth.if_true;
      whole.if_false &= truth.if_false;
      llvm::append_range(whole.names_if_true, truth.names_if_true);
      whole.names_if_false.clear();
      if (truth.constant == false)
        whole.constant = false;
      else if (whole.constant == true)
        whole.constant = truth.constant;
    } else {
      whole.if_true &= truth.if_true;
      whole.if_false |= truth.if_false;
      whole.names_if_true.clear();
      llvm::append_range(whole.names_if_false, truth.names_if_false);
      if (truth.constant == true)
        whole.constant = true;
      else if (whole.constant == false)
        whole.constant = truth.constant;
    }
    if (!is_first) {
      // An operand that is not the result is true or false here, and irrelevant.
      const bool is_answer = is_and && IsTensorLike(value);
      const bool was_answer = !is_and && IsTensorLike(whole.value);
      if (is_answer) {
        whole.value = value;
      } else if (!was_answer) {
        whole.value = values().Join(whole.value, value);
      }
    }
    is_first = false;
    if (is_and ? truth.constant == false : truth.constant == true) break;
    // The other operands of a test with a tensor are tested together with it.
    conditions_ |= (is_and ? truth.if_true : truth.if_false) & kReportedConditions;
    before.push_back(Refine(is_and ? truth.names_if_true : truth.names_if_false));
  }
  conditions_ = conditions;
  for (const NamesBefore& names : llvm::reverse(before)) Restore(names);
  return whole;
}

TestOutcome FunctionFlow::TestCompare(const Expr& expr) {
  TestOutcome truth;
  const Comparison comparison = EvaluateCompare(expr);
  truth.value = comparison.result;
  if (expr.items.size() != 2) return truth;
  const CompareOperator how = expr.operators.front();
  const bool is_identity = how == CompareOperator::kIs || how == CompareOperator::kIsNot;
  const Expr& left = *expr.items[0];
  const Expr& right = *expr.items[1];
  const bool is_none =
      right.kind == PythonExprKind::kNone &&
      (is_identity || how == CompareOperator::kEqual || how == CompareOperator::kNotEqual);
  const bool is_negated = how == CompareOperator::kIsNot || how == CompareOperator::kNotEqual;
  if (is_none) {
    const Value& value = comparison.operands.front();
    TestOutcome given;  // of "is not None"
    given.value = {.kind = ValueKind::kBool};
    if (value.kind == ValueKind::kNone) {
      given.constant = false;
    } else if (value.kind != ValueKind::kUnknown && !value.Has(Trait::kOptional)) {
      given.constant = true;
    } else {
      if (value.Has(Trait::kArgument)) given.if_true = GivenCondition(left, value);
      if (value.Has(Trait::kConfig)) given.if_true = Bit(RunCondition::kSetting);
      if (left.kind == PythonExprKind::kName && value.Has(Trait::kOptional)) {
        Value there = value;
        there.traits &= static_cast<uint16_t>(~Bit(Trait::kOptional));
        given.names_if_true.emplace_back(left.text, there);
        given.names_if_false.emplace_back(left.text, Value{.kind = ValueKind::kNone});
      }
    }
    return is_negated ? given : Not(std::move(given));
  }
  // self.training is False
  const bool is_constant =
      right.kind == PythonExprKind::kTrue || right.kind == PythonExprKind::kFalse;
  if (is_constant && IsAttribute(left, "training")) {
    const bool asks_training = (right.kind == PythonExprKind::kTrue) != is_negated;
    truth.if_true = Bit(asks_training ? RunCondition::kTraining : RunCondition::kEvaluation);
    truth.if_false = Bit(asks_training ? RunCondition::kEvaluation : RunCondition::kTraining);
    return truth;
  }
  if (IsTensorLike(truth.value)) return truth;
  // A string or number of the configuration, a dtype, a device.
  uint16_t condition = 0;
  for (size_t i = 0; i < 2; ++i) {
    const uint16_t one = ConditionOf(*expr.items[i], comparison.operands[i]);
    if (condition == 0 || one != Bit(RunCondition::kPython)) condition = one;
  }
  truth.if_true = condition;
  truth.if_false = condition == Bit(RunCondition::kDtype) ? 0 : condition;
  if (is_negated) std::swap(truth.if_true, truth.if_false);
  return truth;
}

std::optional<TestOutcome> FunctionFlow::TestCall(const Expr& expr) {
  if (!IsDotted(*expr.left)) return std::nullopt;
  const Value callee = Evaluate(expr.left);
  std::string_view name = values().name(callee);
  if (name.empty()) {
    const FunctionId function = values().function_of(callee);
    if (function == kNoId) return std::nullopt;
    TestOutcome truth;
    truth.constant = engine_.compiling_answers().OfFunction(function);
    if (!truth.constant) return std::nullopt;
    truth.value = {.kind = ValueKind::kBool};
    return truth;
  }
  TestOutcome truth;
  truth.value = {.kind = ValueKind::kBool};
  truth.constant = CompilingAnswers::OfOutside(name);
  if (truth.constant) return truth;
  if (name == "torch.is_autocast_enabled" || name == "torch.is_inference_mode_enabled") {
    truth.if_true = Bit(RunCondition::kDtype);
    return truth;
  }
  if (name == "torch.is_grad_enabled") {
    truth.if_true = Bit(RunCondition::kTraining);
    return truth;
  }
  if (name != "builtins.isinstance" || expr.arguments.size() != 2) return std::nullopt;
  const Value subject = Evaluate(expr.arguments[0].value);
  Evaluate(expr.arguments[1].value);
  const Binding type = engine_.project().ResolveDotted(file_, *expr.arguments[1].value);
  if (type.kind == Binding::Kind::kOutside && subject.certainty >= 90) {
    const bool asks_tensor = type.name == "torch.Tensor";
    if (asks_tensor && subject.IsTensor()) truth.constant = true;
    const bool is_plain = subject.kind == ValueKind::kInt || subject.kind == ValueKind::kText ||
                          subject.kind == ValueKind::kFloat || subject.kind == ValueKind::kNone ||
                          subject.kind == ValueKind::kSequence;
    if (asks_tensor && is_plain) truth.constant = false;
    const bool asks_plain = type.name == "builtins.list" || type.name == "builtins.tuple" ||
                            type.name == "builtins.int" || type.name == "builtins.float" ||
                            type.name == "builtins.str" || type.name == "builtins.dict";
    if (asks_plain && subject.IsTensor() && !subject.Has(Trait::kOptional)) truth.constant = false;
  }
  truth.if_true = truth.if_false = Bit(RunCondition::kPython);
  if (!truth.constant)
    NarrowByType(*expr.arguments[0].value, subject, *expr.arguments[1].value, truth);
  return truth;
}

void FunctionFlow::NarrowByType(const Expr& expr, const Value& subject, const Expr& type,
                                TestOutcome& truth) {
  if (expr.kind != PythonExprKind::kName) return;
  const bool is_several = type.kind == PythonExprKind::kTuple;
  Value narrow;
  bool is_first = true;
  const Expr* const alone = &type;
  for (const Expr* one : is_several ? type.items : llvm::ArrayRef(alone)) {
    const Value there = engine_.ValueOfAnnotation(file_, *one);
    narrow = is_first ? there : values().Join(narrow, there);
    is_first = false;
  }
  if (narrow.kind == ValueKind::kUnknown) return;
  // Keep what is known about it if it already has that kind.
  const bool is_same = subject.kind == narrow.kind;
  Value there = is_same ? subject : narrow;
  if (is_same) there.certainty = std::max(there.certainty, kNarrowed);
  there.traits &= static_cast<uint16_t>(~Bit(Trait::kOptional));
  truth.names_if_true.emplace_back(expr.text, there);
  if (is_same && narrow.IsTensor()) truth.names_if_false.emplace_back(expr.text, Value{});
}

TestOutcome FunctionFlow::Test(const Expr& expr, FactUse use) {
  const FlowStep step(engine_, context_);
  if (!step.is_allowed()) return {};
  switch (expr.kind) {
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse: {
      TestOutcome truth;
      truth.constant = expr.kind == PythonExprKind::kTrue;
      truth.value = {.kind = ValueKind::kBool};
      return truth;
    }
    case PythonExprKind::kNot: {
      // An assert of a tensor is traced, an assert of its negation is not.
      const bool is_plain = use == FactUse::kNone || use == FactUse::kAssert;
      const FactUse inner = is_plain ? FactUse::kNot : use;
      return Not(Test(*expr.left, inner));
    }
    case PythonExprKind::kAnd:
    case PythonExprKind::kOr:
      return TestBoolOp(expr, use);
    case PythonExprKind::kNamed: {
      TestOutcome truth = Test(*expr.right, use);
      Assign(*expr.left, truth.value);
      return truth;
    }
    case PythonExprKind::kCompare: {
      TestOutcome truth = TestCompare(expr);
      if (!IsTensorLike(truth.value)) return truth;
      TestOutcome asked = TruthOf(truth.value, expr, use);
      return asked;
    }
    case PythonExprKind::kCall:
      if (std::optional<TestOutcome> truth = TestCall(expr)) return *truth;
      break;
    case PythonExprKind::kAttribute:
      if (expr.text == "training") {
        TestOutcome truth;
        truth.value = {.kind = ValueKind::kBool};
        truth.if_true = Bit(RunCondition::kTraining);
        truth.if_false = Bit(RunCondition::kEvaluation);
        return truth;
      }
      break;
    default:
      break;
  }
  return TruthOf(Evaluate(&expr), expr, use);
}

}  // namespace shapewise
