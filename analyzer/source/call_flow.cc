#include <algorithm>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include "source/call_names.h"
#include "source/function_flow.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

// A module, function or class outside of the project usually returns a tensor when tensors are
// passed.
constexpr uint8_t kModuleResult = 80;
constexpr uint8_t kUnknownResult = 70;
constexpr uint8_t kPassedFunction = 60;

bool HasTensor(llvm::ArrayRef<PassedValue> arguments) {
  return llvm::any_of(arguments,
                      [](const PassedValue& argument) { return argument.value.IsTensor(); });
}

}  // namespace

void RecordArguments(llvm::ArrayRef<PassedValue> arguments, Fact& fact) {
  const bool has_keywords = llvm::any_of(
      arguments, [](const PassedValue& argument) { return !argument.keyword.empty(); });
  for (const PassedValue& argument : arguments) {
    fact.arguments.push_back(argument.value);
    if (has_keywords) fact.keywords.push_back(argument.keyword);
  }
}

PassedValues FunctionFlow::EvaluateArguments(const Expr& call) {
  PassedValues passed;
  passed.reserve(call.arguments.size());
  for (const CallArgument& argument : call.arguments) {
    const Value value = Evaluate(argument.value);
    if (argument.stars == 1) {
      const Items* items = values().items(value);
      if (items != nullptr && items->is_exact) {
        const std::vector<Value> each = items->items;
        for (const Value& one : each) passed.push_back({.keyword = {}, .value = one});
        continue;
      }
      passed.push_back({.keyword = {}, .value = ElementOf(value), .stars = 1});
      continue;
    }
    passed.push_back({.keyword = argument.keyword, .value = value, .stars = argument.stars});
  }
  return passed;
}

Value FunctionFlow::EvaluateCall(const Expr& expr) {
  const Expr& callee = *expr.left;
  if (IsName(&callee, "super")) {
    for (const CallArgument& argument : expr.arguments) Evaluate(argument.value);
    return values().Outside("super()");
  }
  if (callee.kind == PythonExprKind::kAttribute) {
    Value receiver = Evaluate(callee.left);
    const bool may_be_tensor =
        receiver.IsTensor() || (receiver.kind == ValueKind::kUnknown &&
                                !receiver.Has(Trait::kConfig) && !receiver.Has(Trait::kFromData));
    if (may_be_tensor && (!receiver.IsTensor() || receiver.certainty < kUsedAsTensor) &&
        receiver.under == 0 && IsMethodOfTensorsAlone(callee.text)) {
      receiver.kind = ValueKind::kTensor;
      receiver.certainty = kUsedAsTensor;
      receiver.Add(Trait::kGuessed);
    }
    PassedValues arguments = EvaluateArguments(expr);
    if (receiver.kind != ValueKind::kOutside) return CallMethod(expr, receiver, arguments);
    return CallValue(expr, AttributeOfValue(callee, receiver), arguments);
  }
  const Value value = Evaluate(&callee);
  PassedValues arguments = EvaluateArguments(expr);
  return CallValue(expr, value, arguments);
}

Value FunctionFlow::CallValue(const Expr& expr, const Value& callee, PassedValues& arguments) {
  return values().JoinEach(callee, [&](const Value& one) {
    // A fallback that an except clause binds.
    const llvm::SaveAndRestore restore(conditions_);
    conditions_ |= one.under & kReportedConditions;
    return CallOne(expr, one, arguments);
  });
}

