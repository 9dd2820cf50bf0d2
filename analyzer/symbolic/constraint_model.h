// Translates guards to linear comparisons, definitions of nonlinear terms, and their combination by
// "and" and "or".
//
// Every nonlinear subexpression (a product, a quotient, a remainder, a minimum) becomes an
// auxiliary variable with a definition. A comparison is then linear: sum of coefficient * variable
// plus a constant, <= 0, == 0 or != 0. A definition holds only where a comparison that uses it is
// asserted: in "b == 0 or a // b == 2" the quotient does not exist if b is 0.

#ifndef SHAPEWISE_SYMBOLIC_CONSTRAINT_MODEL_H_
#define SHAPEWISE_SYMBOLIC_CONSTRAINT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "symbolic/constraint_domain.h"
#include "symbolic/expression.h"
#include "symbolic/interval.h"

namespace shapewise::constraints {

struct Term {
  uint32_t variable = 0;
  int64_t coefficient = 0;
  friend bool operator==(const Term&, const Term&) = default;
  friend auto operator<=>(const Term&, const Term&) = default;
};

/// Sum of terms plus a constant; terms are sorted by variable, without zero coefficients.
struct LinearForm {
  std::vector<Term> terms;
  int64_t constant = 0;

  bool IsConstant() const { return terms.empty(); }
  friend bool operator==(const LinearForm&, const LinearForm&) = default;
  friend auto operator<=>(const LinearForm&, const LinearForm&) = default;
};

/// a + factor * b; absent: a number does not fit (coefficients are limited to 2^40).
std::optional<LinearForm> AddScaled(const LinearForm& a, const LinearForm& b, int64_t factor);

enum class Relation : uint8_t { kLessEqual, kEqual, kNotEqual };  ///< relation of a form to zero

/// A relation between variables; those that its kind does not name are unused.
struct Operation {
  enum class Kind : uint8_t {
    kLinear,          ///< of a propagator: form, relation; of a definition: result == form
    kProduct,         ///< result == left * right
    kDivide,          ///< result == left // right, remainder == left % right
    kDivideConstant,  ///< result == form // divisor, remainder == form % divisor; a definition
    kMinimum,         ///< result == least of `operands`
    kMaximum,         ///< result == greatest of `operands`
  };
  Kind kind = Kind::kLinear;
  LinearForm form;
  uint32_t result = 0;
  uint32_t left = 0;
  uint32_t right = 0;
  uint32_t remainder = 0;
  std::vector<uint32_t> operands;

  bool IsDivision() const { return kind == Kind::kDivide || kind == Kind::kDivideConstant; }
};

/// Restricts the domains of its variables to possible values.
struct Propagator : Operation {
  Relation relation = Relation::kLessEqual;
  /// Stronger propagators of which one must hold: both sides of a !=, the operand that is the
  /// minimum. A search that cannot enumerate values asserts them one at a time.
  std::vector<uint32_t> cases = {};
};

/// How the value of an auxiliary variable depends on others.
struct Definition : Operation {
  int64_t divisor = 0;
  std::vector<uint32_t> propagators;  ///< propagators that enforce it
  std::vector<uint32_t> needs;        ///< definitions of its operands, transitively, ascending
};

struct Variable {
  ExprId symbol = ExprId::kNone;  ///< kNone: auxiliary
  Domain domain;
  std::optional<uint32_t> definition;
};

/// A node in the tree of "and" and "or".
struct Formula {
  enum class Kind : uint8_t { kComparison, kAnd, kOr };
  Kind kind = Kind::kComparison;
  uint32_t propagator = 0;            ///< for kComparison
  std::vector<uint32_t> definitions;  ///< definitions that the comparison uses, ascending
  std::vector<uint32_t> children;     ///< for kAnd and kOr; an empty kOr is false
};

/// The truth of a kAnd or kOr, given that of each child.
template <typename Judge>
Truth JudgeJunction(const Formula& formula, const Judge& judge) {
  const bool is_or = formula.kind == Formula::Kind::kOr;
  const Truth decisive = is_or ? Truth::kTrue : Truth::kFalse;
  Truth all = is_or ? Truth::kFalse : Truth::kTrue;
  for (const uint32_t child : formula.children) {
    const Truth truth = judge(child);
    if (truth == decisive) return decisive;
    if (truth == Truth::kUnknown) all = Truth::kUnknown;
  }
  return all;
}

/// Constraints over variables 0 to num_symbols - 1, followed by auxiliary variables.
class Model {
 public:
  /// Symbols are numbered as in `symbols`, which must contain all that occur; `domains` are theirs.
  Model(const ExprPool& pool, std::span<const ExprId> symbols, std::span<const Domain> domains,
        std::span<const ExprId> predicates);

