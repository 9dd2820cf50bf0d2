#include "symbolic/constraint_search.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace shapewise::constraints {
namespace {

// With more rows, elimination grows faster than it helps.
constexpr size_t kMostRows = 400;
constexpr size_t kMostVariables = 128;

enum class Status : uint8_t { kOpen, kRefuted, kGaveUp };

class Elimination {
 public:
  explicit Elimination(Budget& budget) : budget_(budget) {}

  void Add(const LinearForm& form, Relation relation) {
    if (relation == Relation::kEqual) {
      AddEquality(form);
    } else {
      AddInequality(form);
    }
  }

  bool Refutes() {
    if (!SolveEqualities()) return true;
    while (status_ == Status::kOpen) {
      const std::optional<uint32_t> variable = NextVariable();
      if (!variable) break;
      Eliminate(*variable);
    }
    return status_ == Status::kRefuted;
  }

 private:
  using Terms = std::vector<Term>;

  static uint64_t CommonFactor(const LinearForm& form) {
    uint64_t common = 0;
    for (const Term& term : form.terms) common = Gcd(common, Magnitude(term.coefficient));
    return common;
  }

  void AddEquality(LinearForm form) {
    if (form.terms.empty()) {
      if (form.constant != 0) status_ = Status::kRefuted;
      return;
    }
    const auto common = static_cast<int64_t>(CommonFactor(form));
    if (form.constant % common != 0) {
      status_ = Status::kRefuted;
      return;
    }
    for (Term& term : form.terms) term.coefficient /= common;
    form.constant /= common;
    equalities_.push_back(std::move(form));
  }

  // Of rows with equal terms, only the strongest is kept.
  void AddInequality(LinearForm form) {
    if (form.terms.empty()) {
      if (form.constant > 0) status_ = Status::kRefuted;
      return;
    }
    const auto common = static_cast<int64_t>(CommonFactor(form));
    for (Term& term : form.terms) term.coefficient /= common;
    const auto constant = static_cast<int64_t>(CeilDivide(form.constant, common));
    const auto [row, is_new] = rows_.try_emplace(std::move(form.terms), constant);
    if (!is_new) row->second = std::max(row->second, constant);
    if (rows_.size() > kMostRows) status_ = Status::kGaveUp;
  }

  // Equalities with a unit coefficient are solved for that variable; others become two
  // inequalities.
  bool SolveEqualities() {
    while (!equalities_.empty() && status_ == Status::kOpen) {
      LinearForm equality = std::move(equalities_.back());
      equalities_.pop_back();
      const auto unit =
          std::find_if(equality.terms.begin(), equality.terms.end(),
                       [](const Term& term) { return Magnitude(term.coefficient) == 1; });
      if (unit == equality.terms.end()) {
        AddInequality(equality);
        if (const auto negated = AddScaled({}, equality, -1)) AddInequality(*negated);
        continue;
      }
      Replace(*unit, equality);
    }
    return status_ != Status::kRefuted;
  }

  void Replace(Term unit, const LinearForm& equality) {
    const auto replaced = [&](const LinearForm& form) -> std::optional<LinearForm> {
      for (const Term& term : form.terms) {
        if (term.variable != unit.variable) continue;
        const int64_t factor = unit.coefficient > 0 ? -term.coefficient : term.coefficient;
        return AddScaled(form, equality, factor);
      }
      return form;
    };
    budget_.Spend(rows_.size() + equalities_.size());
    std::vector<LinearForm> equalities = std::move(equalities_);
    equalities_.clear();
    for (const LinearForm& form : equalities) {
      if (auto result = replaced(form)) AddEquality(std::move(*result));
    }
    const std::map<Terms, int64_t> rows = std::exchange(rows_, {});
    for (const auto& [terms, constant] : rows) {
      // Overflowing rows are dropped: fewer rows refute less.
      if (auto result = replaced({terms, constant})) AddInequality(std::move(*result));
    }
  }

