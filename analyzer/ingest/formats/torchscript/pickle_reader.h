// Pickles of TorchScript archives as plain trees, and the modules and tensors in them. Nothing is
// executed: a call in a pickle is a record.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/graph_text/graph_builder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "model/graph_model.h"
#include "support/error.h"

namespace shapewise {

/// One value of a pickle. Values are shared, and lists, dicts and objects may contain themselves.
struct PickleValue {
  enum class Kind : uint8_t {
    kNone,
    kBool,          ///< `integer`: 0 or 1
    kInt,           ///< `integer`
    kFloat,         ///< `number`
    kText,          ///< `text`
    kTuple,         ///< `items`
    kList,          ///< `items`
    kDict,          ///< `items`: key, value, key, value ...
    kGlobal,        ///< a class or function, `module` and `text`, its name
    kCall,          ///< `items`: a callable and its arguments, which were not called
    kObject,        ///< `items`: a class and its arguments
    kPersistentId,  ///< `items`: the id
  };
  Kind kind = Kind::kNone;
  uint32_t state = UINT32_MAX;  ///< of an object whose state was set (BUILD)
  union {
    int64_t integer = 0;
    double number;
  };
  std::string_view text;  ///< into the pickle's bytes
  std::string_view module;
  llvm::SmallVector<uint32_t, 2> items;  ///< into Pickle::values; usually at most two
};

/// All values of one pickle.
struct Pickle {
  /// A vector would temporarily contain all of them twice when it grows.
  std::deque<PickleValue> values;
  uint32_t root = 0;
};

/// Reads the pickle at the start of `bytes`, which must outlive it. Error: it is truncated or
/// damaged, grows beyond two million values, or has an instruction that LibTorch, which loads these
/// archives, does not support. Source: torch/csrc/jit/serialization/unpickler.cpp.
Expected<Pickle> ReadPickle(std::string_view bytes);

/// Whether `bytes` begin like a pickle of protocol 2 or later.
bool LooksLikePickle(std::string_view bytes);

/// The first class or function ("os.system") that `pickle` calls and that belongs neither to
/// PyTorch nor to a TorchScript archive; empty if not found.
std::string ForeignCall(const Pickle& pickle);

/// Reads objects of one pickle. Tensors have a shape and a type; their values are never read.
class ModuleState {
 public:
  explicit ModuleState(Pickle pickle) : pickle_(std::move(pickle)) {}

  uint32_t root() const { return pickle_.root; }

  /// "__torch__.Net" for an object of that class; empty for anything else.
  std::string ClassOf(uint32_t value) const;

  /// The attribute `name` of an object; kNoIndex if not found.
  uint32_t Attribute(uint32_t object, std::string_view name);

  /// The element `index` of a tuple or list; kNoIndex if not found.
  uint32_t Element(uint32_t sequence, size_t index) const;

  /// Index of the type of a tensor; kNoIndex if `value` is not a tensor.
  uint32_t TensorType(uint32_t value, GraphSet& graphs) const;

  /// A number, a string, a bool or None; absent for anything else.
  std::optional<Argument> Literal(uint32_t value, GraphBuilder& builder) const;

 private:
  const PickleValue& at(uint32_t value) const { return pickle_.values[value]; }

  Pickle pickle_;
  // By state, which several objects may share.
  llvm::DenseMap<uint32_t, llvm::StringMap<uint32_t>> attributes_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
