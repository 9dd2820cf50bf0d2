#include "constraint_reference.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace shapewise {
namespace {

// Values along the last symbol; those without one are kAbsent.
constexpr int64_t kAbsent = INT64_MIN;
using Row = std::vector<int64_t>;

int64_t FloorDivideOf(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t Apply(ExprKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case ExprKind::kAdd:
      return a + b;
    case ExprKind::kMul:
      return a * b;
    case ExprKind::kMin:
      return std::min(a, b);
    case ExprKind::kMax:
      return std::max(a, b);
    case ExprKind::kPower: {
      int64_t power = 1;
      for (int64_t i = 0; i < b; ++i) power *= a;
      return b < 0 ? kAbsent : power;
    }
    case ExprKind::kFloorDiv:
      return b == 0 ? kAbsent : FloorDivideOf(a, b);
    case ExprKind::kCeilDiv:
      return b == 0 ? kAbsent : -FloorDivideOf(-a, b);
    case ExprKind::kMod:
      return b == 0 ? kAbsent : a - b * FloorDivideOf(a, b);
    case ExprKind::kEqual:
      return a == b ? 1 : 0;
    case ExprKind::kNotEqual:
      return a != b ? 1 : 0;
    case ExprKind::kLess:
      return a < b ? 1 : 0;
    case ExprKind::kLessEqual:
      return a <= b ? 1 : 0;
    default:
      return kAbsent;
  }
}

class RowEvaluator {
 public:
  RowEvaluator(const ExprPool& pool, const std::vector<int64_t>& greatest)
      : pool_(pool),
        length_(static_cast<size_t>(greatest.back()) + 1),
        last_(greatest.size() - 1) {}

  std::array<int64_t, 3> fixed{};  ///< values of the other symbols

  Row Evaluate(ExprId id) const {
    const ExprKind kind = pool_.kind(id);
    if (kind == ExprKind::kInteger) return Row(length_, pool_.value(id));
    if (kind == ExprKind::kTrue || kind == ExprKind::kFalse) {
      return Row(length_, kind == ExprKind::kTrue ? 1 : 0);
    }
    if (kind == ExprKind::kSymbol) {
      const auto symbol = static_cast<size_t>(pool_.name(id).back() - '0');
      Row row(length_, fixed[symbol]);
      if (symbol == last_) std::iota(row.begin(), row.end(), int64_t{0});
      return row;
    }
    Row row;
    for (const ExprId operand : pool_.operands(id)) {
      const Row next = Evaluate(operand);
      if (row.empty()) {
        row = next;
        continue;
      }
      for (size_t i = 0; i < length_; ++i) {
        if (kind == ExprKind::kAnd || kind == ExprKind::kOr) {
          // One side may decide although the other one has no value.
          const int64_t decisive = kind == ExprKind::kOr ? 1 : 0;
          if (row[i] == decisive || next[i] == decisive) {
            row[i] = decisive;
          } else if (next[i] == kAbsent) {
            row[i] = kAbsent;
          }
        } else {
          row[i] = row[i] == kAbsent || next[i] == kAbsent ? kAbsent : Apply(kind, row[i], next[i]);
        }
      }
    }
    return row;
  }

 private:
  const ExprPool& pool_;
  size_t length_;
  size_t last_;
};

}  // namespace

std::string GuardCase::ToText() const {
  std::string text;
  for (size_t i = 0; i < greatest.size(); ++i) {
    text += "0 <= s" + std::to_string(i) + " <= " + std::to_string(greatest[i]) + "\n";
  }
  for (const std::string& guard : guards) text += guard + "\n";
  return text;
}

std::string GuardDrawer::Symbol(int num_symbols) {
  return "s" + std::to_string(Number(0, num_symbols - 1));
}

std::string GuardDrawer::DrawComparison(int num_symbols, int64_t greatest) {
  static constexpr const char* kRelations[] = {"==", "!=", "<", "<=", ">", ">="};
  const std::string relation = std::string(" ") + kRelations[Number(0, 5)] + " ";
  const std::string a = Symbol(num_symbols);
  const std::string b = Symbol(num_symbols);
  const auto number = [&](int64_t least, int64_t most) {
    return std::to_string(Number(least, most));
  };
  switch (Number(0, 15)) {
    case 0:
    case 1:
      return a + relation + number(0, greatest);
    case 2:
      return a + " % " + number(2, 9) + " == " + number(0, 3);
    case 3:
      return a + " % " + number(2, 9) + relation + number(0, 4);
    case 4:
      return a + relation + b;
    case 5:
      return a + relation + b + " + " + number(-4, 4);
    case 6:
      return number(1, 3) + "*" + a + " + " + number(-3, 3) + "*" + b + relation +
             number(0, greatest);
    case 7:
      return a + " + " + b + " == " + number(0, greatest);
    case 8:
      return a + "*" + b + relation + number(0, 2 * greatest);
    case 9:
      return a + " // " + number(2, 8) + relation + b;
    case 10:
      return a + " // " + b + relation + number(0, 5);
    case 11:
      return a + " % " + b + relation + number(0, 3);
    case 12:
      return "Max(" + a + ", " + b + ")" + relation + number(0, greatest);
    case 13:
      return "Min(" + a + ", " + b + " + " + number(-2, 2) + ")" + relation + Symbol(num_symbols);
    case 14:
      return "(" + a + " + " + b + ") % " + number(2, 8) + " == " + number(0, 3);
    default:
      return a + " == " + number(2, 4) + "*" + b;
  }
}

