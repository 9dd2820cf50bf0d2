// Calls of Python's built-in functions, and of itertools.

#include <algorithm>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "source/call_names.h"
#include "source/function_flow.h"

namespace shapewise {

std::optional<Value> FunctionFlow::CallBuiltin(const Expr& expr, std::string_view name,
                                               PassedValues& arguments) {
  const auto argument = [&](size_t i) {
    return i < arguments.size() ? arguments[i].value : Value{};
  };
  if (name == "builtins.enumerate" || name == "builtins.reversed" || name == "builtins.iter" ||
      name == "builtins.sorted" || name == "builtins.list" || name == "builtins.tuple") {
    const Value iterable = argument(0);
    if (!expr.arguments.empty()) {
      RecordItems(*expr.arguments.front().value, iterable, FactUse::kFor);
    }
    if (name == "builtins.list" || name == "builtins.tuple") {
      if (arguments.empty()) return values().Sequence({.is_exact = true});
      if (iterable.kind == ValueKind::kSequence || iterable.kind == ValueKind::kShape) {
        return iterable;
      }
    }
    const Value element = ElementOf(iterable);
    if (name == "builtins.sorted" && IsTensorLike(element)) {
      RecordArguments(arguments, Record(FactKind::kCall, &expr, name, element));
    }
    if (name != "builtins.enumerate") return values().SequenceOf(element);
    const Value index{.kind = ValueKind::kInt, .traits = Bit(Trait::kConstant)};
    Items pair{.is_exact = true, .items = {index, element}, .element = element};
    return values().SequenceOf(values().Sequence(std::move(pair)));
  }
  if ((name == "builtins.max" || name == "builtins.min") && arguments.size() == 2 &&
      arguments[1].keyword == "key") {
    Value element = ElementOf(argument(0));
    if (element.kind == ValueKind::kSequence) element = ElementOf(element);
    if (IsTensorLike(element)) {
      RecordArguments(arguments, Record(FactKind::kCall, &expr, name, element));
    }
    return ElementOf(argument(0));
  }
  if (name == "builtins.set" || name == "builtins.frozenset") {
    return values().Sequence({.element = ElementOf(argument(0)), .form = Items::Form::kHashed});
  }
  if (name == "builtins.sum" || name == "builtins.map") {
    const size_t iterable = name == "builtins.sum" ? 0 : 1;
    if (iterable < expr.arguments.size()) {
      RecordItems(*expr.arguments[iterable].value, argument(iterable), FactUse::kFor);
    }
    return std::nullopt;
  }
  if (name == "builtins.type" && arguments.size() == 1) return ClassOf(argument(0));
  if (name == "itertools.count") {
    const Value number{.kind = ValueKind::kInt};
    return values().Sequence({.element = number, .form = Items::Form::kCounter});
  }
  if (name == "builtins.next" && !expr.arguments.empty()) {
    const Items* items = values().items(argument(0));
    const Expr& counter = *expr.arguments.front().value;
    const bool is_local = IsName(&counter) && scope_.Find(counter.text) != nullptr;
    if (items == nullptr || items->form != Items::Form::kCounter || is_local) return std::nullopt;
    const Value number = items->element;
    Record(FactKind::kCall, &expr, "itertools.count.__next__", argument(0));
    return number;
  }
  if (name == "builtins.str" && IsNumber(argument(0)) && argument(0).Has(Trait::kFromSize)) {
    Record(FactKind::kText, &expr, {}, argument(0));
  }
  if ((name == "builtins.any" || name == "builtins.all") && !arguments.empty()) {
    const Items* items = values().items(argument(0));
    const Value element = items != nullptr ? items->element : argument(0);
    if (IsTensorLike(element)) Record(FactKind::kTruth, &expr, {}, element).use = FactUse::kNone;
    return std::nullopt;
  }
  if (name == "builtins.zip") {
    Items row{.is_exact = true};
    for (size_t i = 0; i < arguments.size(); ++i) {
      row.items.push_back(ElementOf(arguments[i].value));
      if (i >= expr.arguments.size()) continue;
      RecordItems(*expr.arguments[i].value, arguments[i].value, FactUse::kFor);
    }
    if (!row.items.empty()) row.element = row.items.front();
    for (const Value& item : row.items) row.element = values().Join(row.element, item);
    return values().SequenceOf(values().Sequence(std::move(row)));
  }
  if (name == "builtins.range") {
    Value count{.kind = ValueKind::kInt};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Expr* place = i < expr.arguments.size() ? expr.arguments[i].value : &expr;
      AskNumber(place, arguments[i].value, FactUse::kRange);
      if (arguments[i].value.Has(Trait::kFromData)) count.Add(Trait::kFromData);
    }
    count.Add(Trait::kConstant);
    Fact& fact = Record(FactKind::kCall, &expr, name, {});
    fact.certainty = 100;
    RecordArguments(arguments, fact);
    return values().SequenceOf(count);
  }
  if (name == "builtins.dict") return values().Mapping(argument(0));
  if (name == "builtins.getattr" && expr.arguments.size() >= 2) {
    const Expr& key = *expr.arguments[1].value;
    const Value base = argument(0);
    const bool has_attributes = base.kind == ValueKind::kModule || base.kind == ValueKind::kObject;
    const bool is_outside = base.kind == ValueKind::kOutside && !values().name(base).empty();
    if (key.kind != PythonExprKind::kString || key.text.size() <= 2 ||
        !(has_attributes || is_outside)) {
      return Value{};
    }
    const std::string_view attribute = key.text.substr(1, key.text.size() - 2);
    if (is_outside) {
      const Value value = OutsideValue(values().Dotted(values().name(base), attribute));
      // None is for releases that lack it.
      const bool has_other = arguments.size() > 2 && argument(2).kind != ValueKind::kNone;
      return has_other ? values().Join(value, argument(2)) : value;
    }
    const Value* value = engine_.Attribute(values().class_of(base), attribute);
    if (value != nullptr) {
      return arguments.size() > 2 ? values().Join(*value, argument(2)) : *value;
    }
    if (base.Has(Trait::kConfig)) {
      return MakeValue(ValueKind::kUnknown, Bit(Trait::kConfig) | Bit(Trait::kConstant));
    }
    return Value{};
  }
  if (HoldsModules(name)) {
    Items items{.is_module = true};
    items.is_called_in_order = name.ends_with("Sequential");
    const Value first = argument(0);
    const Items* given = values().items(first);
    if (!items.is_called_in_order) {
      if (given != nullptr) {
        items.items = given->items;
        items.element = given->element;
        items.is_exact = given->is_exact;
        // A list that is empty now may be filled later.
        if (items.is_exact && items.items.empty()) items.is_exact = false;
      }
    } else {
      items.is_exact = true;
      for (const PassedValue& one : arguments) {
        if (one.stars != 0) items.is_exact = false;
        items.items.push_back(one.value);
        items.element =
            items.items.size() == 1 ? one.value : values().Join(items.element, one.value);
      }
      if (!items.is_exact) items.items.clear();
    }
    Value value = values().Sequence(std::move(items));
    if (name.ends_with("Dict")) value.kind = ValueKind::kMapping;
    return value;
  }
  if (name == "torch.nn.Parameter" || name == "torch.nn.parameter.Parameter") {
    Value value = argument(0);
    value.kind = ValueKind::kTensor;
    value.certainty = 100;
    value.Add(Trait::kStored);
    value.Remove(Trait::kMade);
    Fact& fact = Record(FactKind::kCall, &expr, "torch.nn.Parameter", {});
    fact.certainty = 100;
    RecordArguments(arguments, fact);
    return value;
  }
  if (name == kCompileName) {
    engine_.NoteCompiled(context_, argument(0), IsWhole(expr));
    Fact& fact = Record(FactKind::kCall, &expr, name, {});
    fact.certainty = 100;
    RecordArguments(arguments, fact);
    return argument(0);
  }
  if (name == "functools.partial" && !arguments.empty()) return argument(0);
  if (name.ends_with("checkpoint.checkpoint") || name == "torch.utils.checkpoint.checkpoint") {
    if (arguments.empty()) return Value{};
    PassedValues rest(arguments.begin() + 1, arguments.end());
    llvm::erase_if(rest, [](const PassedValue& one) { return !one.keyword.empty(); });
    return CallValue(expr, argument(0), rest);
  }
  if (name == "super().outside" || name == "super()") return Value{};
  return std::nullopt;
}

}  // namespace shapewise
