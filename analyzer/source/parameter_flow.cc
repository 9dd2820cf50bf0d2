// Values of parameters: those that a call passes, and those of roots, which nothing calls; and what
// annotations promise.

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "source/flow_engine.h"
#include "source/outside.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

constexpr uint8_t kGuessedTensor = 80;
// A name alone does not suffice for a function that no module calls.
constexpr uint8_t kGuessedArgument = 58;
constexpr uint8_t kAnnotated = 95;
// ... of a tensor by an annotation that names other types, too, one of which the default has.
constexpr uint8_t kRatherOther = 45;

Value Optional(Value value) {
  value.Add(Trait::kOptional);
  return value;
}

}  // namespace

Value FlowEngine::ValueOfAnnotation(FileId file, const Expr& annotation) {
  // An alias may contain itself, and may occur twice in the next one. It is unknown while it is
  // being read.
  return Keep(annotations_, file, annotation, [&] {
    // A name has no parts that would take a step each.
    if (IsDotted(annotation)) return ReadAnnotation(file, annotation);
    const FlowStep step(*this, contexts_[NewContextWithoutFacts(kNoId, file)]);
    return step.is_allowed() ? ReadAnnotation(file, annotation) : Value{};
  });
}

Value FlowEngine::DeclaredObject(FileId file, const Expr& annotation) {
  Binding binding;
  if (annotation.kind == PythonExprKind::kString) {
    const std::optional<std::string_view> name = PlainText(annotation.text);
    if (name) binding = project_.Resolve(file, *name);
  } else if (annotation.kind == PythonExprKind::kName) {
    binding = project_.Resolve(file, annotation.text);
  }
  const bool is_object = binding.kind == Binding::Kind::kClass && !project_.IsModule(binding.id);
  return is_object ? values_.Object(binding.id, /*is_module=*/false) : Value{};
}

Value FlowEngine::ReadAnnotation(FileId file, const Expr& annotation) {
  switch (annotation.kind) {
    case PythonExprKind::kNone:
      return {.kind = ValueKind::kNone};
    case PythonExprKind::kString: {
      // A forward reference: only names that need no look-up are understood.
      const std::optional<std::string_view> text = PlainText(annotation.text);
      if (text == "torch.Tensor" || text == "Tensor") return {.kind = ValueKind::kTensor};
      return {};
    }
    case PythonExprKind::kName:
    case PythonExprKind::kAttribute: {
      const Binding binding = project_.ResolveDotted(file, annotation);
      if (binding.kind == Binding::Kind::kClass) {
        return values_.Object(binding.id, project_.IsModule(binding.id));
      }
      if (binding.kind == Binding::Kind::kExpression && binding.expr != nullptr) {
        const bool is_type = binding.expr->kind == PythonExprKind::kSubscript ||
                             binding.expr->kind == PythonExprKind::kBinary;
        return is_type ? ValueOfAnnotation(binding.file, *binding.expr) : Value{};
      }
      if (binding.kind != Binding::Kind::kOutside) return {};
      return ValueOfType(binding.name);
    }
    case PythonExprKind::kBinary: {
      if (annotation.text != "|") return {};
      return values_.Join(ValueOfAnnotation(file, *annotation.left),
                          ValueOfAnnotation(file, *annotation.right));
    }
    case PythonExprKind::kSubscript: {
      const std::string_view name = annotation.left->text;
      if (annotation.items.empty()) return {};
      Value first = ValueOfAnnotation(file, *annotation.items.front());
      if (name == "Optional") {
        first.Add(Trait::kOptional);
        return first;
      }
      if (name == "Annotated" || name == "Final" || name == "ClassVar" || name == "Unpack") {
        return first;
      }
      if (name == "Union") {
        Value value = first;
        for (const Expr* item : annotation.items.drop_front()) {
          value = values_.Join(value, ValueOfAnnotation(file, *item));
        }
        return value;
      }
      if (name == "list" || name == "List" || name == "Sequence" || name == "set" ||
          name == "Iterable" || name == "Set") {
        return values_.SequenceOf(first);
      }
      if (name == "tuple" || name == "Tuple") {
        const bool is_open = annotation.items.size() == 2 &&
                             annotation.items.back()->kind == PythonExprKind::kEllipsis;
        if (annotation.items.size() == 1 || is_open) return values_.SequenceOf(first);
        Items items{.is_exact = true, .element = first};
        for (const Expr* item : annotation.items) {
          items.items.push_back(ValueOfAnnotation(file, *item));
          items.element = values_.Join(items.element, items.items.back());
        }
        return values_.Sequence(std::move(items));
      }
      if (name == "dict" || name == "Dict" || name == "Mapping") {
        const bool has_value = annotation.items.size() == 2;
        return values_.Mapping(has_value ? ValueOfAnnotation(file, *annotation.items[1]) : Value{});
      }
      return {};
    }
    default:
      return {};
  }
}

