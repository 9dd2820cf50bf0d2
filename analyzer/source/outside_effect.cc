// The result of a call of a known name.

#include <algorithm>
#include <optional>

#include "llvm/ADT/StringRef.h"
#include "source/outside_table.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// Whether `names`, separated by spaces, contains `name`.
bool IsAmong(std::string_view name, std::string_view names) {
  for (llvm::StringRef rest = names; !rest.empty();) {
    const auto [word, others] = rest.split(' ');
    if (word == llvm::StringRef(name)) return true;
    rest = others;
  }
  return false;
}

Value WithTraits(Value value, int traits) {
  value.traits |= static_cast<uint16_t>(traits);
  return value;
}

constexpr int kSizeTraits = Bit(Trait::kUnknownSize) | Bit(Trait::kSparseOrNested);

/// Reads the arguments of one call and computes its result.
class EffectReader {
 public:
  EffectReader(const OutsideCall& call, const OutsideRow& row) : call_(call), row_(row) {
    is_method_ = call.subject.kind != ValueKind::kUnknown ||
                 call.name.starts_with("torch.Tensor.") || call.name.starts_with("numpy.ndarray.");
    for (size_t i = 0; i < call.arguments.size() && IsPositional(i); ++i) ++num_positional_;
  }

  OutsideEffect Read() {
    OutsideEffect effect;
    effect.is_known = true;
    ReadNumbers(effect);
    if (ReadSeveral(effect)) return effect;
    std::optional<Value> result = ReadTensor();
    if (!result) result = ReadPlain(effect);
    if (!result) result = ReadPython(effect);
    effect.result = result.value_or(Value());
    return effect;
  }

 private:
  bool IsPositional(size_t i) const {
    return i >= call_.keywords.size() || call_.keywords[i].empty();
  }

  /// The positional argument `i`, not counting the receiver; null: not given.
  const Value* Positional(size_t i) const {
    return i < num_positional_ ? &call_.arguments[i] : nullptr;
  }

  /// The argument with one of the names in `kKeywords`; null: not given.
  template <WordText kKeywords>
  const Value* Keyword() const {
    for (size_t i = num_positional_; i < call_.arguments.size(); ++i) {
      if (!IsPositional(i) && HasWord<kKeywords>(call_.keywords[i])) return &call_.arguments[i];
    }
    return nullptr;
  }

  /// The value that the call works on.
  Value First() const {
    if (is_method_) return call_.subject;
    if (const Value* first = Positional(0)) return *first;
    const Value* named = Keyword<"input self a x tensors data tensor obj">();
    return named != nullptr ? *named : Value();
  }

  /// The argument after the first one and `skipped` others.
  const Value* AfterFirst(size_t skipped) const {
    return Positional(skipped + (is_method_ ? 0 : 1));
  }

  bool HasDim(size_t skipped) const {
    const Value* dim = Keyword<"dim axis">();
    if (dim == nullptr) dim = AfterFirst(skipped);
    return dim != nullptr && dim->kind != ValueKind::kNone && dim->kind != ValueKind::kBool &&
           dim->kind != ValueKind::kOutside;
  }

  /// Calls `visit` with each argument.
  template <typename Visit>
  void ForEachInput(Visit visit) const {
    if (is_method_) visit(call_.subject);
    for (const Value& value : call_.arguments) visit(value);
  }

  /// Traits of numbers that results computed from them inherit.
  int NumberTraits() const {
    int any = 0;
    int all = Bit(Trait::kConstant);
    bool is_data = false;
    ForEachInput([&](const Value& value) {
      any |= value.traits;
      all &= value.traits;
      is_data |= IsTensorLike(value);
    });
    const int kept = any & (Bit(Trait::kFromData) | Bit(Trait::kFromSize) | Bit(Trait::kConfig));
    return kept | (call_.arguments.empty() ? 0 : all) | (is_data ? Bit(Trait::kFromData) : 0);
  }