  struct Uses {
    size_t positive = 0;
    size_t negative = 0;
  };

  // The variable whose elimination leaves the fewest rows.
  std::optional<uint32_t> NextVariable() const {
    budget_.Spend(rows_.size());
    std::map<uint32_t, Uses> uses;
    for (const auto& [terms, constant] : rows_) {
      for (const Term& term : terms) {
        Uses& use = uses[term.variable];
        ++(term.coefficient > 0 ? use.positive : use.negative);
      }
    }
    std::optional<uint32_t> best;
    int64_t best_growth = 0;
    for (const auto& [variable, use] : uses) {
      const int64_t growth = static_cast<int64_t>(use.positive * use.negative) -
                             static_cast<int64_t>(use.positive + use.negative);
      if (best && growth >= best_growth) continue;
      best = variable;
      best_growth = growth;
    }
    return best;
  }

  void Eliminate(uint32_t variable) {
    std::vector<std::pair<LinearForm, int64_t>> above;
    std::vector<std::pair<LinearForm, int64_t>> below;
    std::map<Terms, int64_t> rest;
    for (const auto& [terms, constant] : rows_) {
      int64_t coefficient = 0;
      for (const Term& term : terms) {
        if (term.variable == variable) coefficient = term.coefficient;
      }
      if (coefficient == 0) {
        rest.emplace(terms, constant);
      } else {
        (coefficient > 0 ? above : below).push_back({{terms, constant}, coefficient});
      }
    }
    rows_ = std::move(rest);
    for (const auto& [upper, a] : above) {
      for (const auto& [lower, b] : below) {
        budget_.Spend(4);
        const auto common = static_cast<int64_t>(Gcd(Magnitude(a), Magnitude(b)));
        const auto scaled = AddScaled({}, upper, -b / common);
        const auto sum = scaled ? AddScaled(*scaled, lower, a / common) : std::nullopt;
        if (sum) AddInequality(*sum);
        if (status_ != Status::kOpen) return;
      }
    }
  }

  Budget& budget_;
  std::vector<LinearForm> equalities_;
  std::map<Terms, int64_t> rows_;  // sum of terms + constant <= 0
  Status status_ = Status::kOpen;
};

}  // namespace

bool IsLinearlyRefuted(const Model& model, const SearchState& state, Budget& budget) {
  Elimination elimination(budget);
  std::set<uint32_t> variables;
  size_t num_rows = 0;
  for (uint32_t i = 0; i < model.propagators().size(); ++i) {
    const Propagator& propagator = model.propagators()[i];
    if (!state.IsActive(i) || propagator.kind != Propagator::Kind::kLinear ||
        propagator.relation == Relation::kNotEqual) {
      continue;
    }
    // Variables with one remaining value are constants.
    std::optional<LinearForm> form = LinearForm{{}, propagator.form.constant};
    for (const Term& term : propagator.form.terms) {
      const Domain& domain = state.domains[term.variable];
      if (domain.IsFixed()) {
        form = AddScaled(*form, {{}, domain.lower}, term.coefficient);
      } else {
        form->terms.push_back(term);
      }
      if (!form) break;
    }
    if (!form) continue;
    for (const Term& term : form->terms) variables.insert(term.variable);
    elimination.Add(*form, propagator.relation);
    ++num_rows;
  }
  if (num_rows < 2 || variables.size() > kMostVariables) return false;
  for (const uint32_t variable : variables) {
    const Domain& domain = state.domains[variable];
    if (domain.lower != kMinusInfinity) {
      elimination.Add({{{variable, -1}}, domain.lower}, Relation::kLessEqual);
    }
    if (domain.upper != kPlusInfinity && domain.upper != kMinusInfinity) {
      elimination.Add({{{variable, 1}}, -domain.upper}, Relation::kLessEqual);
    }
  }
  budget.Spend(num_rows);
  return elimination.Refutes();
}

}  // namespace shapewise::constraints
