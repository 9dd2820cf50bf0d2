// Tests that are calls: isinstance, questions to torch, and helpers of the project.

#include <string>

#include "llvm/ADT/STLExtras.h"
#include "source/function_flow.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

// How sure the kind of a value is that a test of its type has left, in per cent.
constexpr uint8_t kNarrowed = 95;
// How sure a kind must be for a test of the type to have only one outcome.
constexpr uint8_t kKnown = 90;
// Helpers that ask helpers.
constexpr uint32_t kMaxHelperDepth = 4;

/// The test that a function with this body returns and does nothing else: `return x is not None`;
/// null: it does more.
const Expr* OnlyAnswer(llvm::ArrayRef<const Stmt*> body) {
  const bool has_text = body.size() == 2 && body.front()->kind == StmtKind::kExpression &&
                        body.front()->value->kind == PythonExprKind::kString;
  if (has_text) body = body.drop_front();
  if (body.size() != 1 || body.front()->kind != StmtKind::kReturn) return nullptr;
  const Expr* answer = body.front()->value;
  if (answer == nullptr) return nullptr;
  switch (answer->kind) {
    case PythonExprKind::kCompare:
    case PythonExprKind::kNot:
    case PythonExprKind::kAnd:
    case PythonExprKind::kOr:
    case PythonExprKind::kCall:
    case PythonExprKind::kConditional:
      return answer;
    default:
      return nullptr;
  }
}

}  // namespace

std::optional<TestOutcome> FunctionFlow::TestHelper(const Expr& call, FunctionId function) {
  const Stmt* tree = engine_.project().Tree(function);
  const Expr* answer = tree != nullptr ? OnlyAnswer(tree->body) : nullptr;
  if (answer == nullptr || helper_depth_ >= kMaxHelperDepth) return std::nullopt;
  if (call.arguments.size() > tree->parameters.size()) return std::nullopt;
  for (const CallArgument& argument : call.arguments) {
    if (argument.stars != 0 || !argument.keyword.empty()) return std::nullopt;
  }
  const Value value = Evaluate(&call);
  if (IsTensorLike(value)) return std::nullopt;
  const FileId file = engine_.project().function(function).file;
  const uint32_t number = engine_.NewContextWithoutFacts(function, file);
  FunctionFlow helper(engine_, number, file, {});
  helper.helper_depth_ = helper_depth_ + 1;
  bool is_for_training = false;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Expr& argument = *call.arguments[i].value;
    helper.Bind(tree->parameters[i].name, Evaluate(&argument));
    is_for_training |= IsForTraining(argument.text);
  }
  TestOutcome truth = helper.Test(*answer, FactUse::kIf);
  truth.value = value;
  // Its facts are those of the call; its steps count for each later test.
  engine_.context(context_).calls.push_back({.to = number, .has_facts = false});
  for (uint16_t* condition : {&truth.if_true, &truth.if_false}) {
    if (!is_for_training || (*condition & Bit(RunCondition::kInput)) == 0) continue;
    *condition = static_cast<uint16_t>(*condition ^
                                       (Bit(RunCondition::kInput) | Bit(RunCondition::kArgument)));
  }
  for (Names* names : {&truth.names_if_true, &truth.names_if_false}) {
    Names here;
    for (const auto& [name, narrow] : *names) {
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Expr& argument = *call.arguments[i].value;
        if (tree->parameters[i].name == name && IsName(&argument))
          here.emplace_back(argument.text, narrow);
      }
    }
    *names = std::move(here);
  }
  return truth;
}

std::optional<bool> FunctionFlow::CompilingAnswer(const Value& callee) {
  // One of several is that of another release of torch.
  std::optional<bool> answer;
  for (const Value& one : values().Alternatives(callee)) {
    const FunctionId function = values().function_of(one);
    const std::optional<bool> given = function != kNoId
                                          ? engine_.compiling_answers().OfFunction(function)
                                          : CompilingAnswers::OfOutside(values().name(one));
    if (!given || (answer && *answer != *given)) return std::nullopt;
    answer = given;
  }
  return answer;
}