Value FlowEngine::GuessArgument(FileId file, std::string_view name, const Stmt& function) {
  const Value guess = GuessByName(name);
  const bool is_refuted = IsNumber(guess) && tensor_uses_.IsNoNumber(file, function, name);
  return is_refuted ? Value{} : guess;
}

Value FlowEngine::DefaultValue(FileId file, const Expr* expr) {
  if (expr == nullptr) return {};
  const Value value = ModuleValue(file, *expr);
  const bool is_digits =
      expr->kind == PythonExprKind::kInteger || expr->kind == PythonExprKind::kFloat;
  return is_digits && value.ref == 0 ? values_.NumberOf(value, expr->text) : value;
}

Value FlowEngine::RootArgument(FileId file, const Parameter& parameter, const Stmt* function) {
  Value value;
  if (parameter.annotation != nullptr) value = ValueOfAnnotation(file, *parameter.annotation);
  const Value given = DefaultValue(file, parameter.default_value);
  const bool is_none = parameter.default_value != nullptr && given.kind == ValueKind::kNone;
  if (value.kind == ValueKind::kUnknown && parameter.annotation == nullptr) {
    const bool is_used =
        function != nullptr && tensor_uses_.IsTensor(file, *function, parameter.name);
    // A forward gets tensors; other functions say by their code what they get.
    const bool is_no_tensor =
        function != nullptr && tensor_uses_.IsNoTensor(file, *function, parameter.name);
    const bool may_guess = function == nullptr || (function->text == "forward" && !is_no_tensor);
    if (is_used) {
      value = {.kind = ValueKind::kTensor, .certainty = kUsedAsTensor};
      value.traits = Bit(Trait::kGuessed);
    } else {
      value = function != nullptr ? GuessArgument(file, parameter.name, *function)
                                  : GuessByName(parameter.name);
      if (is_no_tensor && (value.IsTensor() || IsNumber(value))) value = {};
      if (!may_guess && value.IsTensor()) value.certainty = kGuessedArgument;
    }
    if (value.kind == ValueKind::kUnknown && parameter.default_value != nullptr && !is_none) {
      value = given;
      value.Remove(Trait::kConstant);
    } else if (value.kind == ValueKind::kUnknown && may_guess) {
      value = {.kind = ValueKind::kTensor, .certainty = kGuessedTensor};
      value.traits = Bit(Trait::kGuessed);
    }
  }
  // An annotation that says nothing, as that of several types: what it is by default.
  if (value.kind == ValueKind::kUnknown && parameter.annotation != nullptr && HasContents(given)) {
    value = given;
    value.Remove(Trait::kConstant);
  }
  const bool is_other = given.kind != ValueKind::kUnknown && !is_none && !given.IsTensor();
  if (parameter.annotation != nullptr && value.IsTensor() && value.certainty < 100 && is_other) {
    value.certainty = std::min(value.certainty, kRatherOther);
  }
  if (is_none) {
    value.Add(Trait::kOptional);
    if (function != nullptr && RequiresTensor(file, *function)) value.Add(Trait::kExtra);
  }
  if (HasContents(value) && value.kind == given.kind) value.ref = given.ref;
  value.Add(Trait::kArgument);
  switch (parameter.kind) {
    case Parameter::Kind::kStar:
      return values_.SequenceOf(value);
    case Parameter::Kind::kDoubleStar:
      return values_.Mapping({});
    default:
      return value;
  }
}

bool FlowEngine::RequiresTensor(FileId file, const Stmt& function) {
  return llvm::any_of(function.parameters, [&](const Parameter& parameter) {
    const bool is_required = parameter.default_value == nullptr &&
                             parameter.kind != Parameter::Kind::kStar &&
                             parameter.kind != Parameter::Kind::kDoubleStar;
    return is_required && parameter.name != "self" &&
           RootArgument(file, parameter, &function).IsTensor();
  });
}

