// Pickles as plain trees. Nothing in them is run: a call that a pickle asks for is a record.

#ifndef SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
#define SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "llvm/ADT/SmallVector.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Numbers of values; most lists have none, one or two.
using PickleItems = llvm::SmallVector<uint32_t, 2>;

/// One value of a pickle. Values are shared, and lists, dicts and objects may hold themselves.
struct PickleValue {
  enum class Kind : uint8_t {
    kNone,
    kBool,          ///< `integer`: 0 or 1
    kInt,           ///< `integer`
    kBigInt,        ///< beyond 64 bits; `text`: its bytes
    kFloat,         ///< `number`
    kText,          ///< `text`
    kBytes,         ///< `text`
    kTuple,         ///< `items`
    kList,          ///< `items`
    kSet,           ///< `items`
    kDict,          ///< `items`: key, value, key, value ...
    kGlobal,        ///< a class or function, `module` and `text`, its name
    kCall,          ///< `items`: a callable and its arguments, which were not called
    kObject,        ///< `items`: a class and its arguments
    kPersistentId,  ///< `items`: the id
  };
  Kind kind = Kind::kNone;
  uint32_t state = UINT32_MAX;  ///< of an object that was given its state (BUILD)
  union {
    int64_t integer = 0;
    double number;
  };
  std::string_view text;  ///< into the pickle's bytes
  std::string_view module;
  PickleItems items;  ///< into Pickle::values
};

/// All values of one pickle.
struct Pickle {
  std::deque<PickleValue> values;  ///< a vector that grows would hold all of them twice
  uint32_t root = 0;
};

/// Reads the pickle at the begin of `bytes`, protocols 0 to 5, which must outlive it. Error: it is
/// cut or damaged, asks for what only a running Python can give (extension codes, buffers beside
/// the pickle), or grows beyond two million values.
/// Source: CPython's Lib/pickletools.py.
Expected<Pickle> ReadPickle(std::string_view bytes);

/// Whether `bytes` begin as a pickle of protocol 2 or later does.
bool LooksLikePickle(std::string_view bytes);

/// The first class or function ("os.system") that `pickle` wants to call and that neither PyTorch
/// nor a TorchScript archive has; empty if there is none.
std::string ForeignCall(const Pickle& pickle);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_TORCHSCRIPT_PICKLE_READER_H_