std::optional<TestOutcome> FunctionFlow::TestCall(const Expr& expr) {
  if (!IsDotted(*expr.left)) return std::nullopt;
  const Value callee = Evaluate(expr.left);
  if (const std::optional<bool> answer = CompilingAnswer(callee)) {
    return TestOutcome{.constant = answer, .value = {.kind = ValueKind::kBool}};
  }
  const std::string_view name = values().name(callee);
  if (name.empty()) {
    const FunctionId function = values().function_of(callee);
    if (function == kNoId) return std::nullopt;
    return TestHelper(expr, function);
  }
  TestOutcome truth;
  truth.value = {.kind = ValueKind::kBool};
  if (name == "builtins.bool" && expr.arguments.size() == 1 &&
      expr.arguments.front().value->kind == PythonExprKind::kCall) {
    const std::optional<TestOutcome> inner = TestCall(*expr.arguments.front().value);
    return inner && inner->constant ? inner : std::nullopt;
  }
  truth.if_true = name == "torch.is_autocast_enabled" || name == "torch.is_inference_mode_enabled"
                      ? Bit(RunCondition::kDtype)
                  : name == "torch.distributed.is_initialized" ? Bit(RunCondition::kSetting)
                  : name == "torch.is_grad_enabled"            ? Bit(RunCondition::kTraining)
                                                               : uint16_t{0};
  if (truth.if_true != 0) return truth;
  if (name == "torch.is_tensor" && expr.arguments.size() == 1) {
    const Value subject = Evaluate(expr.arguments[0].value);
    if (subject.IsTensor() && subject.certainty >= kKnown) truth.constant = true;
    truth.if_true = truth.if_false = Bit(RunCondition::kPython);
    NarrowTo({.kind = ValueKind::kTensor}, *expr.arguments[0].value, subject, truth);
    return truth;
  }
  if (name != "builtins.isinstance" || expr.arguments.size() != 2) return std::nullopt;
  const Value subject = Evaluate(expr.arguments[0].value);
  Evaluate(expr.arguments[1].value);
  const Binding type = engine_.project().ResolveDotted(file_, *expr.arguments[1].value);
  if (type.kind == Binding::Kind::kOutside && subject.certainty >= kKnown) {
    const bool asks_tensor = type.name == "torch.Tensor";
    if (asks_tensor && subject.IsTensor()) truth.constant = true;
    const bool is_plain = subject.kind == ValueKind::kInt || subject.kind == ValueKind::kText ||
                          subject.kind == ValueKind::kFloat || subject.kind == ValueKind::kNone ||
                          subject.kind == ValueKind::kSequence;
    if (asks_tensor && is_plain) truth.constant = false;
    const bool asks_plain = HasWord<
        "builtins.list builtins.tuple builtins.int builtins.float builtins.str "
        "builtins.dict">(type.name);
    if (asks_plain && subject.IsTensor() && !subject.Has(Trait::kOptional)) truth.constant = false;
  }
  truth.if_true = truth.if_false = Bit(RunCondition::kPython);
  if (type.kind == Binding::Kind::kOutside && type.name == "builtins.type") {
    NarrowToClass(*expr.arguments[0].value, subject, truth);
    return truth;
  }
  if (!truth.constant)
    NarrowByType(*expr.arguments[0].value, subject, *expr.arguments[1].value, truth);
  return truth;
}

void FunctionFlow::NarrowToClass(const Expr& expr, const Value& subject, TestOutcome& truth) {
  std::optional<Value> classes;
  std::optional<Value> others;
  for (const Value& one : values().Alternatives(subject)) {
    const std::string_view name = values().name(one);
    const char first = name.empty() ? '\0' : name[name.rfind('.') + 1];
    // Classes of others have names that begin with a capital, functions have not.
    const bool is_class = one.kind == ValueKind::kClass ||
                          (one.kind == ValueKind::kOutside && first >= 'A' && first <= 'Z');
    const bool is_function = one.kind == ValueKind::kFunction || one.kind == ValueKind::kMethod ||
                             (one.kind == ValueKind::kOutside && first >= 'a' && first <= 'z');
    if (!is_function) classes = classes ? values().Join(*classes, one) : one;
    if (!is_class) others = others ? values().Join(*others, one) : one;
  }
  if (!classes) truth.constant = false;
  if (!others) truth.constant = true;
  if (expr.kind != PythonExprKind::kName) return;
  if (classes) truth.names_if_true.emplace_back(expr.text, *classes);
  if (others) truth.names_if_false.emplace_back(expr.text, *others);
}

void FunctionFlow::NarrowByType(const Expr& expr, const Value& subject, const Expr& type,
                                TestOutcome& truth) {
  if (expr.kind != PythonExprKind::kName) return;
  const bool is_several = type.kind == PythonExprKind::kTuple;
  Value narrow;
  bool is_first = true;
  const Expr* const alone = &type;
  for (const Expr* one : is_several ? llvm::ArrayRef<const Expr*>(type.items) : alone) {
    const Value there = engine_.ValueOfAnnotation(file_, *one);
    narrow = is_first ? there : values().Join(narrow, there);
    is_first = false;
  }
  NarrowTo(narrow, expr, subject, truth);
}

void FunctionFlow::NarrowTo(const Value& narrow, const Expr& expr, const Value& subject,
                            TestOutcome& truth) {
  if (expr.kind != PythonExprKind::kName || narrow.kind == ValueKind::kUnknown) return;
  // Keep what is known about it if it already has that kind.
  const bool is_same = subject.kind == narrow.kind;
  Value there = is_same ? subject : narrow;
  if (is_same) there.certainty = std::max(there.certainty, kNarrowed);
  there.Remove(Trait::kOptional);
  truth.names_if_true.emplace_back(expr.text, there);
  if (is_same && narrow.IsTensor()) truth.names_if_false.emplace_back(expr.text, Value{});
}
}  // namespace shapewise
