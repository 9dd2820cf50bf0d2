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

bool HasAttribute(const Expr& expr, std::string_view name) {
  if (IsAttribute(expr, name)) return true;
  const bool has_base = expr.kind == PythonExprKind::kAttribute ||
                        expr.kind == PythonExprKind::kCall ||
                        expr.kind == PythonExprKind::kSubscript;
  return has_base && HasAttribute(*expr.left, name);
}

TestOutcome Not(TestOutcome truth) {
  if (truth.constant) truth.constant = !*truth.constant;
  std::swap(truth.if_true, truth.if_false);
  std::swap(truth.names_if_true, truth.names_if_false);
  truth.value = {.kind = ValueKind::kBool};
  return truth;
}

/// Whether its contents are those at every call, not only a default.
bool IsLiteral(const Value& value) {
  return value.Has(Trait::kConstant) && !value.Has(Trait::kStored) &&
         !value.Has(Trait::kArgument) && !value.Has(Trait::kConfig);
}

/// Whether callers, or who configures a model, change it on purpose.
bool IsChoiceOfCaller(uint16_t condition) {
  return condition == Bit(RunCondition::kSetting) || condition == Bit(RunCondition::kArgument);
}

/// Adds what `outcome`, of a test on literals or on defaults, says about its branches: only the
/// other one needs a caller that asks for it.
void Decide(std::optional<bool> outcome, bool is_literal, uint16_t condition, TestOutcome& truth) {
  if (!outcome) return;
  if (is_literal) {
    truth.constant = outcome;
    return;
  }
  if (!IsChoiceOfCaller(condition)) condition = Bit(RunCondition::kArgument);
  condition |= Bit(RunCondition::kOff);
  (*outcome ? truth.if_false : truth.if_true) = condition;
}

/// The conditions of code that runs under those of `a` or of `b`.
uint16_t EitherOf(uint16_t a, uint16_t b) {
  const auto both = static_cast<uint16_t>(a & b);
  return both == 0 && a != 0 && b != 0 ? Bit(RunCondition::kPython) : both;
}

/// The condition under which an optional argument is given.
uint16_t GivenCondition(const Expr& expr, const Value& value) {
  // A tensor that a model does without, next to one that it needs, mostly is not passed.
  const bool is_input = value.IsTensor() && !value.Has(Trait::kExtra) && !IsForTraining(expr.text);
  return Bit(is_input ? RunCondition::kInput : RunCondition::kArgument);
}

/// The condition under which `options.get("scale")` is not None: an entry of a batch is an input,
/// one of other options is a choice of the caller. 0: it is no such call.
uint16_t EntryCondition(const Expr& expr, const Value& value) {
  const bool is_get = expr.kind == PythonExprKind::kCall && IsAttribute(*expr.left, "get") &&
                      !expr.arguments.empty() && expr.arguments.size() <= 2;
  if (!is_get) return 0;
  if (expr.arguments.size() == 2 && expr.arguments[1].value->kind != PythonExprKind::kNone)
    return 0;
  const Expr& key = *expr.arguments.front().value;
  if (key.kind != PythonExprKind::kString) return 0;
  return Bit(value.IsTensor() && !IsForTraining(key.text) ? RunCondition::kInput
                                                          : RunCondition::kArgument);
}

}  // namespace

bool IsForTraining(std::string_view name) {
  constexpr std::string_view kWords[] = {"label",   "target", "loss",  "start_pos",
                                         "end_pos", "answer", "cache", "past"};
  return llvm::any_of(kWords, [&](std::string_view word) { return name.find(word) != name.npos; });
}

uint16_t FunctionFlow::ConditionOf(const Expr& expr, const Value& value) {
  for (const std::string_view name : {"dtype", "is_floating_point", "is_complex", "is_sparse"}) {
    if (HasAttribute(expr, name)) return Bit(RunCondition::kDtype);
  }
  if (HasAttribute(expr, "device") || HasAttribute(expr, "is_cuda")) {
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

void FunctionFlow::RecordNumber(const Value& value, const Expr& expr, FactUse use) {
  if (!IsNumber(value) || !value.Has(Trait::kFromData) || use == FactUse::kAssert) return;
  Record(FactKind::kTruth, &expr, {}, value).use = use;
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
      Record(FactKind::kTruth, &expr, {}, value).use = use;
    }
    return truth;
  }
  RecordNumber(value, expr, use);
  if (value.kind == ValueKind::kFunction || value.kind == ValueKind::kClass ||
      (value.kind == ValueKind::kModule && !value.Has(Trait::kOptional))) {
    truth.constant = true;
    return truth;
  }
  const std::optional<std::string_view> text = values().text_of(value);
  std::optional<bool> is_on;
  if (text) is_on = !text->empty();
  if (const std::optional<double> number = values().number_of(value)) is_on = *number != 0;
  const uint16_t condition = ConditionOf(expr, value);
  Decide(is_on, IsLiteral(value), condition, truth);
  if (is_on == false) truth.if_true |= value.under;
  if (is_on) return truth;
  if (condition == Bit(RunCondition::kDtype)) {
    // Tensors mostly are dense, and of floating point.
    (HasAttribute(expr, "is_floating_point") ? truth.if_false : truth.if_true) = condition;
    return truth;
  }
  // Where `a and b` is true, so is `a`.
  const bool is_plain = condition == Bit(RunCondition::kPython);
  truth.if_true = is_plain && value.under != 0 ? value.under : condition | value.under;
  // Usually a setting is off, or an argument is not given.
  truth.if_false = IsChoiceOfCaller(condition) ? 0 : condition;
  return truth;
}