  const std::vector<Variable>& variables() const { return variables_; }
  const std::vector<Propagator>& propagators() const { return propagators_; }
  const std::vector<Definition>& definitions() const { return definitions_; }
  const std::vector<Formula>& formulas() const { return formulas_; }
  size_t num_symbols() const { return num_symbols_; }
  /// The formula of a constraint, without parts that are not understood.
  uint32_t constraint(size_t index) const { return constraints_[index]; }
  /// Whether part of the constraint was not understood; the formula is then weaker.
  bool IsPartial(size_t index) const { return partial_[index]; }
  /// Propagators that depend on a variable.
  std::span<const uint32_t> WatchersOf(uint32_t variable) const { return watchers_[variable]; }
  /// The symbols that a variable depends on, ascending; for a symbol, itself.
  const std::vector<uint32_t>& SymbolsIn(uint32_t variable) const { return symbols_in_[variable]; }
  const std::vector<uint32_t>& SymbolsOfFormula(uint32_t formula) const {
    return symbols_of_formula_[formula];
  }
  /// All constant divisors, and coefficients of equalities: possibly relevant moduli.
  std::span<const int64_t> moduli() const { return moduli_; }

 private:
  std::optional<uint32_t> TranslatePredicate(ExprId id);
  std::optional<uint32_t> TranslateComparison(ExprId id, ExprKind kind);
  std::optional<uint32_t> TranslateJunction(ExprId id, ExprKind kind);
  std::optional<LinearForm> TranslateInteger(ExprId id);
  std::optional<LinearForm> TranslateSum(ExprId id);
  std::optional<LinearForm> TranslateProduct(std::span<const ExprId> factors);
  std::optional<LinearForm> TranslatePower(ExprId id);
  std::optional<LinearForm> TranslateExtreme(ExprId id, ExprKind kind);
  std::optional<LinearForm> TranslateDivision(ExprId dividend, ExprId divisor, ExprKind kind);
  std::optional<LinearForm> TranslateCompute(ExprId id);
  std::optional<LinearForm> Multiply(const LinearForm& a, const LinearForm& b);
  std::optional<uint32_t> Divide(const LinearForm& dividend, const LinearForm& divisor);
  uint32_t VariableFor(const LinearForm& form);
  uint32_t AddAuxiliary(const Domain& domain);
  uint32_t AddPropagator(Propagator propagator);
  uint32_t AddLinear(LinearForm form, Relation relation);
  uint32_t AddDefinition(Definition definition, std::span<const uint32_t> operands);
  uint32_t AddFormula(Formula formula);
  std::vector<uint32_t> DefinitionsOf(std::span<const uint32_t> operands) const;
  void FindWatchers();
  void FindSymbols();

  const ExprPool& pool_;
  std::vector<Variable> variables_;
  std::vector<Propagator> propagators_;
  std::vector<Definition> definitions_;
  std::vector<Formula> formulas_;
  std::vector<uint32_t> constraints_;
  std::vector<bool> partial_;
  std::vector<std::vector<uint32_t>> watchers_;
  std::vector<std::vector<uint32_t>> symbols_in_;
  std::vector<std::vector<uint32_t>> symbols_of_formula_;
  std::vector<int64_t> moduli_;
  std::map<ExprId, uint32_t> symbol_numbers_;
  std::map<ExprId, std::optional<LinearForm>> translated_;
  std::map<LinearForm, uint32_t> named_forms_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> products_;
  std::map<std::pair<LinearForm, LinearForm>, uint32_t> divisions_;
  size_t num_symbols_ = 0;
  bool is_partial_ = false;
};

}  // namespace shapewise::constraints

#endif  // SHAPEWISE_SYMBOLIC_CONSTRAINT_MODEL_H_
