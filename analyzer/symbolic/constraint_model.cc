#include "symbolic/constraint_model.h"

#include <algorithm>

namespace shapewise::constraints {
namespace {

// Keeps sums of coefficient * bound far within 128 bits.
constexpr Wide kLargestCoefficient = static_cast<Wide>(1) << 40;
// Up to x ** 16, powers are treated as products.
constexpr int64_t kLargestExponent = 16;

LinearForm ConstantForm(int64_t value) { return {{}, value}; }

LinearForm VariableForm(uint32_t variable) { return {{{variable, 1}}, 0}; }

std::vector<uint32_t> VariablesOf(const LinearForm& form) {
  std::vector<uint32_t> variables;
  variables.reserve(form.terms.size());
  for (const Term& term : form.terms) variables.push_back(term.variable);
  return variables;
}

}  // namespace

std::optional<LinearForm> AddScaled(const LinearForm& a, const LinearForm& b, int64_t factor) {
  LinearForm sum;
  const auto constant = Narrow(static_cast<Wide>(b.constant) * factor + a.constant);
  if (!constant) return std::nullopt;
  sum.constant = *constant;
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    const bool takes_left =
        right == b.terms.end() || (left != a.terms.end() && left->variable <= right->variable);
    const uint32_t variable = takes_left ? left->variable : right->variable;
    Wide coefficient = 0;
    if (takes_left) coefficient += (left++)->coefficient;
    if (right != b.terms.end() && right->variable == variable) {
      coefficient += static_cast<Wide>((right++)->coefficient) * factor;
    }
    if (coefficient >= kLargestCoefficient || coefficient <= -kLargestCoefficient) {
      return std::nullopt;
    }
    if (coefficient != 0) sum.terms.push_back({variable, static_cast<int64_t>(coefficient)});
  }
  return sum;
}

Model::Model(const ExprPool& pool, std::span<const ExprId> symbols, std::span<const Domain> domains,
             std::span<const ExprId> predicates)
    : pool_(pool), num_symbols_(symbols.size()) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    symbol_numbers_[symbols[i]] = static_cast<uint32_t>(i);
    variables_.push_back({symbols[i], domains[i], std::nullopt});
  }
  for (const ExprId predicate : predicates) {
    is_partial_ = false;
    std::optional<uint32_t> formula = TranslatePredicate(predicate);
    if (!formula) {
      is_partial_ = true;
      formula = AddFormula({Formula::Kind::kAnd, 0, {}, {}});
    }
    constraints_.push_back(*formula);
    partial_.push_back(is_partial_);
  }
  FindWatchers();
  FindSymbols();
  std::sort(moduli_.begin(), moduli_.end());
  moduli_.erase(std::unique(moduli_.begin(), moduli_.end()), moduli_.end());
}

// Absent: `id` is not understood at all.
std::optional<uint32_t> Model::TranslatePredicate(ExprId id) {
  const ExprKind kind = pool_.kind(id);
  switch (kind) {
    case ExprKind::kTrue:
      return AddFormula({Formula::Kind::kAnd, 0, {}, {}});
    case ExprKind::kFalse:
      return AddFormula({Formula::Kind::kOr, 0, {}, {}});
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return TranslateJunction(id, kind);
    case ExprKind::kEqual:
    case ExprKind::kNotEqual:
    case ExprKind::kLess:
    case ExprKind::kLessEqual:
    case ExprKind::kNot:
      return TranslateComparison(id, kind);
    default:
      return TranslateComparison(id, ExprKind::kNone);
  }
}

std::optional<uint32_t> Model::TranslateJunction(ExprId id, ExprKind kind) {
  const bool is_or = kind == ExprKind::kOr;
  const std::span<const ExprId> operands = pool_.operands(id);
  Formula formula;
  formula.kind = is_or ? Formula::Kind::kOr : Formula::Kind::kAnd;
  for (const ExprId operand : operands) {
    const auto child = TranslatePredicate(operand);
    if (child) {
      formula.children.push_back(*child);
      continue;
    }
    // Dropping this operand weakens an "and", but would strengthen an "or".
    is_partial_ = true;
    if (is_or) return std::nullopt;
  }
  return AddFormula(std::move(formula));
}