BoundValues FlowEngine::BindParameters(const FollowedCall& call) {
  const llvm::ArrayRef<Parameter> parameters =
      call.function != nullptr ? call.function->parameters : call.lambda->parameters;
  BoundValues values(parameters.size());
  llvm::SmallVector<bool, 8> is_given(parameters.size());
  std::vector<Value> starred;
  llvm::SmallDenseMap<llvm::StringRef, size_t, 8> by_name;  // filled on demand
  size_t next = 0;
  bool has_open_stars = false;
  bool has_open_keywords = false;
  if (call.has_self && !parameters.empty()) {
    values[0] = call.self;
    is_given[0] = true;
    next = 1;
  }
  for (const PassedValue& argument : call.arguments) {
    if (argument.stars == 2) {
      has_open_keywords = true;
      continue;
    }
    if (argument.stars == 1) {
      has_open_stars = true;
      continue;
    }
    if (!argument.keyword.empty()) {
      if (by_name.empty()) {
        for (size_t i = 0; i < parameters.size(); ++i) {
          by_name.try_emplace(llvm::StringRef(parameters[i].name), i);
        }
      }
      if (const auto named = by_name.find(llvm::StringRef(argument.keyword));
          named != by_name.end()) {
        values[named->second] = argument.value;
        is_given[named->second] = true;
      }
      continue;
    }
    while (next < parameters.size() && is_given[next]) ++next;
    if (next >= parameters.size()) continue;
    const Parameter& parameter = parameters[next];
    if (parameter.kind == Parameter::Kind::kStar) {
      values[next] = starred.empty() ? argument.value : values_.Join(values[next], argument.value);
      starred.push_back(argument.value);
      continue;
    }
    if (parameter.kind == Parameter::Kind::kKeywordOnly ||
        parameter.kind == Parameter::Kind::kDoubleStar) {
      continue;
    }
    values[next] = argument.value;
    is_given[next++] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.kind == Parameter::Kind::kDoubleStar) {
      values[i] = values_.Mapping({});
      continue;
    }
    if (parameter.kind == Parameter::Kind::kStar) {
      // A wrapper hands its arguments on, one by one.
      const bool is_exact = call.is_local && !starred.empty() && !has_open_stars;
      Items items{.is_exact = true, .items = std::exchange(starred, {}), .element = values[i]};
      values[i] = is_exact ? values_.Sequence(std::move(items)) : values_.SequenceOf(values[i]);
      continue;
    }
    Value annotated;
    const bool is_reported = parameter.annotation != nullptr;
    if (!is_given[i]) {
      const bool may_be_given = has_open_keywords || has_open_stars;
      if (!may_be_given) {
        values[i] = DefaultValue(call.file, parameter.default_value);
        continue;
      }
      if (is_reported) annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      annotated.certainty = std::min(annotated.certainty, kAnnotated);
      values[i] = annotated;
      if (parameter.default_value != nullptr &&
          parameter.default_value->kind == PythonExprKind::kNone) {
        values[i] = Optional(values[i]);
        values[i].Add(Trait::kArgument);
      } else if (annotated.kind == ValueKind::kUnknown || HasContents(annotated)) {
        // `f(x, **options)` mostly leaves a switch as it is.
        const Value given = DefaultValue(call.file, parameter.default_value);
        if (HasContents(given)) {
          values[i] = given;
          values[i].Remove(Trait::kConstant);
          values[i].Add(Trait::kArgument);
        }
      }
      continue;
    }
    const bool is_unknown =
        values[i].kind == ValueKind::kUnknown && !values[i].Has(Trait::kFromData);
    if (is_reported && values[i].IsTensor() && values[i].Has(Trait::kGuessed)) {
      // A declared number or text says more than a guess.
      annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      if (IsNumber(annotated) || annotated.kind == ValueKind::kText) values[i] = annotated;
      continue;
    }
    if (is_reported && IsNumber(values[i]) && values[i].Has(Trait::kArgument) &&
        values[i].ref == 0 && values[i].certainty <= kGuessedTensor) {
      // Only its name says that the argument of the caller is a number.
      annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      annotated.certainty = std::min(annotated.certainty, kAnnotated);
      annotated.under = values[i].under;
      if (annotated.IsTensor()) values[i] = annotated;
      continue;
    }
    if (!is_reported && is_unknown && call.has_self && call.function != nullptr &&
        call.function->text == "forward") {
      Value guess = GuessArgument(call.file, parameter.name, *call.function);
      guess.certainty = std::min(guess.certainty, kGuessedArgument);
      guess.under = values[i].under;
      values[i] = guess;
    }
    if (!is_reported && is_unknown && values[i].kind == ValueKind::kUnknown &&
        !values[i].Has(Trait::kConfig) && call.function != nullptr &&
        tensor_uses_.IsTensor(call.file, *call.function, parameter.name)) {
      values[i] = {
          .kind = ValueKind::kTensor, .certainty = kUsedAsTensor, .under = values[i].under};
      values[i].traits = Bit(Trait::kGuessed);
    }
    if (is_reported && is_unknown) {
      annotated = ValueOfAnnotation(call.file, *parameter.annotation);
      annotated.certainty = std::min(annotated.certainty, kAnnotated);
      annotated.under = values[i].under;
      // Handed on, it is still what the caller may leave out.
      constexpr auto kLeftOut =
          static_cast<uint16_t>(Bit(Trait::kArgument) | Bit(Trait::kOptional));
      annotated.traits |= static_cast<uint16_t>(values[i].traits & kLeftOut);
      if (annotated.kind != ValueKind::kNone) values[i] = annotated;
    }
  }
  return values;
}

}  // namespace shapewise
