// The code cache of one code object: its entries, which calls each of them serves, its limits, and
// whether the code object is compiled at all.

#ifndef SHAPEWISE_DYNAMO_CODE_CACHE_H_
#define SHAPEWISE_DYNAMO_CODE_CACHE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamo/call_inputs.h"
#include "dynamo/symbols.h"
#include "model/compile_policy.h"
#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise {

/// What an entry requires of one input.
struct InputGuard {
  enum class Test : uint8_t {
    kTensor,
    kSameTensor,     ///< the same tensor as input `other`
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
  /// any int that `symbol` allows
  InputTensor tensor;
  const InputTensor* compiled_for = nullptr;  ///< the value at compile was unknown
  SymbolicTensor symbolic;
  /// A stride has a symbol that is not a size; set by CacheEntry::Finish.
  bool has_own_stride = false;
};

/// A place whose value must be the same in every call as at compile: a size, or a whole input that
/// is not a tensor.
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
  bool has_symbols = false;  ///< the graph has a symbol: for a size, an int or a float
  std::vector<AskedQuestion> questions;
  std::vector<std::pair<ExprId, int64_t>> specialized;
  /// A call is rejected if all these symbols have these values; empty: no call is.
  std::vector<std::pair<uint32_t, int64_t>> excluded;
  /// Which sizes were equal at compile, as in EqualityPattern; empty: irrelevant.
  std::vector<uint32_t> equalities;
  bool is_uncertain_elsewhere = false;  ///< for calls other than the one it was compiled for
  bool is_uncertain_itself = false;     ///< even for a call of the same signature
  std::vector<uint32_t> graphs;         ///< numbers of graphs, over all calls
  /// The places that are constants in `guards`, and a hash of the required values: it alone rules
  /// out an entry for most calls. Set by Finish.
  std::vector<DemandedPlace> demanded_places;
  size_t demanded_values = 0;

  /// Computes derived fields when the guards are complete.
  void Finish();

  /// The guard of `input`; null: none.
  const InputGuard* GuardOf(uint32_t input) const;
  /// The size, stride, offset or int that the entry has at `place`; absent: none is known.
  std::optional<SizeTerm> TermAt(const CallInputs::Place& place) const;
};

/// For every size of every tensor of `row` the place of the first equal one.
std::vector<uint32_t> EqualityPattern(const InputRow& row);

/// The values of a call at required places.
struct BroughtValues {
  Truth can_serve = Truth::kTrue;  ///< kUnknown: a value is not known; kFalse: a place is missing
  size_t hash = 0;                 ///< as CacheEntry::demanded_values; of kTrue
};
BroughtValues ValuesAt(const std::vector<DemandedPlace>& places, const InputRow& row);

/// Whether `entry`, one of code object `frame`, serves the call with the inputs `row`.
Truth Accepts(const CacheEntry& entry, uint32_t frame, uint32_t signature, const InputRow& row,
              CallInputs& inputs);

/// How a code object is handled in one isolation region.
enum class FrameStrategy : uint8_t {
  kDefault,  ///< looked up, compiled on a miss
  kRunOnly,  ///< looked up, never compiled again: it hit a limit
  kSkip,     ///< always run uncompiled: a compile found nothing to compile
};

class CodeCache {
 public:
  /// `regions`: isolated ones, each with entries of its own; the code outside of them counts as one
  /// more.
  explicit CodeCache(size_t regions) : regions_(regions) {}

  FrameStrategy strategy(size_t region) const { return regions_[region].strategy; }
  void SetStrategy(size_t region, FrameStrategy strategy) { regions_[region].strategy = strategy; }

  /// Whether an entry serves the call; kUnknown: one may, but none does for certain. `found`: the
  /// first such entry in cache order; it moves to the front.
  Truth LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
               CallInputs& inputs, const CacheEntry*& found);
  const CacheEntry& Insert(size_t region, std::unique_ptr<CacheEntry> entry);

  /// All entries, in the order in which they were made.
  size_t size() const { return entries_.size(); }
  const CacheEntry& entry(size_t index) const { return *entries_[index].entry; }

  size_t EntriesIn(size_t region) const { return regions_[region].entries; }
  /// The name of the limit that one more compile would exceed; null: none. Counts the attempt.
  const char* PassLimit(size_t region, const CompilePolicy& policy);

 private:
  struct KeptEntry {
    std::unique_ptr<CacheEntry> entry;
    uint64_t last_front = 0;  ///< when it was moved to the front; the most recent is checked first
  };
  /// Entries by the hash of the values that they require.
  using EntriesByValues = std::unordered_map<size_t, std::vector<KeptEntry*>>;
  struct Region {
    /// By the places where they require values: only entries that require the values of a call are
    /// checked.
    std::map<std::vector<DemandedPlace>, EntriesByValues> by_places;
    size_t entries = 0;
    FrameStrategy strategy = FrameStrategy::kDefault;
  };
  std::vector<Region> regions_;
  std::deque<KeptEntry> entries_;
  uint64_t moves_ = 0;  ///< moves to the front, of any entry
  int64_t attempts_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_CODE_CACHE_H_