Value FunctionFlow::JoinOperands(const Value& left, const Value& right, bool is_and) {
  Value value = values().Join(left, right);
  if (value.kind != ValueKind::kBool) return value;
  // What is off by default remains off, and what is true needs all that its operands need.
  for (const Value& operand : {left, right}) {
    if (ValueStore::truth_of(operand) != !is_and) continue;
    value.ref = operand.ref;
    value.traits = static_cast<uint16_t>(operand.traits & ~Bit(Trait::kConstant));
  }
  // The last operand is the result if the ones before it do not decide.
  value.traits &= static_cast<uint16_t>(~(left.traits & ~right.traits & Bit(Trait::kFromSize)));
  if (is_and) value.under = static_cast<uint16_t>(left.under | right.under);
  return value;
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
      whole.if_false = EitherOf(whole.if_false, truth.if_false);
      llvm::append_range(whole.names_if_true, truth.names_if_true);
      whole.names_if_false.clear();
      if (truth.constant == false)
        whole.constant = false;
      else if (whole.constant == true)
        whole.constant = truth.constant;
    } else {
      whole.if_true = EitherOf(whole.if_true, truth.if_true);
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
        whole.value = JoinOperands(whole.value, value, is_and);
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

std::optional<bool> FunctionFlow::IsEqual(const Comparison& comparison) {
  const Value& left = comparison.operands[0];
  const Value& right = comparison.operands[1];
  const bool is_digits = IsNumber(left) && left.kind != ValueKind::kBool;
  if (left.ref == 0 || !HasContents(left) || is_digits) return std::nullopt;
  if (right.kind == left.kind && right.ref != 0) return right.ref == left.ref;
  // `x in ("a", "b")`
  const Items* items = values().items(right);
  if (items == nullptr || !items->is_exact) return std::nullopt;
  bool is_item = false;
  for (const Value& item : items->items) {
    if (item.kind != left.kind || item.ref == 0) return std::nullopt;
    is_item |= item.ref == left.ref;
  }
  return is_item;
}

std::optional<bool> FunctionFlow::CompareNumbers(const Expr& expr, const Comparison& comparison) {
  std::optional<double> numbers[2];
  for (size_t i = 0; i < 2; ++i) {
    const Expr& operand = *expr.items[i];
    const bool is_digits =
        operand.kind == PythonExprKind::kInteger || operand.kind == PythonExprKind::kFloat;
    numbers[i] = is_digits ? NumberIn(operand.text) : values().number_of(comparison.operands[i]);
    if (!numbers[i]) return std::nullopt;
  }
  const double a = *numbers[0];
  const double b = *numbers[1];
  // In the order of CompareOperator.
  const bool outcomes[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  const auto how = static_cast<size_t>(expr.operators.front());
  return how < std::size(outcomes) ? std::optional(outcomes[how]) : std::nullopt;
}

bool FunctionFlow::CompareContents(const Comparison& comparison, CompareOperator how,
                                   uint16_t condition, TestOutcome& truth) {
  const bool is_membership = how == CompareOperator::kIn || how == CompareOperator::kNotIn;
  const bool is_equality = how == CompareOperator::kEqual || how == CompareOperator::kIs;
  const bool is_negated = how == CompareOperator::kNotEqual || how == CompareOperator::kIsNot ||
                          how == CompareOperator::kNotIn;
  if (!is_membership && !is_equality && !is_negated) return false;
  const std::optional<std::string_view> key = values().text_of(comparison.operands[0]);
  const Value& container = comparison.operands[1];
  // A batch, or the results of a layer before, is an input whose entries are optional.
  const bool may_be_mapping = container.kind == ValueKind::kMapping ||
                              (container.kind == ValueKind::kUnknown &&
                               !container.Has(Trait::kConfig) && !container.Has(Trait::kStored));
  if (is_membership && key && may_be_mapping) {
    truth.if_true = Bit(IsForTraining(*key) ? RunCondition::kArgument : RunCondition::kInput);
    if (is_negated) std::swap(truth.if_true, truth.if_false);
    return true;
  }
  const std::optional<bool> is_equal = IsEqual(comparison);
  if (!is_equal) return false;
  const Items* items = values().items(container);
  const bool is_literal =
      IsLiteral(comparison.operands[0]) &&
      (items != nullptr ? llvm::all_of(items->items, IsLiteral) : IsLiteral(container));
  Decide(*is_equal != is_negated, is_literal, condition, truth);
  return true;
}

TestOutcome FunctionFlow::TestGiven(const Expr& expr, const Value& value) {
  TestOutcome given;
  given.value = {.kind = ValueKind::kBool};
  if (value.kind == ValueKind::kNone) {
    given.constant = false;
    return given;
  }
  if (value.kind != ValueKind::kUnknown && !value.Has(Trait::kOptional)) {
    given.constant = true;
    return given;
  }
  if (value.Has(Trait::kArgument)) given.if_true = GivenCondition(expr, value);
  if (given.if_true == 0) given.if_true = EntryCondition(expr, value);
  const bool is_optional_setting = value.Has(Trait::kStored) && value.Has(Trait::kOptional) &&
                                   (value.kind == ValueKind::kUnknown || IsNumber(value));
  if (value.Has(Trait::kConfig) || is_optional_setting) {
    given.if_true = Bit(RunCondition::kSetting);
  }
  // A tensor that may be None is passed, or computed, in most calls.
  const bool is_input = value.IsTensor() && !value.Has(Trait::kStored) &&
                        (given.if_true & ~Bit(RunCondition::kInput)) == 0;
  if (is_input) given.if_false = Bit(RunCondition::kInput);
  if (expr.kind == PythonExprKind::kName && value.Has(Trait::kOptional)) {
    Value there = value;
    there.Remove(Trait::kOptional);
    given.names_if_true.emplace_back(expr.text, there);
    given.names_if_false.emplace_back(expr.text, Value{.kind = ValueKind::kNone});
  }
  return given;
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
    TestOutcome given = TestGiven(left, comparison.operands.front());
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
  // Sizes change from call to call, compared with a setting or not.
  const bool has_size = llvm::any_of(
      comparison.operands, [](const Value& value) { return value.Has(Trait::kFromSize); });
  if (has_size && condition == Bit(RunCondition::kSetting)) condition = Bit(RunCondition::kPython);
  if (CompareContents(comparison, how, condition, truth)) return truth;
  if (const std::optional<bool> outcome = CompareNumbers(expr, comparison)) {
    const bool is_literal = llvm::all_of(comparison.operands, IsLiteral);
    Decide(outcome, is_literal, condition, truth);
    return truth;
  }
  truth.if_true = condition;
  truth.if_false = condition == Bit(RunCondition::kDtype) ? 0 : condition;
  if (is_negated) std::swap(truth.if_true, truth.if_false);
  return truth;
}

TestOutcome FunctionFlow::Test(const Expr& expr, FactUse use) {
  const FlowStep step(engine_, followed_);
  if (!step.is_allowed()) return {};
  switch (expr.kind) {
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse:
      return {.constant = expr.kind == PythonExprKind::kTrue, .value = {.kind = ValueKind::kBool}};
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
      if (!IsTensorLike(truth.value)) {
        const bool is_identity = llvm::any_of(expr.operators, [](CompareOperator how) {
          return how == CompareOperator::kIs || how == CompareOperator::kIsNot;
        });
        if (!is_identity) RecordNumber(truth.value, expr, use);
        return truth;
      }
      return TruthOf(truth.value, expr, use);
    }
    case PythonExprKind::kCall:
      if (std::optional<TestOutcome> truth = TestCall(expr)) return *truth;
      break;
    case PythonExprKind::kConditional:
      if (const std::optional<bool> way = Test(*expr.third, FactUse::kConditional).constant)
        return Test(*way ? *expr.left : *expr.right, use);
      break;
    case PythonExprKind::kAttribute:
      if (expr.text == "training") {
        return {.if_true = Bit(RunCondition::kTraining),
                .if_false = Bit(RunCondition::kEvaluation),
                .value = {.kind = ValueKind::kBool}};
      }
      break;
    default:
      break;
  }
  return TruthOf(Evaluate(&expr), expr, use);
}

}  // namespace shapewise
