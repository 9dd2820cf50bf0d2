#include "dynamo/compile.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "symbolic/constraint_system.h"

namespace shapewise {
namespace {

/// Sizes below 2 never become symbols, so a range need not contain them.
constexpr int64_t kLeastSymbolicSize = 2;

/// The guards of one entry as predicates over its symbols.
class SymbolicGuards {
 public:
  SymbolicGuards(const CacheEntry& entry, uint32_t frame, CallInputs& inputs)
      : entry_(entry), frame_(frame), inputs_(inputs), pool_(*inputs.body().pool) {
    for (const AskedQuestion& question : entry.questions) {
      const ExprId asked = InSymbols(question.predicate);
      predicates_.push_back(question.answer ? asked : pool_.Not(asked));
    }
    for (const auto& [place, value] : entry.specialized) {
      predicates_.push_back(pool_.Binary(ExprKind::kEqual, InSymbols(place), pool_.Integer(value)));
    }
  }

  const std::vector<ExprId>& predicates() const { return predicates_; }
  ExprPool& pool() { return pool_; }

  ExprId Symbol(uint32_t number) { return pool_.Symbol("size " + std::to_string(number)); }

  void AddRanges(ConstraintSystem& system) {
    for (uint32_t number = 0; number < entry_.symbols.size(); ++number) {
      system.AddVariable(Symbol(number), entry_.symbols[number].range);
    }
  }

 private:
  ExprId InSymbols(ExprId expression) {
    return pool_.Substitute(expression, [&](ExprId place) { return TermAt(place); });
  }

  /// The term of the entry for `place`; kNone if not found.
  ExprId TermAt(ExprId place) {
    const std::optional<SizeTerm> term = entry_.TermAt(inputs_.PlaceOf(place, frame_));
    if (!term) return ExprId::kNone;
    std::vector<ExprId> factors{pool_.Integer(term->coefficient)};
    for (const uint32_t symbol : term->symbols) factors.push_back(Symbol(symbol));
    return pool_.Mul(factors);
  }

