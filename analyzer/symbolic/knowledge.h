// What follows from a list of predicates, worked out once, and asked often.

#ifndef SHAPEWISE_SYMBOLIC_KNOWLEDGE_H_
#define SHAPEWISE_SYMBOLIC_KNOWLEDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "domain.h"
#include "linear_form.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "shapewise/symbolic/facts.h"

namespace shapewise {

/// Each predicate becomes a bound, a residue or an excluded value of a direction (a symbol, another
/// base, or a sum of such), or a substitution for a symbol; what is learned of one direction is
/// passed on to those that share a base with it, for a few rounds.
class Knowledge {
 public:
  Knowledge(ExprPool& pool, std::span<const ExprId> predicates);

  Interval RangeOf(ExprId expression);
  Congruence CongruenceOf(ExprId expression);
  Truth Prove(ExprId predicate);
  bool is_contradictory() const { return is_contradictory_; }

 private:
  /// Of longer products the factors are not looked at one by one.
  static constexpr size_t kMaxFactors = 16;

  /// A sum (or one base) of which something was told.
  struct Relation {
    LinearForm form;  ///< its offset is 0
    Domain domain;
    llvm::SmallVector<int64_t, 1> excluded;
  };

  static uint32_t KeyOf(ExprId id) { return static_cast<uint32_t>(id); }

  // Building: knowledge.cc
  void Collect(ExprId predicate);
  void SolveEqualities();
  bool SolveFor(ExprId equality);
  void AddSubstitution(ExprId symbol, ExprId replacement);
  ExprId Apply(ExprId expression);
  void AddFact(ExprId predicate);
  void AddComparison(ExprId predicate);
  void NarrowForm(const LinearForm& form, const Domain& domain);
  void NarrowExpression(ExprId expression, const Domain& domain);
  void Exclude(const LinearForm& form);
  Relation* FindOrAddRelation(const LinearForm& form, const Direction& direction);
  void RunRound();
  void DropExcludedBounds(Relation& relation);
  void PassOn(const Relation& relation);
  void PassOnToOperands(ExprId base, const Domain& domain);
  void PassOnToDividend(ExprId dividend, ExprId divisor, const Domain& domain);
  void PassOnToChoices(ExprId choice, const Domain& domain);
  void PassOnToFactors(ExprId product, const Domain& domain);
  void PruneAlternatives();

  // Asking: bounds.cc
  Domain DomainOfBase(ExprId base);
  Domain StructuralDomain(ExprId base);
  Domain DomainOfPower(ExprId power);
  Domain DomainOfChoice(ExprId choice);
  /// Of an operand: by its parts alone.
  Domain DomainOfOperand(ExprId expression);
  /// Bounds of a form without its denominator; `depth`: how many rewritings may follow each other.
  Interval BoundForm(const LinearForm& form, int depth);
  Interval BoundByTerm(const LinearForm& form, size_t index, int depth);
  Interval BoundByQuotient(const LinearForm& form, size_t index, int depth);
  Interval BoundByRemainder(const LinearForm& form, size_t index, int depth);
  Interval BoundByChoice(const LinearForm& form, size_t index, int depth);
  Interval BoundByRelations(const LinearForm& form, int depth);
  Interval BoundByFactoring(const LinearForm& form, int depth);
  Congruence CongruenceOfForm(const LinearForm& form);
  const Relation* FindRelation(const LinearForm& form, Direction& direction);
  /// Whether `form` is told not to be 0.
  bool IsExcluded(const LinearForm& form);
  Truth ProveComparison(ExprId predicate);
  Truth ProveLogic(ExprId predicate);
  Truth ProveApplied(ExprId predicate);

  ExprPool& pool_;
  std::vector<ExprId> conjuncts_;
  std::vector<ExprId> alternatives_;  ///< disjunctions of which no branch was chosen yet
  llvm::DenseMap<uint32_t, ExprId> substitution_;
  /// The symbols in whose replacement a symbol stands.
  llvm::DenseMap<uint32_t, std::vector<ExprId>> users_;
  llvm::DenseSet<uint32_t> literals_;
  std::vector<Relation> relations_;
  llvm::DenseMap<uint32_t, uint32_t> relation_of_direction_;
  llvm::DenseMap<uint32_t, std::vector<uint32_t>> relations_of_base_;  ///< sums only
  llvm::DenseMap<uint32_t, Domain> cache_;
  uint32_t budget_ = 0;
  bool has_changed_ = false;
  bool is_contradictory_ = false;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SYMBOLIC_KNOWLEDGE_H_
