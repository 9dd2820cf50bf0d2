#include "dynamo/simulator_parts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace shapewise {
namespace {

using Test = InputGuard::Test;

/// One comparison of two entries. Symbols of `wide` are expressed in those of `narrow`.
class Comparison {
 public:
  Comparison(const CacheEntry& wide, const CacheEntry& narrow, CallInputs& inputs)
      : wide_(wide),
        narrow_(narrow),
        inputs_(inputs),
        terms_(wide.symbols.size()),
        equal_(narrow.symbols.size()) {
    std::iota(equal_.begin(), equal_.end(), 0);
    for (const AskedQuestion& asked : narrow.questions) NoteEquality(asked);
  }

  bool Covers() {
    if (wide_.is_uncertain_elsewhere || wide_.is_uncertain_itself || !wide_.equalities.empty() ||
        wide_.state != narrow_.state) {
      return false;
    }
    return std::ranges::all_of(wide_.guards,
                               [&](const auto& guard) { return CoversInput(guard); }) &&
           CoversExclusion() && CoversSpecialized() &&
           std::ranges::all_of(wide_.questions,
                               [&](const auto& asked) { return IsAnswered(asked); });
  }

 private:
  /// Records that two symbols of the narrow entry are equal in all its calls.
  void NoteEquality(const AskedQuestion& asked) {
    const ExprPool& pool = *inputs_.body().pool;
    if (!asked.answer || pool.kind(asked.predicate) != ExprKind::kEqual) return;
    const auto sides = pool.operands(asked.predicate);
    const std::optional<uint32_t> first = NarrowSymbol(sides[0]);
    const std::optional<uint32_t> second = NarrowSymbol(sides[1]);
    if (first && second) {
      std::ranges::replace(equal_, uint32_t{equal_[*second]}, uint32_t{equal_[*first]});
    }
  }

  /// The symbol of the narrow entry for the size or int that guards call `name`.
  std::optional<uint32_t> NarrowSymbol(ExprId name) const {
    if (inputs_.body().pool->kind(name) != ExprKind::kSymbol) return std::nullopt;
    const std::optional<SizeTerm> term = narrow_.TermAt(inputs_.PlaceOf(name, 0));
    if (!term || term->symbols.size() != 1 || term->coefficient != 1) return std::nullopt;
    return term->symbols.front();
  }

  bool IsSameTerm(const SizeTerm& a, const SizeTerm& b) const {
    const auto chosen = [this](uint32_t symbol) { return equal_[symbol]; };
    return a.coefficient == b.coefficient &&
           std::ranges::is_permutation(a.symbols, b.symbols, {}, chosen, chosen);
  }

  bool CoversInput(const InputGuard& guard) {
    const InputGuard* const given = narrow_.GuardOf(guard.input);
    if (given == nullptr) return false;
    const bool is_constant = given->test == Test::kConstant;
    switch (guard.test) {
      case Test::kConstant:
        return is_constant && guard.constant == given->constant;
      case Test::kSymbolicInt:
        if (is_constant && given->constant.kind == CallValue::Kind::kInt) {
          return Binds(guard.symbol, {.coefficient = given->constant.integer, .symbols = {}});
        }
        return given->test == Test::kSymbolicInt &&
               Binds(guard.symbol, {.coefficient = 1, .symbols = {given->symbol}});
      case Test::kSymbolicFloat:
        return given->test == Test::kSymbolicFloat ||
               (is_constant && given->constant.kind == CallValue::Kind::kFloat &&
                given->constant.number == given->constant.number);
      case Test::kSameTensor:
        return given->test == Test::kSameTensor && guard.other == given->other;
      case Test::kTensor:
        return given->test == Test::kTensor && CoversTensor(guard, *given);
      case Test::kUncertain:
        return given->test == Test::kUncertain && guard.compiled_for == nullptr &&
               guard.constant == given->constant && IsAlwaysConstant(guard.input);
      case Test::kUnknowable:
        return false;
    }
    return false;
  }

  /// Whether every entry of the run required a certain value of `input`, as of a number that never
  /// varied.
  bool IsAlwaysConstant(uint32_t input) const {
    const std::string& name = inputs_.InputsOf(0)[input].name;
    const std::vector<BodyPath>& paths = inputs_.body().frames.front().paths;
    return !paths.empty() && std::ranges::all_of(paths, [&](const BodyPath& path) {
      return std::ranges::find(path.constants, name, &BodyConstant::source) != path.constants.end();
    });
  }

