#include <algorithm>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include "source/function_flow.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr uint32_t kMaxNesting = 200;

// Certainty of an attribute of an unknown value whose name only tensors have.
constexpr uint8_t kGuessedShape = 60;
constexpr uint8_t kGuessedOutput = 75;

}  // namespace

Value FunctionFlow::Evaluate(const Expr* expr) {
  if (expr == nullptr) return {.kind = ValueKind::kNone};
  const FlowStep step(engine_, followed_);
  if (!step.is_allowed()) return {};
  if (nesting_ > kMaxNesting) {
    engine_.GiveUp(followed_, GivenUp::Why::kNesting);
    return {};
  }
  const llvm::SaveAndRestore deeper(nesting_, nesting_ + 1);
  switch (expr->kind) {
    case PythonExprKind::kName:
      return EvaluateName(*expr);
    case PythonExprKind::kInteger:
    case PythonExprKind::kFloat:
    case PythonExprKind::kString:
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse:
    case PythonExprKind::kNone:
      return *values().Literal(*expr);
    case PythonExprKind::kEllipsis:
      return {};
    case PythonExprKind::kUnreadable:
      engine_.GiveUp(followed_, GivenUp::Why::kUnread);
      return {};
    case PythonExprKind::kFormatted:
      return EvaluateFormatted(*expr);
    case PythonExprKind::kAttribute:
      return AttributeOfValue(*expr, Evaluate(expr->left));
    case PythonExprKind::kCall:
      return EvaluateCall(*expr);
    case PythonExprKind::kSubscript:
      return EvaluateSubscript(*expr);
    case PythonExprKind::kSlice:
      return IndexValue(*expr);
    case PythonExprKind::kUnary:
      return WithoutContents(Evaluate(expr->left));
    case PythonExprKind::kNot:
      return Test(*expr, FactUse::kNone).value;
    case PythonExprKind::kBinary:
      return EvaluateBinary(*expr);
    case PythonExprKind::kCompare:
      return EvaluateCompare(*expr).result;
    case PythonExprKind::kAnd:
    case PythonExprKind::kOr:
      return TestBoolOp(*expr, FactUse::kNone).value;
    case PythonExprKind::kConditional: {
      const TestOutcome truth = Test(*expr->third, FactUse::kConditional);
      const uint16_t conditions = conditions_;
      std::optional<Value> value;
      if (truth.constant != false) {
        conditions_ |= truth.if_true;
        const NamesBefore before = Refine(truth.names_if_true);
        value = Evaluate(expr->left);
        value->under |= truth.if_true;
        Restore(before);
      }
      conditions_ = conditions;
      if (truth.constant != true) {
        conditions_ |= truth.if_false;
        const NamesBefore before = Refine(truth.names_if_false);
        Value other = Evaluate(expr->right);
        other.under |= truth.if_false;
        value = value ? values().Join(*value, other) : other;
        Restore(before);
      }
      conditions_ = conditions;
      return value.value_or(Value{});
    }
    case PythonExprKind::kLambda: {
      Callable callable{.lambda = expr, .file = file_};
      callable.within = followed_.function;
      callable.scope = engine_.KeepScope(scope_);
      Value value = values().Method(callable);
      if (const std::optional<Value> seen = ObjectSeenBy(*expr)) {
        value.Add(Trait::kSeesObjects);
        value.certainty = seen->certainty;
        value.under = seen->under;
      }
      return value;
    }
    case PythonExprKind::kTuple:
    case PythonExprKind::kList:
    case PythonExprKind::kSet: {
      Items items{.is_exact = true};
      if (expr->kind == PythonExprKind::kSet) items.form = Items::Form::kHashed;
      bool is_first = true;
      for (const Expr* item : expr->items) {
        const bool is_starred = item->kind == PythonExprKind::kStarred;
        Value value = Evaluate(is_starred ? item->left : item);
        if (is_starred) {
          RecordItems(*item->left, value, FactUse::kFor);
          items.is_exact = false;
          value = ElementOf(value);
        }
        items.items.push_back(value);
        items.element = is_first ? value : values().Join(items.element, value);
        is_first = false;
      }
      if (!items.is_exact) items.items.clear();
      return values().Sequence(std::move(items));
    }
    case PythonExprKind::kDict: {
      Value element;
      bool is_first = true;
      for (size_t i = 0; i + 1 < expr->items.size(); i += 2) {
        if (expr->items[i] != nullptr) Evaluate(expr->items[i]);
        Value value = Evaluate(expr->items[i + 1]);
        if (expr->items[i] == nullptr) value = ElementOf(value);
        element = is_first ? value : values().Join(element, value);
        is_first = false;
      }
      return values().Mapping(element);
    }
    case PythonExprKind::kListComprehension:
    case PythonExprKind::kSetComprehension:
    case PythonExprKind::kGeneratorExpression:
    case PythonExprKind::kDictComprehension:
      return EvaluateComprehension(*expr);
    case PythonExprKind::kStarred:
    case PythonExprKind::kAwait:
      return Evaluate(expr->left);
    case PythonExprKind::kYield:
    case PythonExprKind::kYieldFrom:
      Record(FactKind::kYield, expr, {}, expr->left != nullptr ? Evaluate(expr->left) : Value{});
      return {};
    case PythonExprKind::kNamed: {
      const Value value = Evaluate(expr->right);
      Assign(*expr->left, value);
      return value;
    }
  }
  return {};
}

