// Assignments: names, items, attributes.

#include "llvm/ADT/STLExtras.h"
#include "source/function_flow.h"

namespace shapewise {

void FunctionFlow::Assign(const Expr& target, const Value& value) {
  switch (target.kind) {
    case PythonExprKind::kName:
      if (llvm::is_contained(globals_, target.text)) {
        Record(FactKind::kStoreGlobal, &target, target.text, {}).arguments = {value};
      }
      scope_.Set(target.text, AsUsed(target.text, value));
      return;
    case PythonExprKind::kTuple:
    case PythonExprKind::kList:
      AssignItems(target, value);
      return;
    case PythonExprKind::kStarred:
      Assign(*target.left, values().SequenceOf(value));
      return;
    case PythonExprKind::kAttribute:
      StoreAttribute(target, value);
      return;
    case PythonExprKind::kSubscript:
      StoreIndex(target, value);
      return;
    default:
      return;
  }
}

Value FunctionFlow::AsUsed(std::string_view name, const Value& value) {
  const bool is_uncertain = value.IsTensor() && value.certainty < kUsedAsTensor && value.under == 0;
  const bool is_unknown = value.kind == ValueKind::kUnknown && !value.Has(Trait::kFromData) &&
                          !value.Has(Trait::kConfig);
  if (!is_uncertain && !is_unknown) return value;
  if (function_ == nullptr || !engine_.tensor_uses().IsTensor(file_, *function_, name)) {
    return value;
  }
  Value tensor = value;
  tensor.certainty = kUsedAsTensor;
  if (is_uncertain) return tensor;
  tensor = {.kind = ValueKind::kTensor, .certainty = kUsedAsTensor, .under = value.under};
  tensor.traits = Bit(Trait::kMade) | Bit(Trait::kGuessed);
  return tensor;
}

void FunctionFlow::AssignItems(const Expr& target, const Value& value) {
  const Items* items = values().items(value);
  const bool has_star = llvm::any_of(
      target.items, [](const Expr* item) { return item->kind == PythonExprKind::kStarred; });
  if (items != nullptr && items->is_exact && !has_star &&
      items->items.size() == target.items.size()) {
    const std::vector<Value> each = items->items;
    for (size_t i = 0; i < each.size(); ++i) Assign(*target.items[i], each[i]);
    return;
  }
  if (value.IsTensor()) Record(FactKind::kIterate, &target, {}, value).use = FactUse::kUnpack;
  const Value element = ElementOf(value);
  for (const Expr* item : target.items) Assign(*item, element);
}

bool FunctionFlow::AssignAround(const Expr& targets, const Expr& items) {
  const auto is_star = [](const Expr* item) { return item->kind == PythonExprKind::kStarred; };
  if (targets.kind != PythonExprKind::kTuple || items.kind != PythonExprKind::kTuple) return false;
  if (llvm::any_of(targets.items, is_star) || llvm::count_if(items.items, is_star) != 1) {
    return false;
  }
  if (targets.items.size() + 1 < items.items.size()) return false;
  const size_t num_starred = targets.items.size() + 1 - items.items.size();
  std::vector<Value> values;
  for (const Expr* item : items.items) {
    if (is_star(item)) {
      values.insert(values.end(), num_starred, ElementOf(Evaluate(item->left)));
    } else {
      values.push_back(Evaluate(item));
    }
  }
  for (size_t i = 0; i < values.size(); ++i) Assign(*targets.items[i], values[i]);
  return true;
}

void FunctionFlow::StoreAttribute(const Expr& target, const Value& value) {
  const Value base = Evaluate(target.left);
  Fact& fact = Record(FactKind::kStoreAttribute, &target, target.text, base);
  fact.arguments = {value};
  if (base.kind != ValueKind::kModule && base.kind != ValueKind::kObject) return;
  if (!(base == self_)) return;
  if (attributes_ != nullptr) {
    const Value* held = attributes_->Find(target.text);
    attributes_->Set(target.text, held != nullptr ? values().Join(*held, value) : value);
    return;
  }
  scope_.Set(target.text, value, Scope::Of::kSelf);
}

void FunctionFlow::StoreIndex(const Expr& target, const Value& value) {
  const Value base = Evaluate(target.left);
  llvm::SmallVector<Value, 3> indices;
  for (const Expr* item : target.items) indices.push_back(AsKey(IndexValue(*item)));
  Fact& fact = Record(FactKind::kStoreIndex, &target, {}, base);
  fact.arguments = indices;
  fact.result = value;
  const bool is_container = base.kind == ValueKind::kSequence || base.kind == ValueKind::kMapping;
  if (!is_container || !IsName(target.left)) return;
  Value after = values().WithElement(base, value, /*is_new=*/false);
  after.kind = base.kind;
  scope_.Set(target.left->text, after);
}

}  // namespace shapewise
