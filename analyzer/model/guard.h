// Guard texts: why an entry of Dynamo's code cache did not match a call.
//
// The only parser for all spellings of guards that PyTorch has printed since 2.0, in recompile
// records, limit warnings, guard dumps and traces.

#ifndef SHAPEWISE_MODEL_GUARD_H_
#define SHAPEWISE_MODEL_GUARD_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// What a guard compares. The names are those of the JSON contract.
enum class GuardClass : uint8_t {
  kSize,          ///< a tensor's size in one dim
  kStride,        ///< a tensor's stride in one dim
  kNdim,          ///< a tensor's number of dims
  kDtype,         ///< a tensor's element type
  kDevice,        ///< a tensor's device index
  kRequiresGrad,  ///< a tensor's requires_grad flag
  kDispatchKeys,  ///< a tensor's dispatch key set: device type, inference mode, subclass
  kSymbolic,      ///< a relation on sizes or symbolic ints: range, divisibility, equality of two
  kZeroOne,       ///< a symbolic bound that exists only because 0 and 1 are specialized
  kInt,           ///< a plain int that was a constant
  kFloat,         ///< a plain float that was a constant, or NaN
  kBool,          ///< True or False
  kStr,           ///< a string constant
  kNone,          ///< None instead of a value, or the reverse
  kLength,        ///< the length of a list, tuple, dict or set
  kKeys,          ///< dict keys, or a missing key or attribute
  kType,          ///< the type of an object
  kIdentity,      ///< the identity of an object; a dead weak reference
  kAliasing,      ///< the same tensor passed twice, or overlapping storage
  kBackend,       ///< a different backend callable
  kGlobalState,   ///< grad mode, autocast, threads, function modes
  kEmpty,         ///< the log printed no reason
  kOther,         ///< anything else; the text is kept
};

/// The number of guard classes, for tables indexed by class.
inline constexpr size_t kNumGuardClasses = static_cast<size_t>(GuardClass::kOther) + 1;

/// The contract's name of `guard_class`, such as "zero_one".
std::string_view GuardClassName(GuardClass guard_class);

/// The Python type of the value that a guard is about, as the guard's text shows it: of `x` in
/// "tensor 'x' size mismatch" a tensor, of `mode` in "mode == <Mode.FAST: 1>" an enum. The class
/// names the property that differs, this the object that has it.
enum class PythonType : uint8_t {
  kUnknown,   ///< the text does not show it
  kNone,      ///< None
  kBool,      ///< True, False
  kInt,       ///< 3, also of NumPy
  kFloat,     ///< 0.5, also of NumPy
  kComplex,   ///< 1j
  kStr,       ///< 'sum'
  kBytes,     ///< b'sum'
  kEnum,      ///< <Mode.FAST: 1>, Mode.FAST, torch.channels_last: a member of a closed set
  kDtype,     ///< torch.float32, dtype('float32')
  kDevice,    ///< device(type='cpu')
  kTuple,     ///< (1, 2), torch.Size([1, 2])
  kList,      ///< [1, 2]
  kSet,       ///< {1, 2}, frozenset({1})
  kDict,      ///< {'a': 1}
  kRange,     ///< range(0, 3), slice(0, 3, None)
  kTensor,    ///< a tensor or parameter
  kFunction,  ///< a function, method or code object
  kModule,    ///< a Python module
  kClass,     ///< a class itself
  kObject,    ///< an instance of another class
};

/// Number of value types, for tables indexed by type.
inline constexpr size_t kNumPythonTypes = static_cast<size_t>(PythonType::kObject) + 1;

/// The word of `type` in results and rules, such as "enum"; empty for kUnknown.
std::string_view PythonTypeName(PythonType type);

/// The hint of an int that was a symbol until the code needed its value.
inline constexpr std::string_view kNeedsValueHint = "needs_value";

/// One guard failure taken apart. An empty text means that the log does not say.
template <typename Text>
struct GuardFailureOf {
  Text entry{};  ///< compile id of the cache entry that failed, such as "0/1"
  Text guard{};  ///< the guard as printed, on one line, without entry, comment and hint
  GuardClass guard_class = GuardClass::kOther;
  PythonType value_type = PythonType::kUnknown;  ///< of the source, when the entry was compiled
  Text source{};           ///< what is guarded, as printed: `L['x']`, `x`, `self.width`
  int32_t dim = -1;        ///< the dim, counted from 0; -1: none
  Text expected{};         ///< the value that the entry was compiled for
  Text actual{};           ///< the value of the call, if printed
  Text user_file{};        ///< file in the trailing comment, as printed (may be clipped)
  uint32_t user_line = 0;  ///< line in the trailing comment; 0: none
  Text user_function{};    ///< function in the trailing comment
  Text code{};             ///< source line in the trailing comment
  Text outer_code{};       ///< line of the compiled function that calls the code of that line
  Text hint{};             ///< what the text proposes, by name: "mark_unbacked" ...

  bool operator==(const GuardFailureOf&) const = default;
};

/// As parsed: all views point into the text or to static text.
using GuardFailure = GuardFailureOf<std::string_view>;

/// Parses one failure reason, such as
///
///   0/0: tensor 'L['x']' size mismatch at index 0. expected 4, actual 5
///   0/1: self.width == 3   # return x * self.width  # mp/app/m.py:16 in forward (HINT: ...)
///   L['i'] == 1
///
/// `text` is one line without log prefix and bullet. Never fails: an unknown text is returned as
/// kOther with `guard` set, an empty one as kEmpty. A truncated text is parsed as far as possible.
/// Linear in the length of `text`.
///
/// Source: torch/_dynamo/guards.py, torch/csrc/dynamo/guards.cpp, torch/fx/experimental/
/// symbolic_shapes.py, releases 2.0 to 2.13.
GuardFailure ParseGuardFailure(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_GUARD_H_
