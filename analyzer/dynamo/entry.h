// One entry of the code cache: which calls it serves.

#ifndef SHAPEWISE_DYNAMO_ENTRY_H_
#define SHAPEWISE_DYNAMO_ENTRY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/symbols.h"
#include "shapewise/symbolic/expression.h"
#include "shapewise/symbolic/interval.h"

namespace shapewise {

/// What an entry demands of one input.
struct InputGuard {
  enum class Test : uint8_t {
    kTensor,
    kSameTensor,     ///< the very tensor of input `other`
    kConstant,       ///< the value at compile
    kSymbolicInt,    ///< any int, as far as `symbol` allows
    kSymbolicFloat,  ///< any float but nan
    kUncertain,      ///< the value at compile serves; others are not known
    kUnknowable,     ///< the value at compile was not known itself
  };
  Test test = Test::kConstant;
  uint32_t input = 0;
  uint32_t other = 0;
  uint32_t symbol = 0;
  CallValue constant;
  /// Of kTensor and kUncertain. Properties and marks; sizes and strides are only compared in
  /// kUncertain.
  InputTensor tensor;
  const InputTensor* compiled_for = nullptr;  ///< if it lives as long as the simulation
  SymbolicTensor symbolic;
  bool has_own_stride = false;  ///< a stride has a symbol that is no size's; CacheEntry::Finish
};

/// A place whose value every call must bring as it was at compile: a size, or a whole input that is
/// no tensor.
struct DemandedPlace {
  static constexpr uint32_t kWhole = ~uint32_t{0};

  uint32_t input = 0;
  uint32_t dim = kWhole;

  friend auto operator<=>(const DemandedPlace&, const DemandedPlace&) = default;
};

/// A question of the body and its answer at compile.
struct AskedQuestion {
  ExprId predicate = ExprId::kNone;
  bool answer = false;
};

struct CacheEntry {
  uint32_t signature = 0;  ///< of the call it was compiled for
  StrId state{};
  std::vector<InputGuard> guards;
  std::vector<SizeSymbol> symbols;
  bool has_symbols = false;  ///< the graph has one: of a size, an int or a float
  std::vector<AskedQuestion> questions;
  std::vector<std::pair<ExprId, int64_t>> specialized;
  /// A call is rejected if all these symbols have these values; empty: none is.
  std::vector<std::pair<uint32_t, int64_t>> excluded;
  /// Whose sizes were equal at compile, as EqualityPattern tells; empty: that does not matter.
  std::vector<uint32_t> equalities;
  bool is_uncertain_elsewhere = false;  ///< for other calls than the one it was compiled for
  bool is_uncertain_itself = false;     ///< even for a call of the same signature
  std::vector<uint32_t> graphs;         ///< numbers of graphs, over all calls
  /// The places that are constants in `guards`, and a hash of what is demanded there: most calls
  /// that an entry does not serve are told by it alone. Filled in by Finish.
  std::vector<DemandedPlace> demanded_places;
  size_t demanded_values = 0;

  /// Derives what the guards come to, once they are complete.
  void Finish();
};

/// For every size of every tensor of `row` the place of the first equal one.
std::vector<uint32_t> EqualityPattern(const InputRow& row);

/// What a call brings to demanded places.
struct BroughtValues {
  Truth can_serve = Truth::kTrue;  ///< kUnknown: a value is not known; kFalse: a place is missing
  size_t hash = 0;                 ///< as CacheEntry::demanded_values; of kTrue
};
BroughtValues ValuesAt(const std::vector<DemandedPlace>& places, const InputRow& row);

/// Whether `entry`, one of code object `frame`, serves the call that brought `row`.
Truth Accepts(const CacheEntry& entry, uint32_t frame, uint32_t signature, const InputRow& row,
              CallInputs& inputs);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_ENTRY_H_