Value FunctionFlow::EvaluateName(const Expr& expr) {
  if (const Value* value = scope_.Find(expr.text)) return *value;
  if (outer_ != nullptr) {
    // The enclosing function may have assigned it again since.
    if (const Value* value = outer_->Find(expr.text)) return WithoutContents(*value);
  }
  const StrId name = scope_.IdOf(expr.text);
  if (const std::optional<Value>& known = engine_.NameValue(file_, name)) return *known;
  const Value value = BindingValue(engine_.project().Resolve(file_, expr.text));
  if (!engine_.IsCut()) engine_.NameValue(file_, name) = value;
  return value;
}

Value FunctionFlow::ClassOf(const Value& object) {
  const bool has_class = object.kind == ValueKind::kModule || object.kind == ValueKind::kObject;
  const ClassId id = has_class ? values().class_of(object) : kNoId;
  return id != kNoId ? values().Class(id) : Value{};
}

Value FunctionFlow::OutsideValue(std::string_view name) {
  Value value = ValueOfName(name);
  if (value.kind == ValueKind::kOutside || value.kind == ValueKind::kUnknown) {
    const uint16_t traits = value.traits;
    value = values().Outside(CanonicalName(name));
    value.traits = traits;
  }
  return value;
}

Value FunctionFlow::BindingValue(const Binding& binding) {
  switch (binding.kind) {
    case Binding::Kind::kNone:
      return {};
    case Binding::Kind::kFunction:
      return values().Function(binding.id);
    case Binding::Kind::kClass:
      return values().Class(binding.id);
    case Binding::Kind::kModule:
      return values().ProjectModule(binding.id);
    case Binding::Kind::kOutside:
      return OutsideValue(binding.name);
    case Binding::Kind::kExpression:
      if (binding.expr != nullptr) {
        Value value = engine_.ModuleValue(binding.file, *binding.expr);
        // Functions may assign a switch of their module.
        if (ValueStore::truth_of(value)) value.Add(Trait::kStored);
        return value;
      }
      return {};
  }
  return {};
}