  const CacheEntry& entry_;
  uint32_t frame_;
  CallInputs& inputs_;
  ExprPool& pool_;
  std::vector<ExprId> predicates_;
};

/// The combined demands on one symbol: several dims may share it.
Interval DemandedRange(const DimPlan& plan) {
  return {.lower = std::max(plan.min, kLeastSymbolicSize), .upper = plan.max};
}

bool MayTie(const CacheEntry& entry, const DimDemanded& demand, uint32_t symbol,
            const InputRow& row) {
  const int64_t hint = entry.symbols[symbol].hint;
  for (const InputGuard& guard : entry.guards) {
    const InputTensor* const tensor = row[guard.input].tensor;
    if (tensor == nullptr || guard.test != InputGuard::Test::kTensor) continue;
    for (size_t dim = 0; dim < tensor->sizes.size(); ++dim) {
      if (tensor->sizes[dim] != hint) continue;
      const SizeTerm& term = guard.symbolic.sizes[dim];
      if (term.IsConstant()) return true;
      const bool is_same = term.symbols.front() == symbol;
      const Interval& range = entry.symbols[term.symbols.front()].range;
      if (!is_same && demand.plan.demand == DimDemand::kRange &&
          !Contains(range, DemandedRange(demand.plan))) {
        return true;
      }
    }
  }
  return false;
}

bool HasPart(const ExprPool& pool, ExprId expression, std::initializer_list<ExprKind> kinds) {
  return llvm::is_contained(kinds, pool.kind(expression)) ||
         llvm::any_of(pool.operands(expression),
                      [&](ExprId part) { return HasPart(pool, part, kinds); });
}

/// Whether PyTorch narrows the range of a symbol by `predicate`: it solves comparisons in which the
/// symbol is on one side, but neither remainders nor equations with a division (try_solve in
/// torch/utils/_sympy/solve.py).
bool NarrowsRanges(const ExprPool& pool, ExprId predicate) {
  const ExprKind kind = pool.kind(predicate);
  if (kind != ExprKind::kEqual && kind != ExprKind::kLess && kind != ExprKind::kLessEqual) {
    return false;
  }
  const auto sides = pool.operands(predicate);
  const std::vector<ExprId> left = pool.SymbolsOf(sides[0]);
  const std::vector<ExprId> right = pool.SymbolsOf(sides[1]);
  if (llvm::any_of(left, [&](ExprId symbol) { return llvm::is_contained(right, symbol); })) {
    return false;
  }
  return !HasPart(pool, predicate, {ExprKind::kMod}) &&
         (kind != ExprKind::kEqual ||
          !HasPart(pool, predicate, {ExprKind::kFloorDiv, ExprKind::kCeilDiv}));
}

/// Whether the guards leave one value for `name`, as far as PyTorch finds out.
bool IsPinnedByRanges(ExprId name, SymbolicGuards& guards) {
  ConstraintSystem system(guards.pool());
  guards.AddRanges(system);
  for (const ExprId predicate : guards.predicates()) {
    if (NarrowsRanges(guards.pool(), predicate)) system.AddConstraint(predicate);
  }
  const Interval left = system.RangeOf(name);
  return left.lower && left.lower == left.upper;
}

/// Whether no guard relates `name` to another symbol.
bool IsAskedAlone(ExprId name, SymbolicGuards& guards) {
  return llvm::all_of(guards.predicates(), [&](ExprId predicate) {
    const std::vector<ExprId> symbols = guards.pool().SymbolsOf(predicate);
    return symbols.size() == 1 || !llvm::is_contained(symbols, name);
  });
}

/// Whether the guards exclude a value that `demand` requires for `symbol`.
DemandVerdict CheckAgainstGuards(const DimDemanded& demand, uint32_t symbol,
                                 const CacheEntry& entry, SymbolicGuards& guards) {
  if (guards.predicates().empty()) return DemandVerdict::kMet;
  const ExprId name = guards.Symbol(symbol);
  ConstraintSystem system(guards.pool());
  guards.AddRanges(system);
  if (demand.plan.demand == DimDemand::kRange) {
    for (const ExprId predicate : guards.predicates()) {
      if (guards.pool().SymbolsOf(predicate) != std::vector<ExprId>{name}) continue;
      const ExprId negated = guards.pool().Not(predicate);
      if (system.IsSatisfiable({&negated, 1}) != Truth::kFalse) return DemandVerdict::kViolated;
    }
  }
  for (const ExprId predicate : guards.predicates()) system.AddConstraint(predicate);
  const Interval left = system.RangeOf(name);
  const bool is_pinned = left.lower && left.lower == left.upper;
  if (is_pinned) {
    if (IsPinnedByRanges(name, guards)) return DemandVerdict::kViolated;
    // An equation with another symbol may make it that symbol, whose value may be known.
    if (!IsAskedAlone(name, guards)) return DemandVerdict::kUndecided;
  }
  if (demand.plan.demand == DimDemand::kRange && !Contains(left, entry.symbols[symbol].range)) {
    return DemandVerdict::kViolated;
  }
  return DemandVerdict::kMet;
}

}  // namespace

DemandVerdict CheckDemands(const CacheEntry& entry, const std::vector<DimDemanded>& demands,
                           uint32_t frame, const InputRow& row, bool asks_unknown_equalities,
                           CallInputs& inputs) {
  if (demands.empty()) return DemandVerdict::kMet;
  SymbolicGuards guards(entry, frame, inputs);
  DemandVerdict verdict = DemandVerdict::kMet;
  for (const DimDemanded& demand : demands) {
    const SizeTerm& term = entry.guards[demand.guard].symbolic.sizes[demand.dim];
    if (term.IsConstant()) {
      const bool is_zero_one = term.coefficient == 0 || term.coefficient == 1;
      const bool is_meant = demand.plan.demand == DimDemand::kRange
                                ? demand.plan.min == demand.plan.max
                                : is_zero_one;
      if (!is_meant) return DemandVerdict::kViolated;
      continue;
    }
    const uint32_t symbol = term.symbols.front();
    if (entry.symbols[symbol].is_unbacked) continue;
    if (demand.plan.demand == DimDemand::kRange &&
        !Contains(entry.symbols[symbol].range, DemandedRange(demand.plan))) {
      return DemandVerdict::kViolated;
    }
    const DemandVerdict found = CheckAgainstGuards(demand, symbol, entry, guards);
    if (found == DemandVerdict::kViolated) return found;
    if (found == DemandVerdict::kUndecided) verdict = found;
    if (asks_unknown_equalities && MayTie(entry, demand, symbol, row)) {
      verdict = DemandVerdict::kUndecided;
    }
  }
  return verdict;
}

}  // namespace shapewise
