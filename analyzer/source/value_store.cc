#include "source/value_store.h"

#include <algorithm>
#include <utility>

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

// The highest bits of a reference select its table.
constexpr uint32_t kNamed = 1u << 31;       // a name outside of the project
constexpr uint32_t kChoice = 1u << 30;      // one of several values
constexpr uint32_t kModuleFile = 1u << 29;  // a module of the project
constexpr uint32_t kNumber = kModuleFile - 1;

// References of bools.
constexpr uint32_t kFalse = 1;
constexpr uint32_t kTrue = 2;

constexpr size_t kMaxChoices = 8;
constexpr size_t kMaxExactItems = 16;
// Maximum nesting of lists; deeper values are unknown, so that a loop that wraps a value again and
// again terminates.
constexpr int kMaxValueDepth = 8;

// Factor, in per cent, for the certainty of a tensor that may also be something unknown, or a
// number.
constexpr uint32_t kOrUnknown = 70;
constexpr uint32_t kOrNumber = 60;
// ... or a constant: what a name begins with, mostly.
constexpr uint32_t kOrConstant = 80;

bool IsCallable(const Value& value) {
  return value.kind == ValueKind::kModule || value.kind == ValueKind::kFunction ||
         value.kind == ValueKind::kMethod || value.kind == ValueKind::kClass ||
         (value.kind == ValueKind::kOutside);
}

uint8_t Scaled(uint8_t certainty, uint32_t per_cent) {
  return static_cast<uint8_t>(certainty * per_cent / 100);
}

/// Traits of a value with the same kind on both paths.
uint16_t JoinTraits(const Value& a, const Value& b) {
  constexpr uint16_t kAny = Bit(Trait::kFromData) | Bit(Trait::kFromSize) | Bit(Trait::kOptional) |
                            Bit(Trait::kUnknownSize) | Bit(Trait::kConfig) | Bit(Trait::kGuessed);
  return static_cast<uint16_t>((a.traits & b.traits) | ((a.traits | b.traits) & kAny));
}

}  // namespace

std::optional<double> NumberIn(std::string_view digits) {
  double number = 0;
  if (llvm::StringRef(digits).getAsDouble(number)) return std::nullopt;
  return number;
}

size_t HashOf(const Value& value) {
  const uint64_t fields = static_cast<uint64_t>(value.kind) << 56 |
                          static_cast<uint64_t>(value.certainty) << 48 |
                          static_cast<uint64_t>(value.traits) << 32 | value.ref;
  return MixHash(fields, value.under);
}

size_t HashOf(llvm::ArrayRef<Value> values) {
  size_t hash = values.size();
  for (const Value& value : values) hash = MixHash(hash, HashOf(value));
  return hash;
}

void PlacedStrings::Grow() {
  num_new_ = 0;
  if (num_bits_ == kMostBits) return;
  num_bits_ = num_bits_ == 0 ? kFewestBits : num_bits_ + 2;
  const std::vector<Recent> before =
      std::exchange(recent_, std::vector<Recent>(size_t{1} << num_bits_));
  for (const Recent& recent : before) {
    if (recent.data != nullptr) PlaceOf(recent.data) = recent;
  }
}

Value ValueStore::Sequence(Items items) {
  if (items.is_exact && items.items.size() > kMaxExactItems) {
    items.is_exact = false;
    items.items.clear();
  }
  const auto depth_of = [&](const Value& value) {
    const Items* inner = this->items(value);
    return inner != nullptr ? inner->depth : 0;
  };
  int depth = depth_of(items.element);
  for (const Value& item : items.items) depth = std::max<int>(depth, depth_of(item));
  if (depth >= kMaxValueDepth) {
    items.is_exact = false;
    items.items.clear();
    items.element = {};
    depth = 0;
  }
  items.depth = static_cast<uint8_t>(depth + 1);
  size_t hash = llvm::hash_combine(items.is_exact, items.is_module, items.is_called_in_order,
                                   items.form, HashOf(items.items), HashOf(items.element));
  Value value{.kind = ValueKind::kSequence};
  value.ref = items_.NumberOf(std::move(items), hash);
  return value;
}

