// The results of functions, classes and attributes of other packages: torch, numpy, Python's own.

#ifndef SHAPEWISE_SOURCE_OUTSIDE_H_
#define SHAPEWISE_SOURCE_OUTSIDE_H_

#include <cstdint>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "source/value.h"

namespace shapewise {

/// A call of something outside of the project.
struct OutsideCall {
  std::string_view name;  ///< "torch.arange"; for a method "torch.Tensor.view"
  Value subject;          ///< the receiver of a method; unknown for a function
  llvm::ArrayRef<Value> arguments;
  llvm::ArrayRef<std::string_view> keywords;  ///< of `arguments`; empty: positional
};

/// The result of a call, and how it uses its arguments.
struct OutsideEffect {
  /// The kind and traits of the result; its certainty is that of the values it is derived from.
  /// Elements of sequences are described by `element`.
  Value result;
  Value element;  ///< of a sequence of results: torch.split, unbind, where(c)
  /// The class of the result if it is an object, by its dotted name: "torch.nn.LSTM",
  /// "logging.Logger"; its methods are looked up as EffectOf("logging.Logger.warning"), and a call
  /// of it as EffectOf("torch.nn.LSTM.__call__"). Lives as long as the program; empty: none.
  std::string_view type;
  /// Bit i: argument i must be a Python number: a tensor there is read.
  uint32_t number_arguments = 0;
  bool is_size = false;   ///< those numbers are sizes of a tensor
  bool is_known = false;  ///< the name is in the tables
};

/// The effect of the call. Unknown torch functions return a tensor with low certainty if a tensor
/// is passed; otherwise nothing is known. Pure; thread-safe.
OutsideEffect EffectOf(const OutsideCall& call);

/// The value of an attribute of a value outside of the project: tensor.shape, tensor.T,
/// tensor.dtype, array.size, config.hidden_size. Use MethodName for methods.
Value AttributeOf(const Value& subject, std::string_view name);

/// The dotted name of a method of a value of this kind: "torch.Tensor.item", "numpy.ndarray.item",
/// "list.append", "str.format"; empty if the kind has no such method. The view lives as long as the
/// program or as `name`'s pool does: it is `prefix` and `name` joined, interned.
std::string_view MethodName(ValueKind kind, std::string_view name);

/// The value of a dotted name other than a function: "math.pi" is a constant float; "torch.bool" is
/// kOutside with Trait::kMask, "torch.long" with kIntegers: EffectOf treats them as dtypes.
/// Anything else is kOutside. `ref` stays 0.
Value ValueOfName(std::string_view dotted);

/// The value described by an annotation with this dotted name: "torch.LongTensor" is a tensor of
/// integers, "int" an int; unknown for other names. The flow handles "Optional", "|" and generics.
Value ValueOfType(std::string_view dotted);

/// The likely value of an argument without annotation, by its name; kUnknown if the name is not
/// typical.
Value GuessByName(std::string_view name);

/// The standard name of a function with several names: "torch.nn.functional.sigmoid" is
/// "torch.sigmoid", "numpy.float32" stays. Other names are returned unchanged.
std::string_view CanonicalName(std::string_view dotted);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_OUTSIDE_H_
