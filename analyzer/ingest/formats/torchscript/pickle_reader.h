// Pickles of TorchScript archives as plain trees. Nothing in them is executed: a call in a pickle
// is a record.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "llvm/ADT/SmallVector.h"
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

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