std::optional<uint32_t> Model::TranslateComparison(ExprId id, ExprKind kind) {
  std::optional<LinearForm> form;
  Relation relation = Relation::kLessEqual;
  if (kind == ExprKind::kNone || kind == ExprKind::kNot) {
    // An integer used as a truth value.
    form = TranslateInteger(kind == ExprKind::kNot ? pool_.operands(id)[0] : id);
    relation = kind == ExprKind::kNot ? Relation::kEqual : Relation::kNotEqual;
  } else {
    ExprId left = pool_.operands(id)[0];
    ExprId right = pool_.operands(id)[1];
    int64_t left_factor = 1;
    int64_t right_factor = 1;
    // a / k < b means a < k * b; the quotient itself need not be an integer.
    const auto strip_division = [&](ExprId& side, int64_t& other_factor) {
      if (pool_.kind(side) != ExprKind::kTrueDiv) return;
      const ExprId divisor = pool_.operands(side)[1];
      if (pool_.kind(divisor) != ExprKind::kInteger || pool_.value(divisor) <= 0) return;
      other_factor = pool_.value(divisor);
      side = pool_.operands(side)[0];
    };
    strip_division(left, right_factor);
    strip_division(right, left_factor);
    const auto left_form = TranslateInteger(left);
    const auto right_form = TranslateInteger(right);
    if (!left_form || !right_form) return std::nullopt;
    if (right_factor == kMinusInfinity) return std::nullopt;
    form = AddScaled({}, *left_form, left_factor);
    if (form) form = AddScaled(*form, *right_form, -right_factor);
    if (kind == ExprKind::kLess && form) form = AddScaled(*form, ConstantForm(1), 1);
    if (kind == ExprKind::kEqual) relation = Relation::kEqual;
    if (kind == ExprKind::kNotEqual) relation = Relation::kNotEqual;
  }
  if (!form) return std::nullopt;
  Formula formula;
  formula.definitions = DefinitionsOf(VariablesOf(*form));
  formula.propagator = AddLinear(std::move(*form), relation);
  return AddFormula(std::move(formula));
}

std::optional<LinearForm> Model::TranslateInteger(ExprId id) {
  const auto known = translated_.find(id);
  if (known != translated_.end()) return known->second;
  std::optional<LinearForm> form = TranslateCompute(id);
  translated_[id] = form;
  return form;
}

std::optional<LinearForm> Model::TranslateCompute(ExprId id) {
  const ExprKind kind = pool_.kind(id);
  switch (kind) {
    case ExprKind::kInteger: {
      const auto value = Narrow(pool_.value(id));
      if (!value) return std::nullopt;
      return ConstantForm(*value);
    }
    case ExprKind::kSymbol:
      return VariableForm(symbol_numbers_.at(id));
    case ExprKind::kAdd:
      return TranslateSum(id);
    case ExprKind::kMul:
      return TranslateProduct(pool_.operands(id));
    case ExprKind::kPower:
      return TranslatePower(id);
    case ExprKind::kMin:
    case ExprKind::kMax:
      return TranslateExtreme(id, kind);
    case ExprKind::kFloorDiv:
    case ExprKind::kCeilDiv:
    case ExprKind::kMod:
      return TranslateDivision(pool_.operands(id)[0], pool_.operands(id)[1], kind);
    default:
      return std::nullopt;
  }
}

std::optional<LinearForm> Model::TranslateSum(ExprId id) {
  std::optional<LinearForm> sum = LinearForm();
  for (const ExprId operand : pool_.operands(id)) {
    const auto form = TranslateInteger(operand);
    if (!form) return std::nullopt;
    sum = AddScaled(*sum, *form, 1);
    if (!sum) return std::nullopt;
  }
  return sum;
}