  /// Traits of an elementwise result of the tensor arguments.
  int ElementwiseTraits(bool keeps_dtype) const {
    bool has_data = false;
    bool has_integers = false;
    int all = kDtypeTraits | Bit(Trait::kOneElement);
    int any = 0;
    bool is_whole = true;  // all arguments are integers or masks
    ForEachInput([&](const Value& value) {
      if (value.kind == ValueKind::kFloat || value.kind == ValueKind::kUnknown) is_whole = false;
      if (value.kind == ValueKind::kSequence) any |= value.traits;
      if (!IsTensorLike(value)) return;
      has_data = true;
      has_integers |= value.Has(Trait::kIntegers);
      if ((value.traits & kDtypeTraits) == 0) is_whole = false;
      all &= value.traits;
      any |= value.traits;
    });
    if (!has_data) return any & kSizeTraits;
    int traits = (any & (kSizeTraits | Bit(Trait::kGuessed))) | (all & Bit(Trait::kOneElement));
    if (keeps_dtype) {
      traits |= all & Bit(Trait::kMask);
      if (has_integers && is_whole) traits |= Bit(Trait::kIntegers);
    }
    return traits;
  }

  /// kConstant for a NumPy float that is computed from plain numbers alone, else 0.
  int PlainFloatTrait() const {
    bool is_plain = row_.makes == ValueKind::kArray && !call_.arguments.empty();
    bool is_whole = true;
    ForEachInput([&](const Value& value) {
      const bool has_items = value.kind == ValueKind::kSequence || value.kind == ValueKind::kShape;
      is_plain &= !has_items && (!IsTensorLike(value) || value.Has(Trait::kConstant));
      is_whole &= value.kind == ValueKind::kInt || value.Has(Trait::kIntegers);
    });
    const bool is_float = row_.group->gives == Gives::kFloating || !is_whole;
    return is_plain && is_float ? Bit(Trait::kConstant) : 0;
  }

  /// The dtype given by an argument, as traits; null: none is given.
  const Value* DtypeArgument() const {
    if (const Value* dtype = Keyword<"dtype">()) return dtype;
    for (size_t i = 0; i < num_positional_; ++i) {
      if (call_.arguments[i].kind == ValueKind::kOutside) return &call_.arguments[i];
    }
    return nullptr;
  }

  /// `traits` with their dtype replaced by that of an argument, if given.
  int WithDtype(int traits) const {
    const Value* dtype = DtypeArgument();
    if (dtype == nullptr || dtype->kind == ValueKind::kNone) return traits;
    return (traits & ~kDtypeTraits) | (dtype->traits & kDtypeTraits);
  }

  Value WithDtype(Value value) const {
    value.traits = static_cast<uint16_t>(WithDtype(static_cast<int>(value.traits)));
    return value;
  }

  Value Made(int traits) const {
    return MakeValue(row_.makes, traits | Bit(Trait::kMade),
                     is_method_ ? call_.subject.certainty : 100);
  }

  Value LikeFirst(int dropped) const {
    const int kept = (kDtypeTraits | kSizeTraits | Bit(Trait::kOneElement) | Bit(Trait::kGuessed) |
                      Bit(Trait::kConstant)) &
                     ~dropped;
    int sizes = 0;
    ForEachInput([&](const Value& value) { sizes |= value.traits & Bit(Trait::kUnknownSize); });
    return Made((First().traits & kept) | sizes);
  }

  Value Element(int dropped) const { return LikeFirst(dropped | Bit(Trait::kOneElement)); }

  Value Reduced(int traits, size_t skipped) const {
    const Value first = First();
    const bool is_one = first.Has(Trait::kOneElement) || !HasDim(skipped);
    const int kept = first.traits & (Bit(Trait::kGuessed) | Bit(Trait::kSparseOrNested) |
                                     (is_one ? 0 : Bit(Trait::kUnknownSize)));
    return Made(WithDtype(traits | kept) | (is_one ? Bit(Trait::kOneElement) : 0));
  }

  void ReadNumbers(OutsideEffect& effect) const {
    const Numbers& numbers = row_.group->numbers;
    if (numbers.positions == 0 && numbers.keywords.empty()) return;
    effect.is_size = numbers.is_size;
    for (size_t i = 0; i < call_.arguments.size() && i < 32; ++i) {
      const bool asks = IsPositional(i) ? (numbers.positions >> i & 1) != 0
                                        : IsAmong(call_.keywords[i], numbers.keywords);
      if (asks) effect.number_arguments |= uint32_t{1} << i;
    }
  }

