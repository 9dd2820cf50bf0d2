// Traverses expressions: values, symbols, substitution. Shared parts are visited once.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "symbolic/checked.h"
#include "symbolic/expression.h"
#include "symbolic/storage.h"

namespace shapewise {
namespace {

using Storage = ExprPool::Storage;
using ValueOf = std::function<std::optional<int64_t>(ExprId symbol)>;

// Below this size, visiting shared parts again is cheaper than caching.
constexpr uint32_t kSmallTree = 64;

class Evaluator {
 public:
  Evaluator(const Storage& storage, const ValueOf& value_of, bool remembers)
      : storage_(storage), value_of_(value_of), remembers_(remembers) {}

  std::optional<int64_t> Evaluate(ExprId id) {
    const ExprNode& node = storage_.node(id);
    if (node.kind == ExprKind::kInteger) return node.payload;
    if (!remembers_ || node.num_operands == 0) return Compute(id, node.kind);
    const auto key = static_cast<uint32_t>(id);
    const auto known = values_.find(key);
    if (known != values_.end()) return known->second;
    const std::optional<int64_t> value = Compute(id, node.kind);
    values_[key] = value;
    return value;
  }

 private:
  using Values = llvm::SmallVector<int64_t, 8>;

  std::optional<int64_t> Compute(ExprId id, ExprKind kind) {
    switch (kind) {
      case ExprKind::kNone:
      case ExprKind::kInfinity:
      case ExprKind::kCall:
        return std::nullopt;
      case ExprKind::kSymbol:
        return value_of_(id);
      case ExprKind::kTrue:
        return 1;
      case ExprKind::kFalse:
        return 0;
      case ExprKind::kAnd:
      case ExprKind::kOr:
        return ComputeLogic(id, kind);
      case ExprKind::kFloorDiv:
        if (storage_.kind(storage_.operands(id)[1]) == ExprKind::kMul) {
          return DivideByProduct(storage_.operands(id)[0], storage_.operands(id)[1]);
        }
        break;
      default:
        break;
    }
    Values values;
    if (!EvaluateAll(storage_.operands(id), values)) return std::nullopt;
    switch (kind) {
      case ExprKind::kAdd:
        return Sum(values);
      case ExprKind::kMul:
        return Product(values);
      case ExprKind::kMin:
        return *std::min_element(values.begin(), values.end());
      case ExprKind::kMax:
        return *std::max_element(values.begin(), values.end());
      case ExprKind::kNot:
        return values[0] == 0 ? 1 : 0;
      default:
        return shapewise::Compute(kind, values[0], values[1]);
    }
  }

  // False if one has no value.
  bool EvaluateAll(std::span<const ExprId> operands, Values& values) {
    for (const ExprId operand : operands) {
      const auto value = Evaluate(operand);
      if (!value) return false;
      values.push_back(*value);
    }
    return true;
  }

  // x // (a*b) is (x // a) // b for positive factors, whose product may overflow.
  std::optional<int64_t> DivideByProduct(ExprId dividend, ExprId divisor) {
    std::optional<int64_t> quotient = Evaluate(dividend);
    Values factors;
    if (!quotient || !EvaluateAll(storage_.operands(divisor), factors)) return std::nullopt;
    if (std::any_of(factors.begin(), factors.end(), [](int64_t factor) { return factor <= 0; })) {
      const std::optional<int64_t> product = Product(factors);
      return product ? CheckedFloorDivide(*quotient, *product) : std::nullopt;
    }
    for (const int64_t factor : factors) quotient = CheckedFloorDivide(*quotient, factor);
    return quotient;
  }

  // One operand may decide even if another one has no value.
  std::optional<int64_t> ComputeLogic(ExprId id, ExprKind kind) {
    const bool decisive = kind == ExprKind::kOr;
    bool is_complete = true;
    for (const ExprId operand : storage_.operands(id)) {
      const auto value = Evaluate(operand);
      if (value && (*value != 0) == decisive) return decisive ? 1 : 0;
      is_complete &= value.has_value();
    }
    if (!is_complete) return std::nullopt;
    return decisive ? 0 : 1;
  }