Value ValueStore::SequenceOf(Value element) { return Sequence({.element = element}); }

Value ValueStore::Mapping(Value element) {
  Value value = SequenceOf(element);
  value.kind = ValueKind::kMapping;
  return value;
}

Value ValueStore::Outside(std::string_view dotted) {
  return {.kind = ValueKind::kOutside,
          .ref = kNamed | static_cast<uint32_t>(names_->Intern(dotted))};
}

Value ValueStore::ProjectModule(FileId file) {
  return {.kind = ValueKind::kOutside, .ref = kModuleFile | file};
}

Value ValueStore::Method(Callable callable) {
  const size_t hash =
      llvm::hash_combine(callable.function, HashOf(callable.self), callable.local, callable.lambda,
                         callable.scope, callable.within, callable.file);
  Value value{.kind = ValueKind::kMethod};
  value.ref = callables_.NumberOf(callable, hash);
  return value;
}

Value ValueStore::Function(FunctionId function) {
  return {.kind = ValueKind::kFunction, .ref = function + 1};
}

Value ValueStore::Class(ClassId id) { return {.kind = ValueKind::kClass, .ref = id + 1}; }

Value ValueStore::Object(ClassId id, bool is_module) {
  return {.kind = is_module ? ValueKind::kModule : ValueKind::kObject, .ref = id + 1};
}

Value ValueStore::OutsideObject(std::string_view class_name, bool is_module) {
  Value value{.kind = is_module ? ValueKind::kModule : ValueKind::kObject};
  if (!class_name.empty()) value.ref = kNamed | static_cast<uint32_t>(names_->Intern(class_name));
  return value;
}

const Items* ValueStore::items(const Value& value) const {
  const bool has_items = value.kind == ValueKind::kSequence || value.kind == ValueKind::kMapping;
  if (!has_items || value.ref == 0 || (value.ref & ~kNumber) != 0) return nullptr;
  return &items_[value.ref];
}

const Callable* ValueStore::callable(const Value& value) const {
  if (value.kind != ValueKind::kMethod || value.ref == 0 || (value.ref & ~kNumber) != 0) {
    return nullptr;
  }
  return &callables_[value.ref];
}

std::string_view ValueStore::name(const Value& value) const {
  const bool has_name = value.kind == ValueKind::kOutside || value.kind == ValueKind::kModule ||
                        value.kind == ValueKind::kObject;
  if (!has_name || (value.ref & kNamed) == 0) return {};
  return names_->text(static_cast<StrId>(value.ref & kNumber));
}

Value ValueStore::Bool(bool is_true) {
  return {
      .kind = ValueKind::kBool, .traits = Bit(Trait::kConstant), .ref = is_true ? kTrue : kFalse};
}

std::optional<Value> ValueStore::Literal(const Expr& expr) {
  switch (expr.kind) {
    case PythonExprKind::kInteger:
      return MakeValue(ValueKind::kInt, Bit(Trait::kConstant));
    case PythonExprKind::kFloat:
      return MakeValue(ValueKind::kFloat, Bit(Trait::kConstant));
    case PythonExprKind::kString:
      if (const std::optional<std::string_view> text = PlainText(expr.text)) return Text(*text);
      return MakeValue(ValueKind::kText, Bit(Trait::kConstant));
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse:
      return Bool(expr.kind == PythonExprKind::kTrue);
    case PythonExprKind::kNone:
      return Value{.kind = ValueKind::kNone};
    default:
      return std::nullopt;
  }
}

Value ValueStore::Text(std::string_view contents) {
  Value value{.kind = ValueKind::kText, .traits = Bit(Trait::kConstant)};
  value.ref = kNamed | static_cast<uint32_t>(placed_.Intern(contents));
  return value;
}