  /// The result of a row that returns a tensor or an array; absent: it returns something else.
  std::optional<Value> ReadTensor() const {
    const int integers = Bit(Trait::kIntegers);
    const int mask = Bit(Trait::kMask);
    const int one = Bit(Trait::kOneElement);
    const int unknown_size = Bit(Trait::kUnknownSize);
    const int elementwise_sizes = ElementwiseTraits(false) & ~one;
    switch (row_.group->gives) {
      case Gives::kTensor:
        return Made(WithDtype(elementwise_sizes));
      case Gives::kFilled: {
        const Value* filler = Keyword<"fill_value">();
        if (filler == nullptr) filler = Positional(1);
        const bool is_mask = filler != nullptr && filler->kind == ValueKind::kBool;
        return Made(WithDtype(elementwise_sizes | (is_mask ? mask : 0)));
      }
      case Gives::kIntegers: {
        const bool has_float =
            std::any_of(call_.arguments.begin(), call_.arguments.end(),
                        [](const Value& value) { return value.kind == ValueKind::kFloat; });
        return Made(WithDtype(elementwise_sizes | (has_float ? 0 : integers)));
      }
      case Gives::kMask:
        return Made(ElementwiseTraits(false) | mask);
      case Gives::kElementwise:
        return Made(ElementwiseTraits(true) | PlainFloatTrait());
      case Gives::kRunning: {
        const int traits = ElementwiseTraits(true);
        return Made(WithDtype((traits & mask) != 0 ? (traits & ~mask) | integers : traits));
      }
      case Gives::kFloating:
        return Made(ElementwiseTraits(false) | PlainFloatTrait());
      case Gives::kLike:
        return LikeFirst(0);
      case Gives::kView:
        return LikeFirst(Bit(Trait::kOneElement));
      case Gives::kInPlace:
        return First();
      case Gives::kToFloat:
        return LikeFirst(kDtypeTraits);
      case Gives::kToIntegers:
        return WithTraits(LikeFirst(kDtypeTraits), integers);
      case Gives::kToMask:
        return WithTraits(LikeFirst(kDtypeTraits), mask);
      case Gives::kTo: {
        const Value* other = Positional(0);
        if (other == nullptr || !IsTensorLike(*other)) return WithDtype(LikeFirst(0));
        return WithTraits(LikeFirst(kDtypeTraits), other->traits & kDtypeTraits);
      }
      case Gives::kNumbers:
        return NumbersAsTensor();
      case Gives::kPrototypeResult:
        return WithDtype(Element(0));
      case Gives::kParameter:
        return MakeValue(row_.makes, Bit(Trait::kStored));
      case Gives::kScalar:
        return Made(one | elementwise_sizes);
      case Gives::kLoss:
        return Made(Keyword<"reduction">() == nullptr ? one : elementwise_sizes);
      case Gives::kSparse:
        return Made(Bit(Trait::kSparseOrNested));
      case Gives::kReduce: {
        const Value first = First();
        const bool counts = (first.traits & kDtypeTraits) != 0;
        return Reduced(counts ? integers : 0, 0);
      }
      case Gives::kReduceMask:
        return Reduced(mask, 0);
      case Gives::kReduceIntegers:
        return Reduced(integers, 0);
      case Gives::kReduceAfterOne:
        return Reduced(0, 1);
      case Gives::kUnknownSize:
        return WithTraits(Element(0), unknown_size);
      case Gives::kRepeatEach: {
        const Value* repeats = Keyword<"repeats">();
        if (repeats == nullptr) repeats = AfterFirst(0);
        const bool is_alone = repeats == nullptr && !is_method_;
        const bool is_open = Keyword<"output_size">() == nullptr &&
                             (is_alone || (repeats != nullptr && IsTensorLike(*repeats)));
        return WithTraits(Element(0), is_open ? unknown_size : 0);
      }
      case Gives::kOneHot: {
        const bool is_open = Keyword<"num_classes">() == nullptr && AfterFirst(0) == nullptr;
        return Made(integers | elementwise_sizes | (is_open ? unknown_size : 0));
      }
      default:
        return std::nullopt;
    }
  }

