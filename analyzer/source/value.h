// What is known about a Python value without running the code.

#ifndef SHAPEWISE_SOURCE_VALUE_H_
#define SHAPEWISE_SOURCE_VALUE_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// The kind of a value, as far as the code shows it.
enum class ValueKind : uint8_t {
  kUnknown,  ///< could be anything
  kNone,
  kBool,      ///< `ref`: which one
  kInt,       ///< `ref`: which one, if it is a default
  kFloat,     ///< the same
  kText,      ///< str or bytes; `ref`: its contents
  kTensor,    ///< torch.Tensor, nn.Parameter
  kArray,     ///< a numpy array or numpy scalar
  kShape,     ///< torch.Size
  kSequence,  ///< list, tuple or set; `ref`: its contents
  kMapping,   ///< dict
  kModule,    ///< an nn.Module; `ref`: its class, if in the project
  kObject,    ///< another object: a configuration, a cache; `ref`: its class, if in the project
  kClass,     ///< a class of the project: `ref`
  kFunction,  ///< a function of the project: `ref`
  kMethod,    ///< a function of the project bound to an object: `ref`
  kOutside,   ///< a module, function, class or object of another package; `ref`: its dotted name
};

/// Names of the kinds in rule files: "tensor", "int" ...
std::string_view ValueKindName(ValueKind kind);

/// Further properties of a value.
enum class Trait : uint16_t {
  kFromData = 1 << 0,     ///< a number, bool or text read from a tensor
  kFromSize = 1 << 1,     ///< a number computed from sizes of tensors
  kMask = 1 << 2,         ///< a tensor or array of bools
  kIntegers = 1 << 3,     ///< a tensor of integers
  kOneElement = 1 << 4,   ///< a tensor without dims
  kUnknownSize = 1 << 5,  ///< a tensor whose size depends on data
  kStored = 1 << 6,       ///< a parameter, a buffer or an attribute of the module
  kArgument = 1 << 7,     ///< an unchanged argument of the root
  kOptional = 1 << 8,     ///< may be None
  kConstant = 1 << 9,     ///< the same at every call: a literal in the code; of an array: a float
                          ///< of plain numbers, which int() gives back without a break
  kConfig = 1 << 10,      ///< read from a configuration
  kMade = 1 << 11,        ///< created in the region: not an input of the graph
  kGuessed = 1 << 12,     ///< assumed to be a tensor only because of its name or place
  kSparseOrNested = 1 << 13,
  kSeesObjects = 1 << 14,  ///< a lambda that uses tensors, arrays or modules from outside
  kExtra = 1 << 15,        ///< an optional argument of a root that requires another tensor
};

/// The name of a trait in rules.
std::string_view TraitName(Trait trait);

/// The bit of a trait in a set.
constexpr uint16_t Bit(Trait trait) { return static_cast<uint16_t>(trait); }

/// A value as far as it is known. Small, and passed by value.
struct Value {
  ValueKind kind = ValueKind::kUnknown;
  uint8_t certainty = 100;  ///< per cent: certainty of the kind
  uint16_t traits = 0;      ///< Trait
  uint32_t ref = 0;         ///< depends on `kind`; 0: not known
  uint16_t under = 0;       ///< RunCondition (fact.h) without which it has another, harmless kind

  bool Has(Trait trait) const { return (traits & Bit(trait)) != 0; }
  /// Adds traits.
  template <typename... Traits>
  void Add(Traits... more) {
    traits = static_cast<uint16_t>(traits | (Bit(more) | ...));
  }
  /// Removes traits.
  template <typename... Traits>
  void Remove(Traits... less) {
    traits = static_cast<uint16_t>(traits & ~(Bit(less) | ...));
  }
  bool IsTensor() const { return kind == ValueKind::kTensor; }

  friend bool operator==(const Value&, const Value&) = default;
};

/// A Python int, float or bool.
inline bool IsNumber(const Value& value) {
  return value.kind == ValueKind::kInt || value.kind == ValueKind::kFloat ||
         value.kind == ValueKind::kBool;
}

/// Whether `ref` refers to the contents of the value: of a number, a bool or a text.
inline bool HasContents(const Value& value) {
  return IsNumber(value) || value.kind == ValueKind::kText;
}

/// `value`, of which only the kind is known if it is a number, a bool or a text.
inline Value WithoutContents(Value value) {
  if (HasContents(value)) value.ref = 0;
  return value;
}

/// A value of a kind, with traits combined by Bit.
constexpr Value MakeValue(ValueKind kind, int traits = 0, uint8_t certainty = 100) {
  return {.kind = kind, .certainty = certainty, .traits = static_cast<uint16_t>(traits)};
}

/// Traits that a change of dtype resets.
inline constexpr int kDtypeTraits = Bit(Trait::kMask) | Bit(Trait::kIntegers);

/// A tensor or an array.
inline bool IsTensorLike(const Value& value) {
  return value.kind == ValueKind::kTensor || value.kind == ValueKind::kArray;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_VALUE_H_
