// What each call brought to a compiled function: the input of every what-if.

#ifndef SHAPEWISE_MODEL_CALL_HISTORY_H_
#define SHAPEWISE_MODEL_CALL_HISTORY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "shapewise/support/string_pool.h"

namespace shapewise {

/// What a tensor's dim was told before a call (torch._dynamo.mark_dynamic and its kin).
enum class MarkKind : uint8_t {
  kDynamic,   ///< mark_dynamic: must stay free, or the compile raises
  kMaybe,     ///< maybe_mark_dynamic: free if nothing pins it
  kStatic,    ///< mark_static
  kUnbacked,  ///< mark_unbacked: no hint, 0 and 1 are not special
};

/// A mark on one dim of a tensor.
struct DimMark {
  int32_t dim = 0;  ///< as given: a negative one is ignored by Dynamo
  MarkKind kind = MarkKind::kDynamic;
  std::optional<int64_t> min;  ///< of kDynamic and kUnbacked
  std::optional<int64_t> max;

  friend bool operator==(const DimMark&, const DimMark&) = default;
};

/// What one tensor brought. Strides are in elements.
struct TensorValue {
  /// No operator of PyTorch takes more; strides are products of sizes, one longer than the other.
  static constexpr size_t kMaxDims = 64;

  StrId dtype{};   ///< "torch.float32"; kNone: not told, and then the same in all calls
  StrId device{};  ///< "cpu", "cuda:0"; kNone as for dtype
  StrId type{};    ///< class: "Tensor", "Parameter" ...; kNone: Tensor
  StrId keys{};    ///< what else its dispatch keys depend on: "inference" for inference tensors
  bool requires_grad = false;
  bool is_layout_told = false;  ///< strides and offset are as recorded; else contiguous at 0
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t storage_offset = 0;
  std::vector<DimMark> marks;  ///< in the order in which they were given
  /// The same number within one call: the same tensor object. 0: shared with no other source.
  uint32_t object = 0;

  friend bool operator==(const TensorValue&, const TensorValue&) = default;
};

/// What one source held in one call.
struct CallValue {
  enum class Kind : uint8_t {
    kAbsent,  ///< the source does not exist in this call: the list is shorter
    kTensor,  ///< tensor: an index into CallHistory::tensors
    kInt,     ///< integer
    kFloat,   ///< number
    kBool,    ///< integer: 0 or 1
    kStr,     ///< text
    kNone,
    kLength,   ///< integer: the length of a list (text "list") or tuple (text "tuple")
    kKeys,     ///< text: the keys of a dict in order, as a list: "['a', 'b']"
    kOpaque,   ///< text: anything else that guards compare whole: a type, an object's identity
    kUnknown,  ///< not recorded: it may be the same as in another call, or not
  };
  Kind kind = Kind::kAbsent;
  int64_t integer = 0;
  double number = 0;
  StrId text{};
  uint32_t tensor = 0;

  friend bool operator==(const CallValue&, const CallValue&) = default;
};

/// Everything that one call brought; calls that brought the same share one.
struct CallSignature {
  std::vector<CallValue>
      values;  ///< one a source of CallHistory::sources; shorter: the rest absent
  StrId
      state{};  ///< global state that guards compare whole: "grad=off", "inference"; kNone: default
};

/// torch.compiler.set_stance, as it holds in a call.
enum class Stance : uint8_t {
  kDefault,
  kForceEager,
  kEagerOnRecompile,
  kFailOnRecompile,
  kEagerThenCompile,
  kAotEagerThenCompile,
};

/// One call of the function, in order of time.
struct RecordedCall {
  uint32_t signature = 0;  ///< an index into CallHistory::signatures
  uint16_t wrapper = 0;    ///< which torch.compile of the function was called
  Stance stance = Stance::kDefault;
};

/// What a function was called with. Memory grows with distinct signatures; a call takes 8 bytes.
struct CallHistory {
  StringPool strings;
  std::vector<StrId> sources;  ///< "L['x']", "L['xs'][0]", as guards print them; order of arguments
  std::vector<TensorValue> tensors;       ///< distinct
  std::vector<CallSignature> signatures;  ///< distinct
  std::vector<RecordedCall> calls;
  /// Calls may be missing in between, because what was read prints misses only: what follows from
  /// the history is then a lower bound.
  bool is_lower_bound = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_CALL_HISTORY_H_