  /// Rows that return several tensors, or one or several; false: the row returns something else.
  bool ReadSeveral(OutsideEffect& effect) const {
    const auto sequence_of = [&](Value element) {
      effect.result = MakeValue(ValueKind::kSequence, element.traits & Bit(Trait::kUnknownSize),
                                element.certainty);
      effect.element = element;
    };
    const int places = Bit(Trait::kIntegers) | Bit(Trait::kUnknownSize);
    switch (row_.group->gives) {
      case Gives::kTensors:
      case Gives::kPair:
        sequence_of(Element(0));
        return true;
      case Gives::kManyTensors:
        sequence_of(Made(0));
        return true;
      case Gives::kNonzero:
        if (Keyword<"as_tuple">() != nullptr) {
          sequence_of(Made(places));
        } else {
          effect.result = Made(places);
        }
        return true;
      case Gives::kUnique: {
        Value values = Element(0);
        values.Add(Trait::kUnknownSize);
        if (Keyword<"return_inverse return_counts return_index">() != nullptr) {
          sequence_of(values);
        } else {
          effect.result = values;
        }
        return true;
      }
      case Gives::kWhere:
        if (call_.arguments.size() <= 1) {
          sequence_of(Made(places));
          return true;
        }
        effect.result = Made(ElementwiseTraits(true));
        return true;
      case Gives::kReduceOrPair: {
        const Value* second = Keyword<"other">();
        if (second == nullptr) second = AfterFirst(0);
        if (second != nullptr && IsTensorLike(*second)) {
          effect.result = Made(ElementwiseTraits(true));
        } else if (HasDim(0)) {
          sequence_of(Element(0));
        } else {
          effect.result = Reduced(First().traits & kDtypeTraits, 0);
        }
        return true;
      }
      default:
        return false;
    }
  }

  /// The result of a row that returns a number, a description of a tensor, an object or a module;
  /// absent: it returns something else. Sets the element and the type of `effect`.
  std::optional<Value> ReadPlain(OutsideEffect& effect) const {
    const Value first = First();
    const int constant = Bit(Trait::kConstant);
    const int from_data = Bit(Trait::kFromData);
    const int from_size = Bit(Trait::kFromSize);
    switch (row_.group->gives) {
      case Gives::kItem: {
        const ValueKind kind = first.Has(Trait::kIntegers) ? ValueKind::kInt
                               : first.Has(Trait::kMask)   ? ValueKind::kBool
                                                           : ValueKind::kFloat;
        return MakeValue(kind, from_data, first.certainty);
      }
      case Gives::kItems:
        effect.element = MakeValue(first.Has(Trait::kMask) ? ValueKind::kBool : ValueKind::kInt,
                                   from_data, first.certainty);
        return MakeValue(ValueKind::kSequence, from_data, first.certainty);
      case Gives::kTruthOfData:
        return MakeValue(ValueKind::kBool, from_data, is_method_ ? first.certainty : 100);
      case Gives::kShapeOrSize:
        effect.element = MakeValue(ValueKind::kInt, from_size, first.certainty);
        return MakeValue(call_.arguments.empty() ? ValueKind::kShape : ValueKind::kInt, from_size,
                         first.certainty);
      case Gives::kShape:
        effect.element = MakeValue(ValueKind::kInt, from_size);
        return MakeValue(ValueKind::kShape, from_size);
      case Gives::kIntFromSize:
        return MakeValue(ValueKind::kInt, from_size, is_method_ ? first.certainty : 100);
      case Gives::kSizes:
        effect.element = MakeValue(ValueKind::kInt, from_size, first.certainty);
        return MakeValue(call_.arguments.empty() ? ValueKind::kSequence : ValueKind::kInt,
                         from_size, first.certainty);
      case Gives::kToArray:
        return MakeValue(ValueKind::kArray,
                         (first.traits & (kDtypeTraits | kSizeTraits | Bit(Trait::kOneElement))) |
                             Bit(Trait::kMade),
                         first.certainty);
      case Gives::kValue:
        return row_.group->value;
      case Gives::kText:
        // A text that a call makes is not written in the code, which Dynamo asks of messages.
        return MakeValue(ValueKind::kText, NumberTraits() & ~constant);
      case Gives::kSequence:
        // A deque of limited length does not grow.
        if (Keyword<"maxlen">() != nullptr) return Value();
        return MakeValue(ValueKind::kSequence, NumberTraits() & ~constant & ~from_data);
      case Gives::kObject:
        effect.type = row_.group->type.empty() ? row_.name : row_.group->type;
        return MakeValue(ValueKind::kObject, Bit(Trait::kMade));
      case Gives::kModule:
      case Gives::kModuleOfLoss:
      case Gives::kModuleOfPair:
      case Gives::kModuleList:
        effect.type = row_.name;
        return MakeValue(ValueKind::kModule);
      case Gives::kFirst:
        return WithTraits(first, IsTensorLike(first) ? Bit(Trait::kMade) : 0);
      default:
        return std::nullopt;
    }
  }

