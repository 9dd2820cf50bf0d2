// What is known of a value of Python's without running it.

#ifndef SHAPEWISE_SOURCE_VALUE_H_
#define SHAPEWISE_SOURCE_VALUE_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// What a value is, as far as the code shows.
enum class ValueKind : uint8_t {
  kUnknown,  ///< could be anything
  kNone,
  kBool,
  kInt,
  kFloat,
  kText,      ///< str or bytes
  kTensor,    ///< torch.Tensor, nn.Parameter
  kArray,     ///< a numpy array or numpy scalar
  kShape,     ///< torch.Size
  kSequence,  ///< list, tuple or set; `ref` names what is in it
  kMapping,   ///< dict
  kModule,    ///< an nn.Module; `ref`: its class, where the project has it
  kObject,    ///< another object: a configuration, a cache; `ref`: its class, where the project has
              ///< it
  kClass,     ///< a class of the project: `ref`
  kFunction,  ///< a function of the project: `ref`
  kMethod,    ///< a function of the project bound to an object: `ref`
  kOutside,   ///< a module, function, class or object of another package; `ref`: its dotted name
};

/// Names of the kinds, as rule files write them: "tensor", "int" ...
std::string_view ValueKindName(ValueKind kind);

/// More that is known of a value.
enum class Trait : uint16_t {
  kFromData = 1 << 0,     ///< a number, bool or text that was read out of a tensor
  kFromSize = 1 << 1,     ///< a number made of sizes of tensors
  kMask = 1 << 2,         ///< a tensor or array of bools
  kIntegers = 1 << 3,     ///< a tensor of integers
  kOneElement = 1 << 4,   ///< a tensor without dims
  kUnknownSize = 1 << 5,  ///< a tensor whose size depends on data
  kStored = 1 << 6,       ///< a parameter, a buffer or an attribute of the module
  kArgument = 1 << 7,     ///< came in as an argument of the root, as it was
  kOptional = 1 << 8,     ///< may be None
  kConstant = 1 << 9,     ///< the same at every call: written in the code
  kConfig = 1 << 10,      ///< read from a configuration
  kMade = 1 << 11,        ///< made in the region: not an input of the graph
  kGuessed = 1 << 12,     ///< taken for a tensor by its name or place alone
  kSparseOrNested = 1 << 13,
  kSeesObjects = 1 << 14,  ///< a lambda that uses tensors, arrays or modules of where it was made
};

/// The word of a trait, as rules ask for it.
std::string_view TraitName(Trait trait);

/// The place of a trait in a set of them.
constexpr uint16_t Bit(Trait trait) { return static_cast<uint16_t>(trait); }

/// A value as far as it is known. Small: it is passed by value.
struct Value {
  ValueKind kind = ValueKind::kUnknown;
  uint8_t certainty = 100;  ///< per cent: how sure the kind is
  uint16_t traits = 0;      ///< Trait
  uint32_t ref = 0;         ///< what `kind` says; 0: not known
  uint16_t under = 0;       ///< RunCondition (fact.h) without which it is of another, harmless kind

  bool Has(Trait trait) const { return (traits & static_cast<uint16_t>(trait)) != 0; }
  bool IsTensor() const { return kind == ValueKind::kTensor; }

  friend bool operator==(const Value&, const Value&) = default;
};

/// An int, a float or a bool of Python.
inline bool IsNumber(const Value& value) {
  return value.kind == ValueKind::kInt || value.kind == ValueKind::kFloat ||
         value.kind == ValueKind::kBool;
}

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_VALUE_H_