std::optional<LinearForm> Model::TranslateProduct(std::span<const ExprId> factors) {
  std::optional<LinearForm> product = ConstantForm(1);
  for (const ExprId factor : factors) {
    const auto form = TranslateInteger(factor);
    if (!form) return std::nullopt;
    product = Multiply(*product, *form);
    if (!product) return std::nullopt;
  }
  return product;
}

std::optional<LinearForm> Model::TranslatePower(ExprId id) {
  const ExprId exponent = pool_.operands(id)[1];
  if (pool_.kind(exponent) != ExprKind::kInteger) return std::nullopt;
  const int64_t count = pool_.value(exponent);
  if (count < 0 || count > kLargestExponent) return std::nullopt;
  return TranslateProduct(std::vector<ExprId>(static_cast<size_t>(count), pool_.operands(id)[0]));
}

std::optional<LinearForm> Model::TranslateExtreme(ExprId id, ExprKind kind) {
  const bool is_minimum = kind == ExprKind::kMin;
  Definition definition;
  definition.kind = is_minimum ? Definition::Kind::kMinimum : Definition::Kind::kMaximum;
  for (const ExprId operand : pool_.operands(id)) {
    const auto form = TranslateInteger(operand);
    if (!form) return std::nullopt;
    definition.operands.push_back(VariableFor(*form));
  }
  definition.result = AddAuxiliary({});
  Propagator extreme{definition};
  const int64_t sign = is_minimum ? 1 : -1;
  for (const uint32_t operand : definition.operands) {
    // The result is at least as good as every operand, and equals one of them.
    const auto beyond = AddScaled(AddScaled({}, VariableForm(definition.result), sign).value(),
                                  VariableForm(operand), -sign);
    definition.propagators.push_back(AddLinear(*beyond, Relation::kLessEqual));
    extreme.cases.push_back(AddLinear(AddScaled({}, *beyond, -1).value(), Relation::kLessEqual));
  }
  definition.propagators.push_back(AddPropagator(std::move(extreme)));
  const uint32_t result = definition.result;
  const std::vector<uint32_t> operands = definition.operands;
  AddDefinition(std::move(definition), operands);
  return VariableForm(result);
}

std::optional<LinearForm> Model::TranslateDivision(ExprId dividend, ExprId divisor, ExprKind kind) {
  auto dividend_form = TranslateInteger(dividend);
  const auto divisor_form = TranslateInteger(divisor);
  if (!dividend_form || !divisor_form) return std::nullopt;
  // CeilDiv(a, b) is -(-a // b).
  const bool is_ceil = kind == ExprKind::kCeilDiv;
  if (is_ceil) dividend_form = AddScaled({}, *dividend_form, -1);
  if (!dividend_form) return std::nullopt;
  const auto index = Divide(*dividend_form, *divisor_form);
  if (!index) return std::nullopt;
  const Definition& definition = definitions_[*index];
  if (kind == ExprKind::kMod) return VariableForm(definition.remainder);
  return AddScaled({}, VariableForm(definition.result), is_ceil ? -1 : 1);
}

std::optional<LinearForm> Model::Multiply(const LinearForm& a, const LinearForm& b) {
  if (a.IsConstant()) return AddScaled({}, b, a.constant);
  if (b.IsConstant()) return AddScaled({}, a, b.constant);
  uint32_t left = VariableFor(a);
  uint32_t right = VariableFor(b);
  if (left > right) std::swap(left, right);
  const auto known = products_.find({left, right});
  if (known != products_.end()) return VariableForm(known->second);
  Definition definition;
  definition.kind = Definition::Kind::kProduct;
  definition.left = left;
  definition.right = right;
  definition.result = AddAuxiliary({});
  definition.propagators.push_back(AddPropagator({definition}));
  const uint32_t result = definition.result;
  const uint32_t operands[] = {left, right};
  AddDefinition(std::move(definition), operands);
  products_[{left, right}] = result;
  return VariableForm(result);
}