  static std::optional<int64_t> Sum(const Values& values) {
    Int128 sum = 0;
    for (const int64_t value : values) sum += value;
    const auto result = static_cast<int64_t>(sum);
    return result == sum ? std::optional(result) : std::nullopt;
  }

  static std::optional<int64_t> Product(const Values& values) {
    if (std::find(values.begin(), values.end(), 0) != values.end()) return 0;
    std::optional<int64_t> product = 1;
    for (const int64_t value : values) {
      product = CheckedMultiply(*product, value);
      if (!product) return std::nullopt;
    }
    return product;
  }

  const Storage& storage_;
  const ValueOf& value_of_;
  bool remembers_;
  llvm::DenseMap<uint32_t, std::optional<int64_t>> values_;
};

// From here on, a float cannot represent every integer.
constexpr double kMostExact = 9007199254740992.0;  // 2^53

std::optional<double> Exact(double value) {
  if (!std::isfinite(value) || std::abs(value) >= kMostExact) return std::nullopt;
  return value;
}

class NumberEvaluator {
 public:
  NumberEvaluator(const ExprPool& pool,
                  const std::function<std::optional<double>(ExprId symbol)>& value_of)
      : pool_(pool), value_of_(value_of) {}

  std::optional<double> Evaluate(ExprId id) const {
    switch (pool_.kind(id)) {
      case ExprKind::kInteger:
        return Exact(static_cast<double>(pool_.value(id)));
      case ExprKind::kSymbol:
        return value_of_(id);
      case ExprKind::kTrue:
        return 1;
      case ExprKind::kFalse:
        return 0;
      default:
        break;
    }
    std::vector<double> operands;
    for (const ExprId operand : pool_.operands(id)) {
      const std::optional<double> value = Evaluate(operand);
      if (!value) return std::nullopt;
      operands.push_back(*value);
    }
    return pool_.kind(id) == ExprKind::kCall ? Call(pool_.name(id), operands)
                                             : Apply(pool_.kind(id), operands);
  }

 private:
  using Numbers = std::vector<double>;

  static std::optional<double> Apply(ExprKind kind, const Numbers& operands) {
    if (operands.empty()) return std::nullopt;
    const double first = operands.front();
    const double second = operands.size() > 1 ? operands[1] : 0;
    switch (kind) {
      case ExprKind::kAdd:
      case ExprKind::kMul: {
        double result = first;
        for (size_t i = 1; i < operands.size(); ++i) {
          result = kind == ExprKind::kAdd ? result + operands[i] : result * operands[i];
        }
        return Exact(result);
      }
      case ExprKind::kTrueDiv:
        return second == 0 ? std::nullopt : Exact(first / second);
      case ExprKind::kFloorDiv:
        return second == 0 ? std::nullopt : Exact(std::floor(first / second));
      case ExprKind::kCeilDiv:
        return second == 0 ? std::nullopt : Exact(std::ceil(first / second));
      case ExprKind::kMod:
        return second == 0 ? std::nullopt : Exact(first - second * std::floor(first / second));
      case ExprKind::kMin:
        return *std::ranges::min_element(operands);
      case ExprKind::kMax:
        return *std::ranges::max_element(operands);
      case ExprKind::kEqual:
        return first == second ? 1 : 0;
      case ExprKind::kNotEqual:
        return first != second ? 1 : 0;
      case ExprKind::kLess:
        return first < second ? 1 : 0;
      case ExprKind::kLessEqual:
        return first <= second ? 1 : 0;
      case ExprKind::kAnd:
        return std::ranges::all_of(operands, [](double value) { return value != 0; }) ? 1 : 0;
      case ExprKind::kOr:
        return std::ranges::any_of(operands, [](double value) { return value != 0; }) ? 1 : 0;
      case ExprKind::kNot:
        return first == 0 ? 1 : 0;
      default:
        return std::nullopt;
    }
  }

  static std::optional<double> Call(std::string_view name, const Numbers& operands) {
    if (operands.empty()) {
      double number = 0;
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
      return number;
    }
    if (const ExprKind kind = KindOfOperator(name); kind != ExprKind::kNone) {
      return Apply(kind, operands);
    }
    if (name == "ToFloat" || name == "sym_float" || name == "float") return operands.front();
    if (name == "TruncToInt" || name == "TruncToFloat") return std::trunc(operands.front());
    if (name == "FloorToInt") return std::floor(operands.front());
    if (name == "CeilToInt") return std::ceil(operands.front());
    return std::nullopt;
  }