  bool CoversTensor(const InputGuard& guard, const InputGuard& given) {
    const SymbolicTensor& wide = guard.symbolic;
    const SymbolicTensor& narrow = given.symbolic;
    if (guard.tensor.properties != given.tensor.properties || guard.has_own_stride ||
        guard.tensor.are_properties_derived || given.tensor.are_properties_derived ||
        given.tensor.marks != nullptr || wide.sizes.size() != narrow.sizes.size()) {
      return false;
    }
    for (size_t dim = 0; dim < wide.sizes.size(); ++dim) {
      if (!CoversTerm(wide.sizes[dim], narrow.sizes[dim])) return false;
    }
    for (const SymbolicTensor::Stride& stride : wide.strides) {
      const auto own = std::ranges::find(narrow.strides, stride.dim, &SymbolicTensor::Stride::dim);
      if (own == narrow.strides.end() || !CoversTerm(stride.term, own->term)) return false;
    }
    // A constant is not guarded.
    if (wide.offset.IsConstant()) return true;
    return !narrow.offset.IsConstant() && CoversTerm(wide.offset, narrow.offset);
  }

  bool CoversTerm(const SizeTerm& wide, const SizeTerm& narrow) {
    if (wide.symbols.size() == 1 && wide.coefficient == 1) return Binds(wide.symbols[0], narrow);
    SizeTerm expressed{.coefficient = wide.coefficient, .symbols = {}};
    for (const uint32_t symbol : wide.symbols) {
      const std::optional<SizeTerm>& term = terms_[symbol];
      if (!term) return false;
      expressed.coefficient *= term->coefficient;
      expressed.symbols.append(term->symbols.begin(), term->symbols.end());
    }
    return IsSameTerm(expressed, narrow);
  }

  /// Whether `symbol` of the wide entry may always have the value of `term`.
  bool Binds(uint32_t symbol, const SizeTerm& term) {
    const SizeSymbol& own = wide_.symbols[symbol];
    if (own.is_unbacked) return false;
    std::optional<SizeTerm>& known = terms_[symbol];
    if (known) return IsSameTerm(*known, term);
    known = term;
    if (term.IsConstant()) return own.range.Contains(term.coefficient);
    return term.symbols.size() == 1 && term.coefficient == 1 &&
           Contains(own.range, narrow_.symbols[term.symbols[0]].range);
  }

  /// The wide entry rejects a call if all excluded symbols have their values: then one must differ,
  /// or the narrow entry rejects the call, too.
  bool CoversExclusion() const {
    if (wide_.excluded.empty()) return true;
    const bool has_another = std::ranges::any_of(wide_.excluded, [&](const auto& pair) {
      const std::optional<SizeTerm>& term = terms_[pair.first];
      return term && term->IsConstant() && term->coefficient != pair.second;
    });
    if (has_another) return true;
    return !narrow_.excluded.empty() &&
           std::ranges::all_of(narrow_.excluded, [&](const auto& pair) {
             return std::ranges::any_of(wide_.excluded, [&](const auto& other) {
               const std::optional<SizeTerm>& term = terms_[other.first];
               return term && term->symbols.size() == 1 && term->symbols[0] == pair.first &&
                      other.second == pair.second;
             });
           });
  }

  bool CoversSpecialized() const {
    return std::ranges::all_of(wide_.specialized, [&](const auto& pair) {
      const std::optional<int64_t> constant = ConstantOf(pair.first);
      return (constant && *constant == pair.second) ||
             std::ranges::find(narrow_.specialized, pair) != narrow_.specialized.end();
    });
  }

  /// The value that `name` has in all calls of the narrow entry.
  std::optional<int64_t> ConstantOf(ExprId name) const {
    const std::optional<SizeTerm> term = narrow_.TermAt(inputs_.PlaceOf(name, 0));
    return term && term->IsConstant() ? std::optional(term->coefficient) : std::nullopt;
  }

  bool IsAnswered(const AskedQuestion& asked) const {
    ExprPool& pool = *inputs_.body().pool;
    const auto known = [&](ExprId predicate) {
      return pool.Substitute(predicate, [&](ExprId symbol) {
        const std::optional<int64_t> constant = ConstantOf(symbol);
        return constant ? pool.Integer(*constant) : ExprId::kNone;
      });
    };
    const ExprId predicate = known(asked.predicate);
    const std::optional<int64_t> value =
        pool.Evaluate(predicate, [](ExprId) { return std::optional<int64_t>(); });
    if (value) return (*value != 0) == asked.answer;
    return std::ranges::any_of(narrow_.questions, [&](const AskedQuestion& other) {
      return other.answer == asked.answer && known(other.predicate) == predicate;
    });
  }

  const CacheEntry& wide_;
  const CacheEntry& narrow_;
  CallInputs& inputs_;
  std::vector<std::optional<SizeTerm>> terms_;  ///< of the wide entry's symbols
  std::vector<uint32_t> equal_;  ///< for each symbol of the narrow entry the one it is equal to
};

}  // namespace

bool Covers(const CacheEntry& wide, const CacheEntry& narrow, CallInputs& inputs) {
  return Comparison(wide, narrow, inputs).Covers();
}

}  // namespace shapewise