Value FunctionFlow::AttributeOfValue(const Expr& expr, const Value& base) {
  const std::string_view name = expr.text;
  if (values().IsChoice(base)) {
    return values().JoinEach(base, [&](const Value& one) { return AttributeOfValue(expr, one); });
  }
  if (base.kind == ValueKind::kOutside) {
    const FileId file = values().project_module(base);
    if (file != kNoId) return BindingValue(engine_.project().Resolve(file, name));
    const std::string_view prefix = values().name(base);
    if (prefix == "super()") return SuperAttribute(name);
    return OutsideValue(values().Dotted(prefix, name));
  }
  if (name == "__class__") return ClassOf(base);
  if (base.kind == ValueKind::kClass) {
    const Value* held = engine_.Attribute(values().class_of(base), name);
    if (held == nullptr || !HasContents(*held)) return {};
    // A switch of all objects, which other code may change.
    Value value = *held;
    value.Add(Trait::kStored);
    value.Remove(Trait::kConstant);
    return value;
  }
  if (base.kind == ValueKind::kModule || base.kind == ValueKind::kObject) {
    if (base == self_) {
      if (const Value* stored = scope_.Find(name, Scope::Of::kSelf)) return *stored;
      if (attributes_ != nullptr) {
        if (const Value* held = attributes_->Find(name)) return *held;
      }
    }
    if (name == "training" && base.kind == ValueKind::kModule) {
      return {.kind = ValueKind::kBool, .under = Bit(RunCondition::kTraining)};
    }
    const ClassId id = values().class_of(base);
    if (id != kNoId) {
      if (const Value* value = engine_.Attribute(id, name)) {
        if (base == self_ || value->IsTensor()) {
          Record(FactKind::kReadAttribute, &expr, name, base).result = *value;
        }
        return *value;
      }
      const FunctionId method = engine_.project().FindMethod(id, name);
      if (method != kNoId) {
        const Stmt* tree = engine_.project().Tree(method);
        const bool is_property = tree != nullptr && (HasDecorator(*tree, "property") ||
                                                     HasDecorator(*tree, "cached_property"));
        if (is_property) return CallProjectFunction(nullptr, method, &base, {});
        return values().Method({.function = method, .self = base, .file = file_});
      }
    }
    if (base.Has(Trait::kConfig)) {
      Value setting = values().OutsideObject({}, /*is_module=*/false);
      setting.kind = ValueKind::kUnknown;
      setting.traits = Bit(Trait::kConfig) | Bit(Trait::kConstant);
      return setting;
    }
    Value value = AttributeOf(base, name);
    if (name == "config" && value.kind == ValueKind::kUnknown) {
      value = {.kind = ValueKind::kObject, .traits = Bit(Trait::kConfig)};
    }
    return value;
  }
  if (base.Has(Trait::kConfig) && base.kind == ValueKind::kUnknown) {
    return MakeValue(ValueKind::kUnknown, Bit(Trait::kConfig) | Bit(Trait::kConstant));
  }
  if (base.kind == ValueKind::kUnknown) {
    if (name == "shape") return {.kind = ValueKind::kShape, .certainty = kGuessedShape};
    if (name == "config") return {.kind = ValueKind::kObject, .traits = Bit(Trait::kConfig)};
    return {};
  }
  Value value = AttributeOf(base, name);
  value.under |= base.under;
  return value;
}

Value FunctionFlow::ElementOf(const Value& value) {
  if (const Items* items = values().items(value)) {
    if (value.kind == ValueKind::kMapping) return {.kind = ValueKind::kText};
    return items->element;
  }
  Value element;
  switch (value.kind) {
    case ValueKind::kTensor:
    case ValueKind::kArray:
      element = value;
      element.Remove(Trait::kUnknownSize, Trait::kStored, Trait::kArgument, Trait::kOptional);
      return element;
    case ValueKind::kShape:
      return MakeValue(ValueKind::kInt, Bit(Trait::kFromSize));
    case ValueKind::kText:
      return MakeValue(ValueKind::kText);
    default:
      element.traits = value.traits & (Bit(Trait::kConfig) | Bit(Trait::kFromData));
      return element;
  }
}

Value FunctionFlow::IndexValue(const Expr& index) {
  if (index.kind != PythonExprKind::kSlice) return Evaluate(&index);
  for (const Expr* bound : {index.left, index.right, index.third}) {
    if (bound == nullptr) continue;
    AskNumber(bound, Evaluate(bound), FactUse::kSlice);
  }
  return {.kind = ValueKind::kNone};
}

