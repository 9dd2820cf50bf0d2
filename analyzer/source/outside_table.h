// Tables of the results of functions of other packages: groups of names that behave alike.
//
// The files of outside/ contain them. Below "[torch.Tensor.]" are the names with that prefix, a
// group per line and the indented lines after it: "view(sizes 0 size): broadcast_to" specifies the
// result (Gives), and which arguments must be Python numbers (Numbers). A function without tensor
// arguments returns arrays below "[numpy.] array", and no tensor below "[os.] python".

#ifndef SHAPEWISE_SOURCE_OUTSIDE_TABLE_H_
#define SHAPEWISE_SOURCE_OUTSIDE_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "source/outside.h"
#include "source/value.h"
#include "support/embedded_file.h"

namespace shapewise {

/// The result of a call. "Like" refers to the tensor it works on: the receiver of a method, else
/// the first argument.
enum class Gives : uint8_t {  // with the names of kGivesNames
  kUnknown,
  kValue,  ///< the value of the group: "bool constant" is a query about types or modes
  kText,
  kObject,    ///< an object of the class `type` of the group, else of the class with this name
  kSequence,  ///< a list, tuple or iterator of unknown values
  kFirst,     ///< its first argument, or a copy of it

  kTensor,       ///< a new tensor; a dtype argument adds its traits
  kFilled,       ///< the same, filled with a value: of its dtype without such an argument
  kIntegers,     ///< a tensor of integers
  kMask,         ///< elementwise: a mask
  kElementwise,  ///< elementwise: same dtype as the arguments
  kFloating,     ///< elementwise: floats
  kRunning,      ///< cumsum: integers of masks and integers
  kLike,         ///< same dtype and size: clone, contiguous
  kView,         ///< same dtype, other size
  kInPlace,      ///< the receiver itself
  kToFloat,
  kToIntegers,
  kToMask,
  kTo,         ///< .to(...): the dtype given
  kNumbers,    ///< tensor(data): made of Python's numbers
  kParameter,  ///< a tensor that a module keeps
  kScalar,     ///< one element
  kLoss,       ///< one element, unless `reduction` is given
  kSparse,

  kReduce,           ///< one element without a dim
  kReduceMask,       ///< the same; a mask: all, any
  kReduceIntegers,   ///< the same; integers: argmax
  kReduceAfterOne,   ///< the dim follows one more argument: norm(p, dim)
  kReduceOrPair,     ///< max, min, median: with a dim, values and indices; with two arguments,
                     ///< elementwise
  kPair,             ///< values and indices: topk, sort
  kTensors,          ///< several tensors like it: split, unbind
  kManyTensors,      ///< several tensors: meshgrid, svd
  kUnknownSize,      ///< a tensor whose size depends on data
  kNonzero,          ///< the same; with as_tuple several
  kUnique,           ///< the same; several with return_inverse or return_counts
  kWhere,            ///< with one argument like nonzero(as_tuple=True); else elementwise
  kRepeatEach,       ///< repeat_interleave: unknown size if the repeats are a tensor
  kOneHot,           ///< unknown size without num_classes
  kPrototypeResult,  ///< new_zeros, zeros_like: the dtype of the prototype, or the given one

  kItem,         ///< one number read from a tensor
  kItems,        ///< .tolist(): numbers read from a tensor
  kTruthOfData,  ///< torch.equal: a bool read from tensors
  kShapeOrSize,  ///< .size(): the shape; with an argument one of its sizes
  kShape,        ///< a torch.Size
  kIntFromSize,  ///< numel
  kSizes,        ///< several ints from sizes
  kToArray,      ///< .numpy()

  kModule,        ///< a module that returns a tensor
  kModuleOfLoss,  ///< a module that returns a loss
  kModuleOfPair,  ///< a module that returns a tuple of tensors
  kModuleList,    ///< a module that is not called

  kMathFloat,  ///< Python's own arithmetic: float of numbers
  kMathInt,
  kMathBool,
  kLength,    ///< len
  kAsInt,     ///< int(x), round(x)
  kAsFloat,   ///< float(x)
  kAsBool,    ///< bool(x)
  kExtremum,  ///< max(a, b), sum(items): of the kind of what goes in
  kCount,     ///< range(..): a sequence of ints
  kCollect,   ///< list(x), sorted(x), zip(..): a sequence; for a tensor: its rows
};

/// Arguments that must be Python numbers.
struct Numbers {
  uint32_t positions = 0;     ///< bit i: argument i, not counting the receiver of a method
  std::string_view keywords;  ///< names, separated by spaces
  bool is_size = false;       ///< they are sizes of the result
};

inline constexpr uint32_t kEveryPosition = UINT32_MAX;

struct OutsideGroup {
  Gives gives = Gives::kUnknown;
  Numbers numbers{};
  std::string_view type{};  ///< of kObject; empty: the name itself
  Value value{};            ///< of kValue
};

/// The files of outside/. Besides tables, aliases.txt has other names of functions, and values.txt
/// what is no function.
std::span<const EmbeddedFile> OutsideTables();
/// Reads a value: "tensor stored optional 90" has its kind, its traits and how sure it is.
Value ReadValue(llvm::StringRef text);
/// The text of the file with this name.
std::string_view OutsideFile(std::string_view name);
/// Calls `see(name, head, section)` for each name in a file: `head` is the text before the colon of
/// its group, and `section` the last line in brackets, without the opening one.
void ForEachName(llvm::StringRef text,
                 llvm::function_ref<void(llvm::StringRef, llvm::StringRef, llvm::StringRef)> see);

/// A name of a table.
struct OutsideRow {
  std::string_view name = {};           ///< with the prefix of its table
  const OutsideGroup* group = nullptr;  ///< null: the tables do not contain the name
  ValueKind makes = ValueKind::kTensor;
};

/// The row of a dotted name.
OutsideRow FindOutside(std::string_view dotted);
/// The result of `call` of the name of `row`.
OutsideEffect EffectOfRow(const OutsideCall& call, const OutsideRow& row);
/// Whether the tables have any name with this prefix: "torch.nn.".
bool HasOutside(std::string_view prefix);
/// The row of `name` with `prefix`, which is the prefix of a table.
OutsideRow FindOutside(std::string_view prefix, std::string_view name);

/// Classes whose methods code calls without naming them.
enum class MethodOwner : uint8_t {
  kTensor = 1 << 0,
  kArray = 1 << 1,
  kDict = 1 << 2,
  kList = 1 << 3,
  kText = 1 << 4,
  kNumber = 1 << 5,
  kModule = 1 << 6,
  kSize = 1 << 7,
};
constexpr uint8_t Bit(MethodOwner owner) { return static_cast<uint8_t>(owner); }
/// The set of those that have a method of this name.
uint8_t OwnersOf(std::string_view method);

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_OUTSIDE_TABLE_H_
