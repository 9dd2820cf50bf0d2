// The symbols of one compile: which dims become symbols (marks, automatic dynamic shapes by what
// earlier compiles saw, and lists of sources, in that order), which sizes share one, which are
// literals, and which values they allow.

#ifndef SHAPEWISE_DYNAMO_SYMBOLS_H_
#define SHAPEWISE_DYNAMO_SYMBOLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamo/call_inputs.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "model/call_history.h"
#include "model/compile_policy.h"
#include "symbolic/interval.h"

namespace shapewise {

/// One element of the lattice: unset, then one value, then dynamic for good.
class ProfileAtom {
 public:
  static ProfileAtom Dynamic() { return ProfileAtom(State::kDynamic, 0); }
  static ProfileAtom Integer(int64_t value) { return ProfileAtom(State::kInteger, value); }
  static ProfileAtom Number(double value);
  /// A stride that equals size times stride of dim `dim`.
  static ProfileAtom Inferred(size_t dim) {
    return ProfileAtom(State::kInferred, static_cast<int64_t>(dim));
  }
  ProfileAtom() = default;

  bool IsUnset() const { return state_ == State::kUnset; }
  bool IsDynamic() const { return state_ == State::kDynamic; }
  /// The value, if it is one integer.
  std::optional<int64_t> AsInteger() const;
  /// Two different values make it dynamic; 3 and 3.0 are equal, nan differs from itself.
  void Merge(const ProfileAtom& other);

 private:
  enum class State : uint8_t { kUnset, kInteger, kNumber, kInferred, kDynamic };
  ProfileAtom(State state, int64_t integer) : state_(state), integer_(integer) {}
  bool Equals(const ProfileAtom& other) const;

  State state_ = State::kUnset;
  int64_t integer_ = 0;
  double number_ = 0;
};

/// A tuple of atoms, one per dim; as a whole it may be unset, or dynamic because ranks differed.
class ProfileDims {
 public:
  static ProfileDims Dynamic() {
    ProfileDims dims;
    dims.state_ = State::kDynamic;
    return dims;
  }
  explicit ProfileDims(std::vector<ProfileAtom> atoms)
      : state_(State::kTuple), atoms_(std::move(atoms)) {}
  ProfileDims() = default;

  bool IsDynamic(size_t dim) const;
  bool IsTuple() const { return state_ == State::kTuple; }
  llvm::ArrayRef<ProfileAtom> atoms() const { return atoms_; }
  /// Returns whether anything changed.
  bool Merge(const ProfileDims& other);

 private:
  enum class State : uint8_t { kUnset, kTuple, kDynamic };
  State state_ = State::kUnset;
  std::vector<ProfileAtom> atoms_;
};

/// The profile of one source. Source: FrameStateSizeEntry in torch/_dynamo/pgo.py.
class SourceProfile {
 public:
  static SourceProfile OfScalar(const CallValue& value);
  static SourceProfile OfTensor(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);
  SourceProfile() = default;

  void Merge(const SourceProfile& other);
  /// What mark_dynamic writes.
  void MarkDynamic(size_t dim, size_t rank);

  bool IsScalarDynamic() const { return scalar_.IsDynamic(); }
  bool IsSizeDynamic(size_t dim) const { return sizes_.IsDynamic(dim); }
  /// Strides become dynamic only while every size still has one value.
  bool IsStrideDynamic(size_t dim) const;
  /// Sizes before the last compile that made one of them dynamic, which an exclusion guard rejects.
  /// Absent for dims that were dynamic already; empty if the last compile made none dynamic.
  llvm::ArrayRef<std::optional<int64_t>> excluded_sizes() const { return excluded_sizes_; }
  std::optional<int64_t> excluded_scalar() const { return excluded_scalar_; }

 private:
  ProfileAtom scalar_;
  ProfileDims sizes_;
  ProfileDims strides_;
  std::vector<std::optional<int64_t>> excluded_sizes_;
  std::optional<int64_t> excluded_scalar_;
};

/// torch.compiler.config.dynamic_sources or unbacked_sources, parsed: names or regular expressions,
/// separated by commas, each followed by ":N" if it applies to one dim.
class SourceList {
 public:
  explicit SourceList(std::string_view text);
  /// Whether an entry names `source`, for any dim.
  bool Names(std::string_view source) const;
  bool NamesDim(std::string_view source, size_t dim) const;

 private:
  struct Pattern {
    std::string text;
    std::optional<size_t> dim;
  };
  static bool Matches(const Pattern& pattern, std::string_view source);
  std::vector<Pattern> patterns_;
};

/// How a value becomes a symbol (torch.fx.experimental.symbolic_shapes.DimDynamic).
enum class DimChoice : uint8_t {
  kStatic,
  kDuck,      ///< shares the symbol of an equal value that was also chosen this way
  kDynamic,   ///< a symbol of its own
  kUnbacked,  ///< a symbol without a hint
};

/// What a mark requires of a dim's symbol.
enum class DimDemand : uint8_t {
  kNone,
  kSoft,   ///< may become a constant silently
  kHard,   ///< must not become a constant, except 0 and 1
  kRange,  ///< must not exclude a value of min..max
};

struct DimPlan {
  DimChoice size = DimChoice::kStatic;
  bool has_dynamic_stride = false;
  DimDemand demand = DimDemand::kNone;
  int64_t min = 0;  ///< of kRange
  int64_t max = 0;
  bool has_half_range = false;  ///< mark_dynamic with only one of min and max: an AssertionError
};

/// CompilePolicy with its lists of sources parsed.
struct ReadPolicy {
  explicit ReadPolicy(const CompilePolicy& given);
  bool IsAutomatic() const;  ///< profiles are merged and make sizes dynamic
  bool IsStaticByDefault() const { return policy.dynamic != DynamicOption::kTrue; }
  DimChoice AutomaticChoice() const {
    return policy.automatic_dynamic_marks_unbacked ? DimChoice::kUnbacked : DimChoice::kDynamic;
  }

  const CompilePolicy& policy;
  SourceList dynamic_sources;
  SourceList unbacked_sources;
};

/// Decides on one dim, lowest first, and records a mark in `profile`. `seeded`: an earlier call
/// showed that this dim changes (set_stance("eager_then_compile")). Source:
/// torch/_dynamo/variables/builder.py, _automatic_dynamic.
DimPlan PlanDim(const ReadPolicy& policy, std::string_view source, const InputTensor& tensor,
                size_t dim, bool seeded, SourceProfile& profile);

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

/// Whether all integers of `inner` are in `outer`.
inline bool Contains(const Interval& outer, const Interval& inner) {
  return (!outer.lower || (inner.lower && *outer.lower <= *inner.lower)) &&
         (!outer.upper || (inner.upper && *inner.upper <= *outer.upper));
}

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