Value FunctionFlow::CallOne(const Expr& expr, const Value& callee, PassedValues& arguments) {
  const FlowStep step(engine_, followed_);
  if (!step.is_allowed()) return {};
  switch (callee.kind) {
    case ValueKind::kFunction: {
      const FunctionId id = values().function_of(callee);
      if (id == kNoId) return {};
      const SourceFunction& function = engine_.project().function(id);
      if (IsLoggerFactory(function.name)) return values().OutsideObject("logging.Logger", false);
      return CallProjectFunction(&expr, id, nullptr, arguments);
    }
    case ValueKind::kMethod: {
      const Callable* found = values().callable(callee);
      if (found == nullptr) return {};
      const Callable callable = *found;
      if (callable.function != kNoId) {
        return CallProjectFunction(&expr, callable.function, &callable.self, arguments);
      }
      FollowedCall call = LocalCall(callable);
      call.self = self_;
      call.arguments = arguments;
      return engine_.Follow(context_, call, conditions_);
    }
    case ValueKind::kClass: {
      const ClassId id = values().class_of(callee);
      if (id == kNoId) return {};
      Fact& fact = Record(FactKind::kCall, &expr, engine_.project().class_of(id).name, callee);
      RecordArguments(arguments, fact);
      Value object = values().Object(id, engine_.project().IsModule(id));
      object.Add(Trait::kMade);
      object.under = callee.under;
      fact.result = object;
      return object;
    }
    case ValueKind::kModule:
      NoteModule();
      return CallObject(expr, callee, arguments);
    case ValueKind::kSequence: {
      // An nn.Sequential calls its modules one after the other.
      const Items* items = values().items(callee);
      if (items == nullptr || !items->is_called_in_order) return {};
      NoteModule();
      const Items modules = *items;
      PassedValues passed = arguments;
      if (!modules.is_exact) return CallValue(expr, modules.element, passed);
      Value given;
      for (const Value& module : modules.items) {
        given = CallValue(expr, module, passed);
        passed = {{.keyword = {}, .value = given}};
      }
      return given;
    }
    case ValueKind::kOutside: {
      const std::string_view name = values().name(callee);
      if (name.empty()) return {};
      return CallOutside(expr, name, {}, arguments);
    }
    case ValueKind::kObject: {
      const ClassId id = values().class_of(callee);
      if (id == kNoId) return ResultOfUnknown(expr, callee, arguments);
      const FunctionId method = engine_.project().FindMethod(id, "__call__");
      return method == kNoId ? Value{} : CallProjectFunction(&expr, method, &callee, arguments);
    }
    case ValueKind::kUnknown:
      return ResultOfUnknown(expr, callee, arguments);
    default:
      return {};
  }
}

Value FunctionFlow::ResultOfUnknown(const Expr& expr, const Value& callee,
                                    const PassedValues& arguments) {
  if (!HasTensor(arguments)) return {};
  NoteModule();
  Value result{.kind = ValueKind::kTensor, .traits = Bit(Trait::kMade)};
  if (callee.Has(Trait::kStored)) {
    // An attribute that the constructor took from a table: an activation, most often.
    result.certainty = kUnknownResult;
    return result;
  }
  // A function that was passed in.
  if (expr.left->kind != PythonExprKind::kName || !values().name(callee).empty()) return {};
  result.certainty = kPassedFunction;
  result.Add(Trait::kGuessed);
  return result;
}

Value FunctionFlow::CallObject(const Expr& expr, const Value& object, PassedValues& arguments) {
  const ClassId id = values().class_of(object);
  if (id != kNoId) {
    for (const std::string_view name : {"__call__", "forward"}) {
      const FunctionId method = engine_.project().FindMethod(id, name);
      if (method != kNoId) return CallProjectFunction(&expr, method, &object, arguments);
    }
  }
  const std::string_view type = values().name(object);
  if (!type.empty()) {
    return CallOutside(expr, values().Dotted(type, "__call__"), object, arguments);
  }
  if (!HasTensor(arguments)) return {};
  return {.kind = ValueKind::kTensor, .certainty = kModuleResult, .traits = Bit(Trait::kMade)};
}

Value FunctionFlow::SuperAttribute(std::string_view name) {
  const FunctionId within = followed_.function;
  if (within == kNoId) return {};
  const ClassId stands_in = engine_.project().function(within).in_class;
  const ClassId of = values().class_of(self_);
  if (stands_in == kNoId || of == kNoId) return {};
  const FunctionId method = engine_.project().FindMethod(of, name, stands_in);
  if (method == kNoId && name == "__call__") {
    // What nn.Module does when it is called.
    const FunctionId forward = engine_.project().FindMethod(of, "forward");
    if (forward != kNoId && self_.kind == ValueKind::kModule) {
      return values().Method({.function = forward, .self = self_, .file = file_});
    }
  }
  if (method == kNoId) return values().Outside("super().outside");
  return values().Method({.function = method, .self = self_, .file = file_});
}

std::string_view FunctionFlow::KeeperOut(FileId file, const Expr& decorator) {
  const Binding binding = engine_.project().ResolveDotted(file, decorator);
  if (binding.kind == Binding::Kind::kOutside) return KeepsOut(binding.name) ? binding.name : "";
  if (binding.kind != Binding::Kind::kExpression || binding.expr == nullptr) return {};
  // `disable = getattr(torch.compiler, "disable", None) or unchanged`
  for (const Value& one : values().Alternatives(engine_.ModuleValue(binding.file, *binding.expr))) {
    if (KeepsOut(values().name(one))) return values().name(one);
  }
  return {};
}