Value ValueStore::NumberOf(Value number, std::string_view digits) {
  number.ref = kNamed | static_cast<uint32_t>(names_->Intern(digits));
  return number;
}

std::optional<double> ValueStore::number_of(const Value& value) const {
  if (const std::optional<bool> truth = truth_of(value)) return *truth ? 1 : 0;
  if (!IsNumber(value) || value.ref == 0) return std::nullopt;
  return NumberIn(names_->text(static_cast<StrId>(value.ref & kNumber)));
}

std::optional<bool> ValueStore::truth_of(const Value& value) {
  if (value.kind != ValueKind::kBool || value.ref == 0) return std::nullopt;
  return value.ref == kTrue;
}

std::optional<std::string_view> ValueStore::text_of(const Value& value) const {
  if (value.kind != ValueKind::kText || value.ref == 0) return std::nullopt;
  return names_->text(static_cast<StrId>(value.ref & kNumber));
}

FileId ValueStore::project_module(const Value& value) const {
  const bool is_one = value.kind == ValueKind::kOutside && (value.ref & ~kNumber) == kModuleFile;
  return is_one ? value.ref & kNumber : kNoId;
}

ClassId ValueStore::class_of(const Value& value) const {
  const bool has_class = value.kind == ValueKind::kClass || value.kind == ValueKind::kModule ||
                         value.kind == ValueKind::kObject;
  if (!has_class || value.ref == 0 || (value.ref & ~kNumber) != 0) return kNoId;
  return value.ref - 1;
}

FunctionId ValueStore::function_of(const Value& value) const {
  if (value.kind != ValueKind::kFunction || value.ref == 0) return kNoId;
  return (value.ref & ~kNumber) != 0 ? kNoId : value.ref - 1;
}

bool ValueStore::IsChoice(const Value& value) const {
  return (IsCallable(value) || value.kind == ValueKind::kObject) &&
         (value.ref & ~kNumber) == kChoice;
}

llvm::SmallVector<Value, 4> ValueStore::Alternatives(const Value& value) const {
  if (!IsChoice(value)) return {value};
  llvm::SmallVector<Value, 4> found;
  for (Value one : choices_[value.ref & kNumber]) {
    one.under = static_cast<uint16_t>(one.under | value.under);
    found.push_back(one);
  }
  return found;
}

Value ValueStore::Choice(const Value& a, const Value& b) {
  std::vector<Value> values;
  for (const Value& side : {a, b}) {
    for (const Value& one : Alternatives(side)) {
      if (std::ranges::find(values, one) == values.end()) values.push_back(one);
    }
  }
  if (values.size() > kMaxChoices) values.resize(kMaxChoices);
  Value value{.kind = IsCallable(a) || a.kind == b.kind ? a.kind : b.kind};
  // A choice is of a kind that can be called, whatever else may be among its values.
  const size_t hash = HashOf(values);
  value.ref = kChoice | choices_.NumberOf(std::move(values), hash);
  value.certainty = std::min(a.certainty, b.certainty);
  value.traits = (a.traits | b.traits) & Bit(Trait::kOptional);
  return value;
}

Value ValueStore::Join(const Value& a, const Value& b) {
  if (a == b) return a;
  Value joined = JoinOfKinds(a, b);
  // A harmless value of one path keeps that trait only under the conditions of that path.
  const bool same_kind = a.kind == b.kind;
  joined.under = same_kind ? static_cast<uint16_t>(a.under & b.under)
                           : (joined.kind == a.kind ? a.under : b.under);
  return joined;
}

Value ValueStore::WithElement(const Value& container, const Value& added, bool is_new) {
  Items all;
  if (const Items* known = items(container)) all = *known;
  is_new |= all.is_exact && all.items.empty();
  all.is_exact = false;
  all.items.clear();
  all.element = is_new ? added : Join(all.element, added);
  return Sequence(std::move(all));
}