  const ExprPool& pool_;
  const std::function<std::optional<double>(ExprId symbol)>& value_of_;
};

class Substitution {
 public:
  Substitution(ExprPool& pool, const Storage& storage,
               const std::function<ExprId(ExprId symbol)>& replacement)
      : pool_(pool), storage_(storage), replacement_(replacement) {}

  ExprId Apply(ExprId id) {
    const auto key = static_cast<uint32_t>(id);
    const auto known = results_.find(key);
    if (known != results_.end()) return known->second;
    const ExprId result = Rebuild(id);
    results_[key] = result;
    return result;
  }

 private:
  ExprId Rebuild(ExprId id) {
    const ExprKind kind = storage_.kind(id);
    if (kind == ExprKind::kSymbol) {
      const ExprId replacement = replacement_(id);
      return replacement == ExprId::kNone ? id : replacement;
    }
    const std::span<const ExprId> operands = storage_.operands(id);
    if (operands.empty()) return id;
    llvm::SmallVector<ExprId, 8> rebuilt;
    for (const ExprId operand : operands) rebuilt.push_back(Apply(operand));
    if (std::equal(operands.begin(), operands.end(), rebuilt.begin())) return id;
    return kind == ExprKind::kCall ? pool_.Call(storage_.name(id), rebuilt)
                                   : MakeOfKind(pool_, kind, rebuilt);
  }

  ExprPool& pool_;
  const Storage& storage_;
  const std::function<ExprId(ExprId symbol)>& replacement_;
  llvm::DenseMap<uint32_t, ExprId> results_;
};

void CollectSymbols(const Storage& storage, ExprId id, llvm::DenseSet<uint32_t>& seen,
                    std::vector<ExprId>& symbols) {
  if (!seen.insert(static_cast<uint32_t>(id)).second) return;
  if (storage.kind(id) == ExprKind::kSymbol) symbols.push_back(id);
  for (const ExprId operand : storage.operands(id)) CollectSymbols(storage, operand, seen, symbols);
}

}  // namespace

std::optional<int64_t> Compute(ExprKind kind, int64_t left, int64_t right) {
  switch (kind) {
    case ExprKind::kFloorDiv:
      return CheckedFloorDivide(left, right);
    case ExprKind::kCeilDiv:
      return CheckedCeilDivide(left, right);
    case ExprKind::kTrueDiv:
      if (CheckedModulo(left, right) != 0) return std::nullopt;
      return CheckedFloorDivide(left, right);
    case ExprKind::kMod:
      return CheckedModulo(left, right);
    case ExprKind::kPower:
      return CheckedPower(left, right);
    case ExprKind::kEqual:
      return left == right ? 1 : 0;
    case ExprKind::kNotEqual:
      return left != right ? 1 : 0;
    case ExprKind::kLess:
      return left < right ? 1 : 0;
    case ExprKind::kLessEqual:
      return left <= right ? 1 : 0;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> ExprPool::Evaluate(ExprId id, const ValueOf& value_of) const {
  const bool is_small = storage_->node(id).tree_size <= kSmallTree;
  return Evaluator(*storage_, value_of, !is_small).Evaluate(id);
}

ExprId ExprPool::Substitute(ExprId id, const std::function<ExprId(ExprId symbol)>& replacement) {
  return Substitution(*this, *storage_, replacement).Apply(id);
}

std::vector<ExprId> ExprPool::SymbolsOf(ExprId id) const {
  std::vector<ExprId> symbols;
  llvm::DenseSet<uint32_t> seen;
  CollectSymbols(*storage_, id, seen, symbols);
  return symbols;
}

std::optional<double> EvaluateNumber(
    const ExprPool& pool, ExprId expression,
    const std::function<std::optional<double>(ExprId symbol)>& value_of) {
  return NumberEvaluator(pool, value_of).Evaluate(expression);
}

}  // namespace shapewise