  /// The same for Python's own functions on numbers and collections.
  std::optional<Value> ReadPython(OutsideEffect& effect) const {
    const Value first = First();
    const int from_size = Bit(Trait::kFromSize);
    switch (row_.group->gives) {
      case Gives::kMathFloat:
        return MakeValue(ValueKind::kFloat, NumberTraits());
      case Gives::kMathInt:
        return MakeValue(ValueKind::kInt, NumberTraits());
      case Gives::kMathBool:
        return MakeValue(ValueKind::kBool, NumberTraits());
      case Gives::kAsInt:
        // round(x, digits) stays a float.
        return AsNumber(call_.name == "builtins.round" && call_.arguments.size() > 1
                            ? ValueKind::kFloat
                            : ValueKind::kInt);
      case Gives::kAsFloat:
        return AsNumber(ValueKind::kFloat);
      case Gives::kAsBool:
        return AsNumber(ValueKind::kBool);
      case Gives::kLength: {
        const bool is_fixed = first.kind == ValueKind::kShape || first.kind == ValueKind::kModule ||
                              first.Has(Trait::kConstant);
        return MakeValue(ValueKind::kInt, IsTensorLike(first) ? from_size
                                          : is_fixed          ? Bit(Trait::kConstant)
                                                              : 0);
      }
      case Gives::kExtremum:
        return Extremum();
      case Gives::kCount:
        effect.element = MakeValue(ValueKind::kInt, NumberTraits());
        return MakeValue(ValueKind::kSequence, NumberTraits());
      case Gives::kCollect:
        if (IsTensorLike(first)) {
          effect.element = LikeFirst(Bit(Trait::kOneElement) | Bit(Trait::kUnknownSize));
          effect.element.kind = first.kind;
          effect.element.certainty = first.certainty;
        } else if (first.kind == ValueKind::kShape) {
          effect.element = MakeValue(ValueKind::kInt, from_size);
        }
        return MakeValue(ValueKind::kSequence,
                         first.kind == ValueKind::kSequence ? first.traits : 0,
                         IsTensorLike(first) ? first.certainty : uint8_t{100});
      default:
        return std::nullopt;
    }
  }

  Value NumbersAsTensor() const {
    const Value data = First();
    int traits = data.traits & (kDtypeTraits | kSizeTraits | Bit(Trait::kConstant));
    if (IsNumber(data)) traits |= Bit(Trait::kOneElement);
    if (data.kind == ValueKind::kInt) traits |= Bit(Trait::kIntegers);
    if (data.kind == ValueKind::kBool) traits |= Bit(Trait::kMask);
    if (IsTensorLike(data)) traits |= data.traits & Bit(Trait::kOneElement);
    return Made(WithDtype(traits));
  }

  Value Extremum() const {
    bool has_float = false;
    bool is_number = !call_.arguments.empty();
    uint8_t certainty = 100;
    for (const Value& value : call_.arguments) {
      if (IsTensorLike(value)) {
        return MakeValue(value.kind, ElementwiseTraits(true) | Bit(Trait::kMade), value.certainty);
      }
      has_float |= value.kind == ValueKind::kFloat;
      is_number &= IsNumber(value) || value.kind == ValueKind::kShape;
      certainty = std::min(certainty, value.certainty);
    }
    if (!is_number) return MakeValue(ValueKind::kUnknown, NumberTraits());
    return MakeValue(has_float ? ValueKind::kFloat : ValueKind::kInt, NumberTraits(), certainty);
  }

  Value AsNumber(ValueKind kind) const {
    const Value first = First();
    uint8_t certainty = 100;
    if (IsTensorLike(first)) certainty = first.certainty;
    return MakeValue(kind, NumberTraits(), certainty);
  }

  const OutsideCall& call_;
  const OutsideRow& row_;
  bool is_method_ = false;
  size_t num_positional_ = 0;
};

}  // namespace

OutsideEffect EffectOfRow(const OutsideCall& call, const OutsideRow& row) {
  return EffectReader(call, row).Read();
}

}  // namespace shapewise