std::optional<uint32_t> Model::Divide(const LinearForm& dividend, const LinearForm& divisor) {
  const auto key = std::pair(dividend, divisor);
  const auto known = divisions_.find(key);
  if (known != divisions_.end()) return known->second;
  Definition definition;
  std::vector<uint32_t> operands;
  std::optional<LinearForm> rest;  // dividend - divisor * quotient - remainder
  if (divisor.IsConstant() && divisor.constant != 0) {
    const int64_t k = divisor.constant;
    Domain remainders;
    remainders.lower = k > 0 ? 0 : k + 1;
    remainders.upper = k > 0 ? k - 1 : 0;
    definition.kind = Definition::Kind::kDivideConstant;
    definition.form = dividend;
    definition.divisor = k;
    definition.result = AddAuxiliary({});
    definition.remainder = AddAuxiliary(remainders);
    operands = VariablesOf(dividend);
    moduli_.push_back(k > 0 ? k : -k);
    rest = AddScaled(dividend, VariableForm(definition.result), -k);
  } else {
    definition.kind = Definition::Kind::kDivide;
    definition.left = VariableFor(dividend);
    definition.right = VariableFor(divisor);
    definition.result = AddAuxiliary({});
    definition.remainder = AddAuxiliary({});
    operands = {definition.left, definition.right};
    definition.propagators.push_back(AddPropagator({definition}));
    // divisor * quotient, a variable used only by this definition's propagators.
    const uint32_t multiple = AddAuxiliary({});
    Propagator product;
    product.kind = Propagator::Kind::kProduct;
    product.result = multiple;
    product.left = definition.right;
    product.right = definition.result;
    definition.propagators.push_back(AddPropagator(std::move(product)));
    rest = AddScaled(VariableForm(definition.left), VariableForm(multiple), -1);
  }
  if (rest) rest = AddScaled(*rest, VariableForm(definition.remainder), -1);
  if (!rest) return std::nullopt;
  definition.propagators.push_back(AddLinear(std::move(*rest), Relation::kEqual));
  const uint32_t index = AddDefinition(std::move(definition), operands);
  variables_[definitions_[index].remainder].definition = index;
  divisions_[key] = index;
  return index;
}

// The variable of a form, or a new one defined by it.
uint32_t Model::VariableFor(const LinearForm& form) {
  if (form.terms.size() == 1 && form.terms[0].coefficient == 1 && form.constant == 0) {
    return form.terms[0].variable;
  }
  const auto known = named_forms_.find(form);
  if (known != named_forms_.end()) return known->second;
  Definition definition;
  definition.form = form;
  definition.result = AddAuxiliary({});
  LinearForm difference = form;
  difference.terms.push_back({definition.result, -1});
  definition.propagators.push_back(AddLinear(std::move(difference), Relation::kEqual));
  const uint32_t result = definition.result;
  AddDefinition(std::move(definition), VariablesOf(form));
  named_forms_[form] = result;
  return result;
}

uint32_t Model::AddAuxiliary(const Domain& domain) {
  variables_.push_back({ExprId::kNone, domain, std::nullopt});
  return static_cast<uint32_t>(variables_.size() - 1);
}

uint32_t Model::AddPropagator(Propagator propagator) {
  propagators_.push_back(std::move(propagator));
  return static_cast<uint32_t>(propagators_.size() - 1);
}

uint32_t Model::AddLinear(LinearForm form, Relation relation) {
  Propagator propagator;
  propagator.relation = relation;
  if (relation == Relation::kNotEqual) {
    const auto below = AddScaled(form, ConstantForm(1), 1);
    const auto negated = AddScaled({}, form, -1);
    const auto above = negated ? AddScaled(*negated, ConstantForm(1), 1) : std::nullopt;
    if (below && above) {
      propagator.cases = {AddLinear(*below, Relation::kLessEqual),
                          AddLinear(*above, Relation::kLessEqual)};
    }
  }
  if (relation == Relation::kEqual) {
    for (const Term& term : form.terms) {
      if (Magnitude(term.coefficient) > 1) {
        moduli_.push_back(term.coefficient < 0 ? -term.coefficient : term.coefficient);
      }
    }
  }
  propagator.form = std::move(form);
  return AddPropagator(std::move(propagator));
}