Value FunctionFlow::CallProjectFunction(const Expr* place, FunctionId id, const Value* self,
                                        llvm::ArrayRef<PassedValue> arguments) {
  const Stmt* tree = engine_.project().Tree(id);
  if (tree == nullptr) return {};
  FollowedCall call{.function = tree,
                    .id = id,
                    .file = engine_.project().function(id).file,
                    .arguments = arguments,
                    .in_loop = in_loop_};
  for (const Expr* decorator : tree->decorators) {
    const Expr& name = DecoratorName(*decorator);
    if (const std::string_view keeper = KeeperOut(call.file, name); !keeper.empty()) {
      const bool is_disabled = keeper.find("disable") != std::string_view::npos;
      if (is_disabled && place != nullptr) {
        Record(FactKind::kCall, place, "torch.compiler.disable.__call__", {}).certainty = 100;
      }
      return {};
    }
    if (IsName(&name, "staticmethod")) self = nullptr;
  }
  if (self != nullptr) {
    call.has_self = true;
    call.self = *self;
    // A constructor calls that of its base, and helpers of its class.
    if (attributes_ != nullptr && *self == self_) {
      const bool is_near = call.file == file_ || tree->text == "__init__";
      if (!is_near) return {};
      call.attributes = attributes_;
    }
  }
  if (has_no_facts_ && call.attributes == nullptr && tree->returns != nullptr) {
    const Value declared = engine_.DeclaredObject(call.file, *tree->returns);
    if (declared.kind == ValueKind::kObject) return declared;
  }
  if (!has_no_facts_ && !is_for_value_ && call.attributes == nullptr) {
    engine_.FollowWrappers(context_, call, conditions_);
  }
  return engine_.Follow(context_, call, conditions_);
}

std::optional<Value> FunctionFlow::CallOfSelf(const Expr& expr, std::string_view method,
                                              PassedValues& arguments) {
  if (attributes_ == nullptr) return std::nullopt;
  const bool is_buffer = method == "register_buffer" || method == "register_parameter";
  const bool is_module = method == "add_module" || method == "register_module";
  if ((!is_buffer && !is_module) || expr.arguments.size() < 2) return std::nullopt;
  const std::string_view name = PlainString(expr.arguments.front().value);
  if (name.empty()) return Value{};
  Value value = arguments[1].value;
  if (is_buffer && value.kind != ValueKind::kNone) {
    value = {.kind = ValueKind::kTensor, .traits = value.traits};
    value.Add(Trait::kStored);
  }
  attributes_->Set(name, value);
  return Value{.kind = ValueKind::kNone};
}

std::optional<Value> FunctionFlow::CallContainer(const Expr& expr, std::string_view name,
                                                 const Value& base, PassedValues& arguments) {
  const Expr& receiver = *expr.left->left;
  const bool is_sequence = base.kind == ValueKind::kSequence;
  if (!is_sequence && base.kind != ValueKind::kMapping) return std::nullopt;
  const Items* known = values().items(base);
  if (base.kind == ValueKind::kMapping) {
    const Value element = known != nullptr ? known->element : Value{};
    const Value text{.kind = ValueKind::kText};
    if (name == "get" || name == "pop" || name == "setdefault") {  // a key may be missing
      if (!arguments.empty() && arguments.front().value.Has(Trait::kFromSize)) {
        Record(FactKind::kIndex, &expr, {}, base).arguments = {arguments.front().value};
      }
      if (arguments.size() > 1) return values().Join(element, arguments[1].value);
      if (name == "get") return values().Join(element, {.kind = ValueKind::kNone});
      return element;
    }
    if (name == "values") return values().SequenceOf(element);
    if (name == "keys") {
      return values().Sequence({.element = text, .form = Items::Form::kHashed});
    }
    if (name == "items") {
      Items pair{.is_exact = true, .items = {text, element}, .element = element};
      return values().SequenceOf(values().Sequence(std::move(pair)));
    }
    return std::nullopt;
  }
  if (name == "pop") return known != nullptr ? known->element : Value{};
  if (name == "copy") return base;
  if (name == "sort" && known != nullptr && IsTensorLike(known->element)) {
    RecordArguments(arguments, Record(FactKind::kCall, &expr, "list.sort", known->element));
  }
  const bool adds = name == "append" || name == "extend" || name == "insert" || name == "add";
  if (!adds || arguments.empty()) return std::nullopt;
  const Value added =
      name == "extend" ? ElementOf(arguments.front().value) : arguments.back().value;
  const Value after = values().WithElement(base, added, /*is_new=*/known == nullptr);
  if (receiver.kind == PythonExprKind::kName) {
    scope_.Set(receiver.text, after);
  } else if (receiver.kind == PythonExprKind::kAttribute && attributes_ != nullptr) {
    attributes_->Set(receiver.text, after);
  }
  // A list of an object that the region makes is as new as the object.
  Value list = base;
  const bool is_own = receiver.kind == PythonExprKind::kAttribute && IsName(receiver.left) &&
                      self_.Has(Trait::kMade);
  if (is_own) list.Add(Trait::kMade);
  Fact& fact = Record(FactKind::kCall, &expr, values().Dotted("list", name), list);
  fact.arguments = {added};
  return Value{.kind = ValueKind::kNone};
}