std::string GuardDrawer::Draw(int num_symbols, int64_t greatest) {
  const std::string first = DrawComparison(num_symbols, greatest);
  switch (Number(0, 11)) {
    case 0:
      return "(" + first + ") or (" + DrawComparison(num_symbols, greatest) + ")";
    case 1:
      return "(" + first + ") and (" + DrawComparison(num_symbols, greatest) + ")";
    case 2:
      return "not ((" + first + ") and (" + DrawComparison(num_symbols, greatest) + "))";
    default:
      return first;
  }
}

PointTable::PointTable(const ExprPool& pool, const std::vector<ExprId>& guards,
                       const std::vector<int64_t>& greatest)
    : num_guards_(guards.size()),
      greatest_(greatest),
      values_by_mask_(greatest.size(), std::vector<Values>(size_t{1} << guards.size())) {
  RowEvaluator evaluator(pool, greatest);
  const size_t last = greatest.size() - 1;
  const int64_t greatest0 = last > 0 ? greatest[0] : 0;
  const int64_t greatest1 = last > 1 ? greatest[1] : 0;
  std::vector<uint32_t> masks(static_cast<size_t>(greatest[last]) + 1);
  for (int64_t x = 0; x <= greatest0; ++x) {
    for (int64_t y = 0; y <= greatest1; ++y) {
      evaluator.fixed = {x, y, 0};
      std::fill(masks.begin(), masks.end(), 0);
      for (size_t guard = 0; guard < guards.size(); ++guard) {
        const Row row = evaluator.Evaluate(guards[guard]);
        for (size_t i = 0; i < masks.size(); ++i) {
          if (row[i] == 1) masks[i] |= uint32_t{1} << guard;
        }
      }
      for (size_t i = 0; i < masks.size(); ++i) {
        if (last > 0) values_by_mask_[0][masks[i]].set(static_cast<size_t>(x));
        if (last > 1) values_by_mask_[1][masks[i]].set(static_cast<size_t>(y));
        values_by_mask_[last][masks[i]].set(i);
      }
    }
  }
}

PointTable::Values PointTable::ValuesUnder(size_t symbol, uint32_t chosen) const {
  Values values;
  for (uint32_t mask = 0; mask <= All(); ++mask) {
    if ((mask & chosen) == chosen) values |= values_by_mask_[symbol][mask];
  }
  return values;
}

std::vector<size_t> PointTable::Culprits(size_t symbol) const {
  const Values wanted = ValuesUnder(symbol, All());
  std::vector<size_t> best;
  bool has_best = false;
  for (uint32_t chosen = 0; chosen <= All(); ++chosen) {
    std::vector<size_t> indices;
    for (size_t guard = 0; guard < num_guards_; ++guard) {
      if ((chosen >> guard & 1) != 0) indices.push_back(guard);
    }
    const auto rank = [](const std::vector<size_t>& set) { return std::pair(set.size(), set); };
    if (has_best && rank(indices) >= rank(best)) continue;
    if (ValuesUnder(symbol, chosen) != wanted) continue;
    best = indices;
    has_best = true;
  }
  return best;
}

VariableAnalysis PointTable::Analyze(size_t symbol) const {
  const Values values = ValuesUnder(symbol, All());
  VariableAnalysis analysis;
  analysis.culprits = Culprits(symbol);
  analysis.culprits_are_minimal = true;
  std::vector<int64_t> members;
  for (int64_t value = 0; value <= kGreatest; ++value) {
    if (values[static_cast<size_t>(value)]) members.push_back(value);
  }
  if (members.empty()) {
    analysis.freedom = Freedom::kImpossible;
    return analysis;
  }
  analysis.range = {members.front(), members.back()};
  int64_t step = 0;
  for (const int64_t member : members) step = std::gcd(step, member - members.front());
  analysis.congruence = {static_cast<uint64_t>(step),
                         step == 0 ? members.front() : members.front() % step};
  const auto filled =
      static_cast<size_t>(step == 0 ? 1 : (members.back() - members.front()) / step + 1);
  if (members.size() == 1) {
    analysis.freedom = Freedom::kPinned;
    analysis.value = members.front();
  } else if (members.size() != filled) {
    analysis.freedom = Freedom::kRestricted;
  } else if (step > 1) {
    analysis.freedom = Freedom::kDivisible;
  } else {
    analysis.freedom = members.front() == 0 && members.back() == greatest_[symbol]
                           ? Freedom::kFree
                           : Freedom::kBounded;
  }
  return analysis;
}

}  // namespace shapewise