Value FunctionFlow::AsKey(const Value& index) {
  const Items* items = values().items(index);
  if (items == nullptr || !items->is_exact) return index;
  Value key = index;
  for (const Value& item : items->items) {
    if (item.Has(Trait::kFromSize)) key.Add(Trait::kFromSize);
  }
  return key;
}

void FunctionFlow::RecordChoice(const Expr& expr, const Value& base,
                                llvm::ArrayRef<Value> indices) {
  if (indices.size() != 1 || expr.items.front()->kind == PythonExprKind::kSlice) return;
  const Value key = AsKey(indices.front());
  if (!key.Has(Trait::kFromSize) && !key.Has(Trait::kArgument)) return;
  Record(FactKind::kIndex, &expr, {}, base).arguments = {key};
}

Value FunctionFlow::EvaluateSubscript(const Expr& expr) {
  Value base = Evaluate(expr.left);
  llvm::SmallVector<Value, 3> indices;
  bool has_mask = false;
  bool has_tensor = false;
  bool is_slice = false;
  for (const Expr* item : expr.items) {
    is_slice |= item->kind == PythonExprKind::kSlice;
    const Value index = IndexValue(*item);
    const bool is_mask = IsTensorLike(index) && index.Has(Trait::kMask);
    has_mask |= is_mask;
    has_tensor |= IsTensorLike(index);
    indices.push_back(index);
    // Only tensors and arrays are indexed by masks.
    const bool may_be_tensor = base.kind == ValueKind::kUnknown || IsTensorLike(base);
    if (is_mask && may_be_tensor) {
      const bool is_known = base.kind != ValueKind::kUnknown;
      if (!is_known) base.kind = index.kind;
      base.certainty = is_known ? std::max(base.certainty, index.certainty) : index.certainty;
    }
  }
  if (IsTensorLike(base)) {
    Value value = base;
    value.Remove(Trait::kStored, Trait::kArgument, Trait::kOptional);
    value.Add(Trait::kMade);
    if (has_mask) value.Add(Trait::kUnknownSize);
    // Reading one number of a tensor uses it as an index; several numbers gather.
    for (size_t i = 0; i < indices.size(); ++i) {
      const bool is_number = indices[i].Has(Trait::kOneElement) && indices[i].Has(Trait::kIntegers);
      if (is_number && !indices[i].Has(Trait::kStored)) {
        AskNumber(expr.items[i], indices[i], FactUse::kListIndex);
      }
    }
    if (has_tensor) {
      Fact& fact = Record(FactKind::kIndex, &expr, {}, base);
      fact.arguments = indices;
      fact.result = value;
    }
    return value;
  }
  switch (base.kind) {
    case ValueKind::kShape:
      if (is_slice) return base;
      return MakeValue(ValueKind::kInt, Bit(Trait::kFromSize));
    case ValueKind::kSequence: {
      RecordChoice(expr, base, indices);
      const Items* items = values().items(base);
      if (items == nullptr) return {};
      if (is_slice) {
        Items part = *items;
        part.is_exact = false;
        part.items.clear();
        return values().Sequence(std::move(part));
      }
      if (!indices.empty()) AskNumber(expr.items.front(), indices.front(), FactUse::kListIndex);
      const Expr* index = expr.items.empty() ? nullptr : expr.items.front();
      const bool is_negative =
          index != nullptr && index->kind == PythonExprKind::kUnary && index->text == "-";
      const Expr* digits = is_negative ? index->left : index;
      if (items->is_exact && digits != nullptr && digits->kind == PythonExprKind::kInteger) {
        const size_t size = items->items.size();
        const std::optional<size_t> at = ParseNumber<size_t>(digits->text);
        if (at && is_negative && *at >= 1 && *at <= size) return items->items[size - *at];
        if (at && !is_negative && *at < size) return items->items[*at];
      }
      return items->element;
    }
    case ValueKind::kMapping: {
      RecordChoice(expr, base, indices);
      const Items* items = values().items(base);
      return items != nullptr ? items->element : Value{};
    }
    case ValueKind::kText:
      return MakeValue(ValueKind::kText);
    case ValueKind::kObject: {
      // outputs[0] of an object that contains outputs.
      const ClassId id = values().class_of(base);
      if (id == kNoId || !engine_.HoldsTensors(id)) return {};
      return {.kind = ValueKind::kTensor, .certainty = kGuessedOutput, .traits = Bit(Trait::kMade)};
    }
    case ValueKind::kOutside:
    case ValueKind::kClass:
      return base;  // a generic type
    default: {
      Value value;
      value.traits = base.traits & (Bit(Trait::kConfig) | Bit(Trait::kFromData));
      return value;
    }
  }
}