Value FunctionFlow::ApplyFunction(const Expr& expr, ClassId id, const PassedValues& arguments) {
  Project& project = engine_.project();
  const FunctionId forward = project.FindMethod(id, "forward");
  const FunctionId backward = project.FindMethod(id, "backward");
  if (forward == kNoId || backward == kNoId || project.IsModule(id)) return {};
  const PassedValue context{.keyword = {}, .value = {.kind = ValueKind::kObject}};
  PassedValues passed = arguments;
  if (project.FindMethod(id, "setup_context") == kNoId) passed.insert(passed.begin(), context);
  const Value result = CallProjectFunction(&expr, forward, nullptr, passed);
  // Dynamo traces the backward where it traces the call, unless no input needs a gradient.
  PassedValues gradients{context};
  const Stmt* tree = project.Tree(backward);
  if (tree == nullptr) return result;
  for (size_t i = 1; i < tree->parameters.size(); ++i) {
    if (tree->parameters[i].kind == Parameter::Kind::kStar) break;
    gradients.push_back({.keyword = {}, .value = {.kind = ValueKind::kTensor}});
  }
  const llvm::SaveAndRestore restore(conditions_);
  conditions_ |= Bit(RunCondition::kTraining);
  CallProjectFunction(&expr, backward, nullptr, gradients);
  return result;
}

Value FunctionFlow::CallMethod(const Expr& expr, const Value& receiver, PassedValues& arguments) {
  const std::string_view name = expr.left->text;
  const bool may_be_module = receiver.kind == ValueKind::kUnknown ||
                             (receiver.kind == ValueKind::kModule && !(receiver == self_));
  if (may_be_module && HasTensor(arguments)) NoteModule();
  if (values().IsChoice(receiver)) {
    return values().JoinEach(receiver,
                             [&](const Value& one) { return CallMethod(expr, one, arguments); });
  }
  switch (receiver.kind) {
    case ValueKind::kModule:
    case ValueKind::kObject: {
      if (receiver == self_) {
        if (std::optional<Value> given = CallOfSelf(expr, name, arguments)) return *given;
      }
      const Value callee = AttributeOfValue(*expr.left, receiver);
      if (callee.kind != ValueKind::kUnknown) return CallValue(expr, callee, arguments);
      // model.to(device), model.eval() and the like return the model.
      const bool gives_itself =
          HasWord<"to cuda cpu eval train half bfloat16 float requires_grad_ double">(name);
      if (receiver.kind == ValueKind::kModule && gives_itself) return receiver;
      const std::string_view type = values().name(receiver);
      if (!type.empty()) {
        return CallOutside(expr, values().Dotted(type, name), receiver, arguments);
      }
      if (receiver.kind == ValueKind::kModule) {
        if (name == "compile") engine_.NoteCompiled(context_, receiver, IsWhole(expr));
        return CallOutside(expr, values().Dotted("torch.nn.Module", name), receiver, arguments);
      }
      break;
    }
    case ValueKind::kSequence:
    case ValueKind::kMapping:
      if (std::optional<Value> given = CallContainer(expr, name, receiver, arguments)) {
        return *given;
      }
      break;
    case ValueKind::kClass: {
      const ClassId id = values().class_of(receiver);
      if (id == kNoId) return {};
      const FunctionId method = engine_.project().FindMethod(id, name);
      if (method == kNoId) return name == "apply" ? ApplyFunction(expr, id, arguments) : Value{};
      const Stmt* tree = engine_.project().Tree(method);
      const bool is_class_method = tree != nullptr && HasDecorator(*tree, "classmethod");
      return CallProjectFunction(&expr, method, is_class_method ? &receiver : nullptr, arguments);
    }
    default:
      break;
  }
  std::string_view dotted = MethodName(receiver.kind, name);
  // Methods that break a graph on tensors; values of unknown kind may be tensors.
  if (dotted.empty() && HasWord<"item tolist nonzero">(name)) {
    dotted = values().Dotted("?", name);
  }
  const bool is_function =
      receiver.kind == ValueKind::kFunction || receiver.kind == ValueKind::kMethod;
  if (is_function && name == "__get__") dotted = "function.__get__";
  if (dotted.empty()) return {};
  return CallOutside(expr, dotted, receiver, arguments);
}