uint32_t Model::AddDefinition(Definition definition, std::span<const uint32_t> operands) {
  definition.needs = DefinitionsOf(operands);
  const auto index = static_cast<uint32_t>(definitions_.size());
  variables_[definition.result].definition = index;
  definitions_.push_back(std::move(definition));
  return index;
}

uint32_t Model::AddFormula(Formula formula) {
  formulas_.push_back(std::move(formula));
  return static_cast<uint32_t>(formulas_.size() - 1);
}

// Definitions of these variables and of their operands, in topological order.
std::vector<uint32_t> Model::DefinitionsOf(std::span<const uint32_t> operands) const {
  std::vector<uint32_t> definitions;
  for (const uint32_t operand : operands) {
    const std::optional<uint32_t> definition = variables_[operand].definition;
    if (!definition) continue;
    const std::vector<uint32_t>& needs = definitions_[*definition].needs;
    definitions.insert(definitions.end(), needs.begin(), needs.end());
    definitions.push_back(*definition);
  }
  std::sort(definitions.begin(), definitions.end());
  definitions.erase(std::unique(definitions.begin(), definitions.end()), definitions.end());
  return definitions;
}

void Model::FindWatchers() {
  watchers_.resize(variables_.size());
  for (uint32_t i = 0; i < propagators_.size(); ++i) {
    const Propagator& propagator = propagators_[i];
    std::vector<uint32_t> watched = VariablesOf(propagator.form);
    if (propagator.kind != Propagator::Kind::kLinear) {
      watched = propagator.operands;
      watched.push_back(propagator.result);
      if (propagator.operands.empty()) {
        watched.push_back(propagator.left);
        watched.push_back(propagator.right);
        if (propagator.IsDivision()) watched.push_back(propagator.remainder);
      }
      std::sort(watched.begin(), watched.end());
      watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
    }
    for (const uint32_t variable : watched) watchers_[variable].push_back(i);
  }
}

void Model::FindSymbols() {
  const auto normalise = [](std::vector<uint32_t>& symbols) {
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  };
  symbols_in_.resize(variables_.size());
  for (uint32_t i = 0; i < num_symbols_; ++i) symbols_in_[i] = {i};
  // Each definition comes after those of its operands.
  for (const Definition& definition : definitions_) {
    std::vector<uint32_t> operands = VariablesOf(definition.form);
    operands.insert(operands.end(), definition.operands.begin(), definition.operands.end());
    if (definition.kind == Definition::Kind::kProduct ||
        definition.kind == Definition::Kind::kDivide) {
      operands.push_back(definition.left);
      operands.push_back(definition.right);
    }
    std::vector<uint32_t> symbols;
    for (const uint32_t operand : operands) {
      symbols.insert(symbols.end(), symbols_in_[operand].begin(), symbols_in_[operand].end());
    }
    normalise(symbols);
    symbols_in_[definition.result] = symbols;
    if (definition.IsDivision()) symbols_in_[definition.remainder] = std::move(symbols);
  }
  symbols_of_formula_.resize(formulas_.size());
  for (size_t i = 0; i < formulas_.size(); ++i) {
    std::vector<uint32_t>& symbols = symbols_of_formula_[i];
    if (formulas_[i].kind == Formula::Kind::kComparison) {
      for (const Term& term : propagators_[formulas_[i].propagator].form.terms) {
        const std::vector<uint32_t>& inner = symbols_in_[term.variable];
        symbols.insert(symbols.end(), inner.begin(), inner.end());
      }
    }
    // Children were added before their parents.
    for (const uint32_t child : formulas_[i].children) {
      symbols.insert(symbols.end(), symbols_of_formula_[child].begin(),
                     symbols_of_formula_[child].end());
    }
    normalise(symbols);
  }
}

}  // namespace shapewise::constraints
