// Facts about code that matter to graph compilation, without judging them.
//
// The flow (flow.h) follows values through the functions that run inside a compiled region and
// records facts; rules/code/ decides which of them matter (analyzer/docs/check.md).

#ifndef SHAPEWISE_SOURCE_FACT_H_
#define SHAPEWISE_SOURCE_FACT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "source/project.h"
#include "source/value.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// What the code does at a place.
enum class FactKind : uint8_t {
  kCall,        ///< callee(arguments), or receiver.callee(arguments)
  kTruth,       ///< Python evaluates the truth of `subject`
  kNumber,      ///< a tensor is used where Python or torch needs a number: a slice bound, a size
  kIterate,     ///< a loop or an unpacking takes the items of `subject`
  kIndex,       ///< subject[argument] is read
  kStoreIndex,  ///< subject[argument] = value
  kStoreAttribute,  ///< subject.name = value
  kStoreGlobal,     ///< name = value, of a name that the function declares global
  kReadAttribute,   ///< subject.name is read
  kEnter,           ///< with subject
  kText,            ///< `subject` is converted to text: an f-string, str(), %
  kTry,             ///< a try statement
  kYield,           ///< a function that yields runs in the region
  kClass,           ///< a class statement runs
  kImport,          ///< an import statement runs
  kArithmetic,      ///< subject name argument: % on sizes and the like
  kAssert,          ///< an assert statement; `subject` is its test
};

/// Names of the kinds in rule files: "call", "truth" ...
std::string_view FactKindName(FactKind kind);

/// Which construct needs the truth value, the number or the items.
enum class FactUse : uint8_t {
  kNone,
  kIf,  ///< the test of an if or elif
  kWhile,
  kConditional,  ///< a if test else b
  kAnd,          ///< an operand of and, or; its truth decides what is evaluated next
  kNot,
  kAssert,
  kComprehension,  ///< the if of a comprehension
  kCompare,        ///< a chained comparison, or `in`
  kSlice,          ///< a bound of a slice
  kSize,           ///< a size of a new tensor
  kRange,          ///< range(), or another count in Python
  kListIndex,      ///< the index into a list or tuple
  kMath,           ///< an argument of math.*
  kFor,
  kUnpack,
  kMatch,
};

/// The name of a use in rules.
std::string_view FactUseName(FactUse use);

/// Conditions under which the code runs at all. A finding reports its conditions.
enum class RunCondition : uint16_t {
  kTraining = 1 << 0,    ///< self.training is true
  kEvaluation = 1 << 1,  ///< self.training is false
  kArgument = 1 << 2,    ///< an argument that has a default is given: `labels is not None`
  kDtype = 1 << 3,       ///< a tensor has a certain dtype, or autocast is on
  kSetting = 1 << 4,     ///< an attribute of the configuration, or of the module, is on
  kRaises = 1 << 5,      ///< what follows ends in raise
  kDevice = 1 << 6,      ///< a tensor is on a certain kind of device
  kPython = 1 << 7,      ///< another condition of plain Python
  kExcept = 1 << 8,      ///< an except branch
  kReplaced = 1 << 9,    ///< a decorator may replace the function
  kInput = 1 << 10,      ///< an optional tensor is given: a mask, an image
  kUncalled = 1 << 11,   ///< no module of the files calls the function
  kOnce = 1 << 12,       ///< the first call only: `if not self.checked: self.checked = True`
  kOff = 1 << 13,        ///< with kSetting or kArgument: the default is known, and is the other way
};

/// The last condition with a name.
inline constexpr RunCondition kLastCondition = RunCondition::kOnce;

/// The name of a condition in results.
std::string_view RunConditionName(RunCondition condition);

/// One fact about the code of one function, merged over all paths to it.
struct Fact {
  FactKind kind = FactKind::kCall;
  FactUse use = FactUse::kNone;
  uint16_t conditions = 0;  ///< RunCondition: those that hold on every path
  uint8_t certainty = 0;    ///< per cent: certainty of the values; the highest over all paths
  bool in_loop = false;     ///< in the body of a Python loop
  bool in_comprehension = false;
  bool in_try = false;  ///< inside a try or a with of its function, where a break costs more
  bool in_no_grad = false;
  bool in_full_graph = false;   ///< every way to it is compiled with fullgraph=True
  bool runs_modules = false;    ///< its function, or what that calls, may run a part of the model
  FunctionId function = kNoId;  ///< the function that contains it; kNoId: the file's own statements
  FileId file = 0;
  const Expr* expr = nullptr;       ///< the expression; null: the statement as a whole
  const Stmt* statement = nullptr;  ///< the innermost statement that contains it
  std::string_view name;            ///< callee ("torch.Tensor.item"), attribute, or operator
  Value subject;                    ///< receiver, test or base; unknown if not applicable
  Value result;                     ///< the result of the code
  llvm::SmallVector<Value, 3> arguments;
  /// Of `arguments`; empty: positional. Most calls have none.
  llvm::SmallVector<std::string_view, 0> keywords;
  FunctionId caller = kNoId;  ///< a function that leads to this one; kNoId: it is a root

  // Used in place of `expr` and `statement` while their tree is freed (fact_trees.h).
  bool is_detached = false;
  ByteSpan span{};  ///< of `expr`, else of `statement`
  uint32_t expr_number = 0;
  uint32_t statement_number = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_FACT_H_