uint32_t ValueStore::JoinItems(uint32_t left_ref, uint32_t right_ref) {
  // Items may share parts, which share parts themselves: join each pair of them only once.
  const auto known = joined_items_.find({left_ref, right_ref});
  if (known != joined_items_.end()) return known->second;
  const Items& left = items_[left_ref];
  const Items& right = items_[right_ref];
  Items merged = left;
  if (left.form != right.form) merged.form = Items::Form::kPlain;
  if (left.is_exact && right.is_exact && left.items.size() == right.items.size()) {
    for (size_t i = 0; i < right.items.size(); ++i) {
      merged.items[i] = Join(left.items[i], right.items[i]);
    }
  } else {
    merged.is_exact = false;
    merged.items.clear();
  }
  const bool left_is_empty = left.is_exact && left.items.empty();
  const bool right_is_empty = right.is_exact && right.items.empty();
  if (left_is_empty) {
    merged.element = right.element;
  } else if (!right_is_empty) {
    merged.element = Join(left.element, right.element);
  }
  const uint32_t ref = Sequence(std::move(merged)).ref;
  joined_items_[{left_ref, right_ref}] = ref;
  return ref;
}

Value ValueStore::JoinOfKinds(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    Value joined = a;
    joined.traits = JoinTraits(a, b);
    joined.certainty = std::min(a.certainty, b.certainty);
    if (a.ref == b.ref) return joined;
    const auto is_of_project = [&](const Value& value) {
      return value.kind == ValueKind::kObject && (class_of(value) != kNoId || IsChoice(value));
    };
    if (IsCallable(a) || (is_of_project(a) && is_of_project(b))) return Choice(a, b);
    const Items* left = items(a);
    const Items* right = items(b);
    joined.ref = 0;
    if (HasContents(a)) return joined;
    if (left == nullptr || right == nullptr) {
      // An empty list that is filled later shows nothing about its items.
      joined.ref = left != nullptr ? a.ref : b.ref;
      return joined;
    }
    joined.ref = JoinItems(a.ref, b.ref);
    return joined;
  }
  // For different kinds, the one that matters more to graph compilation.
  const auto rank = [](const Value& value) {
    switch (value.kind) {
      case ValueKind::kTensor:
        return 6;
      case ValueKind::kArray:
        return 5;
      case ValueKind::kModule:
      case ValueKind::kFunction:
      case ValueKind::kMethod:
      case ValueKind::kClass:
        return 4;
      case ValueKind::kSequence:
      case ValueKind::kMapping:
        return 3;
      case ValueKind::kUnknown:
        return 2;
      case ValueKind::kNone:
        return 0;
      default:
        return 1;
    }
  };
  const Value& main = rank(a) >= rank(b) ? a : b;
  const Value& other = rank(a) >= rank(b) ? b : a;
  Value joined = main;
  joined.Remove(Trait::kConstant);
  if (other.kind == ValueKind::kNone) {
    joined.Add(Trait::kOptional);
    return joined;
  }
  if (IsCallable(main)) return Choice(main, other);
  if (rank(main) >= 5) {
    // If it is known when the value is the other one, the certainty stays the same.
    if (main.under != 0 && other.kind != ValueKind::kUnknown) return joined;
    const bool is_start = other.Has(Trait::kConstant);
    joined.certainty = Scaled(main.certainty, other.kind == ValueKind::kUnknown ? kOrUnknown
                                              : is_start                        ? kOrConstant
                                                                                : kOrNumber);
    return joined;
  }
  if (rank(main) == 3 && other.kind == ValueKind::kUnknown) return joined;
  const bool is_number = IsNumber(main) && IsNumber(other);
  Value unknown{.kind = is_number ? ValueKind::kFloat : ValueKind::kUnknown};
  unknown.traits = JoinTraits(a, b);
  return unknown;
}

}  // namespace shapewise
