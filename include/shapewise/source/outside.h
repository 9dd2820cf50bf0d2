// What functions, classes and attributes of other packages give: torch, numpy, Python's own.

#ifndef SHAPEWISE_SOURCE_OUTSIDE_H_
#define SHAPEWISE_SOURCE_OUTSIDE_H_

#include <cstdint>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/source/value.h"

namespace shapewise {

/// A call of something outside of the project.
struct OutsideCall {
  std::string_view name;  ///< "torch.arange"; of a method "torch.Tensor.view"
  Value subject;          ///< the receiver of a method; unknown for a function
  llvm::ArrayRef<Value> arguments;
  llvm::ArrayRef<std::string_view> keywords;  ///< of `arguments`; empty: positional
};

/// What a call gives, and what it does with its arguments.
struct OutsideEffect {
  /// The kind and traits of the result; certainty is that of what it rests on. Elements of
  /// sequences are told by `element`.
  Value result;
  Value element;  ///< of a sequence of results: torch.split, unbind, where(c)
  /// The class of the result where it is an object, by its dotted name: "torch.nn.LSTM",
  /// "logging.Logger"; a method of it is EffectOf("logging.Logger.warning"), and calling it
  /// EffectOf("torch.nn.LSTM.__call__"). Lives as long as the program; empty: none.
  std::string_view type;
  uint32_t number_arguments =
      0;                  ///< bit i: argument i has to be a Python number: a tensor there is read
  bool is_size = false;   ///< those numbers are sizes of a tensor
  bool is_known = false;  ///< the name is in the tables
};

/// What the call does. Unknown names of torch give a tensor at low certainty if a tensor goes in,
/// else nothing is known. Pure; safe from any thread.
OutsideEffect EffectOf(const OutsideCall& call);

/// What an attribute of a value outside of the project holds: tensor.shape, tensor.T, tensor.dtype,
/// array.size, config.hidden_size. Methods are named by MethodName instead.
Value AttributeOf(const Value& subject, std::string_view name);

/// The dotted name of a method of a value of this kind: "torch.Tensor.item", "numpy.ndarray.item",
/// "list.append", "str.format"; empty where the kind has no such method. The view lives as long as
/// the program or as `name`'s pool does: it is `prefix` and `name` joined, interned.
std::string_view MethodName(ValueKind kind, std::string_view name);

/// What a dotted name holds that is no function: "math.pi" is a constant float; "torch.bool" is
/// kOutside with Trait::kMask, "torch.long" with kIntegers: EffectOf takes them for dtypes.
/// Anything else is kOutside. `ref` stays 0.
Value ValueOfName(std::string_view dotted);

/// What an annotation stands for, by its dotted name: "torch.LongTensor" is a tensor of integers,
/// "int" an int; unknown where the name says nothing. "Optional", "|" and generics are the flow's
/// to take apart.
Value ValueOfType(std::string_view dotted);

/// What an argument without annotation is taken for by its name; kUnknown where the name says
/// nothing.
Value GuessByName(std::string_view name);

/// The standard name of what has several: "torch.nn.functional.sigmoid" is "torch.sigmoid",
/// "numpy.float32" stays. A name without another is itself.
std::string_view CanonicalName(std::string_view dotted);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_OUTSIDE_H_
