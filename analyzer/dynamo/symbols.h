// The symbols of one compile: which sizes share one, which are literals, and which values they
// allow.

#ifndef SHAPEWISE_DYNAMO_SYMBOLS_H_
#define SHAPEWISE_DYNAMO_SYMBOLS_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/dim_policy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "symbolic/interval.h"

namespace shapewise {

/// A constant times a product of symbols (by number): the form of all sizes, strides and storage
/// offsets of inputs.
struct SizeTerm {
  int64_t coefficient = 1;
  llvm::SmallVector<uint32_t, 2> symbols;

  bool IsConstant() const { return symbols.empty(); }
  /// Its value if symbol n has the value `values[n]`.
  int64_t Evaluate(llvm::ArrayRef<int64_t> values) const;
};

/// One symbol of a compile.
struct SizeSymbol {
  int64_t hint = 0;
  Interval range;
  bool is_unbacked = false;
};

/// Sizes, strides and storage offset of a tensor, in symbols.
struct SymbolicTensor {
  struct Stride {
    size_t dim = 0;
    SizeTerm term;
  };
  llvm::SmallVector<SizeTerm, 4> sizes;  ///< each a constant or one symbol
  llvm::SmallVector<Stride, 4> strides;  ///< in the order in which they were made
  SizeTerm offset;                       ///< a constant is not guarded
};

/// Why a tensor could not get symbols: the class of the exception; null: it could.
using SymbolError = const char*;

/// Makes symbols in order of first use.
/// Source: torch/fx/experimental/symbolic_shapes.py, create_symbol and
/// _create_symbolic_sizes_strides_storage_offset.
class SymbolTable {
 public:
  explicit SymbolTable(const CompilePolicy& policy) : policy_(policy) {}

  /// All dims as constants.
  static SymbolicTensor Static(const InputTensor& tensor);
  /// `plans`: one per dim.
  SymbolError Add(const InputTensor& tensor, llvm::ArrayRef<DimPlan> plans, SymbolicTensor& result);
  /// The symbol of an int argument.
  uint32_t AddInt(int64_t value, bool is_unbacked);

  const std::vector<SizeSymbol>& symbols() const { return symbols_; }

 private:
  uint32_t Make(int64_t hint, const Interval& range, bool is_unbacked);
  SizeTerm MakeBacked(int64_t value, bool may_duck, bool has_zero_one);
  SymbolError MakeSize(int64_t value, const DimPlan& plan, const DimMark* bounds, SizeTerm& result);

  const CompilePolicy& policy_;
  std::vector<SizeSymbol> symbols_;
  std::unordered_map<int64_t, uint32_t> ducks_;  ///< any number may be a key
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_SYMBOLS_H_