Value FunctionFlow::CallOutside(const Expr& expr, std::string_view name, const Value& subject,
                                PassedValues& arguments) {
  if (IsLoggerFactory(name)) return values().OutsideObject("logging.Logger", false);
  if (std::optional<Value> given = CallBuiltin(expr, name, arguments)) return *given;
  llvm::SmallVector<Value, 8> passed;
  llvm::SmallVector<std::string_view, 8> keywords;
  for (const PassedValue& argument : arguments) {
    passed.push_back(argument.value);
    keywords.push_back(argument.stars == 2 ? std::string_view("**") : argument.keyword);
  }
  const OutsideEffect effect =
      EffectOf({.name = name, .subject = subject, .arguments = passed, .keywords = keywords});
  Fact& fact = Record(FactKind::kCall, &expr, name, subject);
  fact.arguments.assign(passed.begin(), passed.end());
  const bool has_keywords =
      llvm::any_of(keywords, [](std::string_view keyword) { return !keyword.empty(); });
  fact.keywords.clear();
  if (has_keywords) fact.keywords.assign(keywords.begin(), keywords.end());
  if (subject.kind == ValueKind::kUnknown && effect.is_known) fact.certainty = 100;

  for (size_t i = 0; i < passed.size() && i < 32; ++i) {
    if ((effect.number_arguments >> i & 1U) == 0) continue;
    const Expr* place = i < expr.arguments.size() ? expr.arguments[i].value : &expr;
    const FactUse use = effect.is_size ? FactUse::kSize : FactUse::kMath;
    // A list of sizes converts each of them.
    const Items* items = values().items(passed[i]);
    if (items != nullptr && items->is_exact) {
      // Many are written over several lines; what breaks is the call.
      const std::vector<Value> each = items->items;
      for (const Value& one : each) AskNumber(&expr, one, use);
    } else if (items != nullptr) {
      AskNumber(place, items->element, use);
    } else {
      AskNumber(place, passed[i], use);
    }
  }

  Value result = effect.result;
  result.under |= subject.under;
  const bool is_of_size = result.kind == ValueKind::kArray && name.starts_with("numpy.") &&
                          !passed.empty() && IsNumber(passed.front()) &&
                          passed.front().Has(Trait::kFromSize);
  if (is_of_size) result.Add(Trait::kFromSize);
  if (effect.result.kind == ValueKind::kSequence && GivesPieces(expr, name, passed)) {
    result.Add(Trait::kFromSize);
  }
  if (result.kind == ValueKind::kSequence && result.ref == 0) {
    const uint16_t under = result.under;
    const uint16_t traits = result.traits & (Bit(Trait::kFromSize) | Bit(Trait::kUnknownSize));
    result = values().SequenceOf(effect.element);
    result.under = under;
    result.traits |= traits;
  } else if (result.kind == ValueKind::kModule || result.kind == ValueKind::kObject) {
    if (!effect.type.empty()) {
      const uint16_t traits = result.traits;
      result = values().OutsideObject(effect.type, result.kind == ValueKind::kModule);
      result.traits = traits;
    }
  } else if (result.kind == ValueKind::kUnknown && !effect.is_known) {
    // Context managers, such as torch.no_grad() and objects of unknown functions.
    const bool is_torch = name.starts_with("torch.");
    if (is_torch && arguments.empty()) result = values().OutsideObject(name, false);
  }
  // The vector of facts may have been reallocated while values were made.
  Record(FactKind::kCall, &expr, name, subject).result = result;
  return result;
}

}  // namespace shapewise
