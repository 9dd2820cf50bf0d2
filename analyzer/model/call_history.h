// The inputs of each call of a compiled function; the basis of every what-if.

#ifndef SHAPEWISE_MODEL_CALL_HISTORY_H_
#define SHAPEWISE_MODEL_CALL_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/string_pool.h"

namespace shapewise {

/// How a dim was marked before a call (torch._dynamo.mark_dynamic and similar functions).
enum class MarkKind : uint8_t {
  kDynamic,   ///< mark_dynamic: must stay dynamic, or the compile raises
  kMaybe,     ///< maybe_mark_dynamic: dynamic unless the code pins it
  kStatic,    ///< mark_static
  kUnbacked,  ///< mark_unbacked: no hint, and 0 and 1 are not special
};

/// A mark on one dim of a tensor.
struct DimMark {
  int32_t dim = 0;  ///< as given: a negative one is ignored by Dynamo
  MarkKind kind = MarkKind::kDynamic;
  std::optional<int64_t> min;  ///< of kDynamic and kUnbacked
  std::optional<int64_t> max;

  friend bool operator==(const DimMark&, const DimMark&) = default;
};

/// One tensor. Strides are in elements.
struct TensorValue {
  /// No PyTorch operator accepts more; strides are running products of sizes.
  static constexpr size_t kMaxDims = 64;

  StrId dtype{};   ///< "torch.float32"; kNone: unknown, and assumed the same in all calls
  StrId device{};  ///< "cpu", "cuda:0"; kNone as for dtype
  StrId type{};    ///< class: "Tensor", "Parameter" ...; kNone: Tensor
  StrId keys{};    ///< other inputs of its dispatch keys: "inference" for inference tensors
  bool requires_grad = false;
  bool has_layout = false;  ///< strides and offset are recorded; else contiguous at 0
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t storage_offset = 0;
  std::vector<DimMark> marks;  ///< in the order of the calls that set them
  /// Equal numbers within one call mean the same tensor object. 0: not shared.
  uint32_t object = 0;

  friend bool operator==(const TensorValue&, const TensorValue&) = default;
};

/// The value of one source in one call.
struct CallValue {
  enum class Kind : uint8_t {
    kAbsent,  ///< the source does not exist in this call, for example because a list is shorter
    kTensor,  ///< tensor: an index into CallHistory::tensors
    kInt,     ///< integer
    kFloat,   ///< number
    kBool,    ///< integer: 0 or 1
    kStr,     ///< text
    kNone,
    kLength,   ///< integer: the length of a list (text "list") or tuple (text "tuple")
    kKeys,     ///< text: the keys of a dict in order, as a list: "['a', 'b']"
    kOpaque,   ///< text: anything else that guards compare as a whole: a type, an object's identity
    kUnknown,  ///< not recorded: may or may not equal the value in another call
  };
  Kind kind = Kind::kAbsent;
  int64_t integer = 0;
  double number = 0;
  StrId text{};
  uint32_t tensor = 0;

  friend bool operator==(const CallValue&, const CallValue&) = default;
};

/// The inputs of one call; calls with equal inputs share one.
struct CallSignature {
  /// One per source of CallHistory::sources; missing ones at the end are absent.
  std::vector<CallValue> values;
  StrId state{};  ///< global state that guards compare as a whole: "grad=off", "inference"; kNone:
                  ///< default
};

/// The torch.compiler.set_stance in effect during a call.
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
  uint16_t wrapper = 0;    ///< which torch.compile wrapper of the function was called
  Stance stance = Stance::kDefault;
};

/// The calls of a function. Memory grows with distinct signatures; each call takes 8 bytes.
struct CallHistory {
  StringPool strings;
  std::vector<StrId> sources;  ///< "L['x']", "L['xs'][0]", as guards print them; in argument order
  std::vector<TensorValue> tensors;       ///< distinct
  std::vector<CallSignature> signatures;  ///< distinct
  std::vector<RecordedCall> calls;
  /// Calls may be missing because the input only shows misses, so conclusions from the history are
  /// lower bounds.
  bool is_lower_bound = false;

  /// The tensor of sources[source] in `call`; null: it is missing there.
  const TensorValue* TensorIn(const CallSignature& call, size_t source) const {
    if (source >= call.values.size()) return nullptr;
    const CallValue& value = call.values[source];
    return value.kind == CallValue::Kind::kTensor ? &tensors[value.tensor] : nullptr;
  }

  /// The size of that tensor at `dim`; absent: it has no such dim, as with a negative one.
  std::optional<int64_t> SizeIn(const CallSignature& call, size_t source, int64_t dim) const {
    const TensorValue* const tensor = TensorIn(call, source);
    const auto at = static_cast<size_t>(dim);
    return tensor != nullptr && at < tensor->sizes.size() ? std::optional(tensor->sizes[at])
                                                          : std::nullopt;
  }
};

}  // namespace shapewise

#endif  // SHAPEWISE_MODEL_CALL_HISTORY_H_