Value FunctionFlow::EvaluateComprehension(const Expr& expr) {
  const llvm::SaveAndRestore restore_scope(scope_);
  const llvm::SaveAndRestore restore_conditions(conditions_);
  const llvm::SaveAndRestore restore_place(in_comprehension_);
  for (const ComprehensionClause& clause : expr.clauses) {
    const Value iterable = Evaluate(clause.iterable);
    RecordItems(*clause.iterable, iterable, FactUse::kComprehension);
    Assign(*clause.target, ElementOf(iterable));
    in_comprehension_ = true;
    for (const Expr* condition : clause.conditions) {
      const TestOutcome truth = Test(*condition, FactUse::kComprehension);
      conditions_ |= truth.if_true;
      Refine(truth.names_if_true);
    }
  }
  const Value element = Evaluate(expr.left);
  if (expr.kind != PythonExprKind::kDictComprehension) return values().SequenceOf(element);
  return values().Mapping(Evaluate(expr.right));
}

std::optional<Value> FunctionFlow::ObjectSeenBy(const Expr& lambda) {
  llvm::SmallVector<std::string_view, 4> names;
  llvm::SmallVector<std::string_view, 4> own;
  AnyExpr(lambda, [&](const Expr& expr) {
    if (IsName(&expr)) names.push_back(expr.text);
    for (const Parameter& parameter : expr.parameters) own.push_back(parameter.name);
    for (const ComprehensionClause& clause : expr.clauses) {
      AnyExpr(*clause.target, [&](const Expr& target) {
        if (IsName(&target)) own.push_back(target.text);
        return false;
      });
    }
    return false;
  });
  std::optional<Value> surest;
  for (const std::string_view name : names) {
    if (llvm::is_contained(own, name)) continue;
    const Value* value = scope_.Find(name);
    if (value == nullptr && outer_ != nullptr) value = outer_->Find(name);
    // Names of the module are not part of a closure.
    if (value == nullptr) continue;
    const bool is_object = IsTensorLike(*value) || value->kind == ValueKind::kModule;
    if (!is_object || value->Has(Trait::kOptional)) continue;
    if (!surest || surest->certainty < value->certainty) surest = *value;
  }
  return surest;
}

Value FunctionFlow::EvaluateFormatted(const Expr& expr) {
  Value text{.kind = ValueKind::kText};
  if (expr.items.empty()) text.Add(Trait::kConstant);
  Value written;
  for (const Expr* item : expr.items) {
    const Value value = Evaluate(item);
    const bool is_size = IsNumber(value) && value.Has(Trait::kFromSize);
    if (!IsTensorLike(value) && !is_size) continue;
    text.traits |= Bit(is_size ? Trait::kFromSize : Trait::kFromData);
    // If a text is made of a tensor and a size, the tensor matters.
    const bool is_surer = IsTensorLike(written) == IsTensorLike(value)
                              ? value.certainty > written.certainty
                              : IsTensorLike(value);
    if (written.kind == ValueKind::kUnknown || is_surer) written = value;
  }
  if (written.kind != ValueKind::kUnknown) Record(FactKind::kText, &expr, {}, written);
  return text;
}

}  // namespace shapewise
