#include <algorithm>
#include <map>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// One operand of a product with a letter for each of its dims. Letters that do not occur in the
// result are summed over.
struct Factor {
  TensorState state;
  llvm::SmallVector<char, 6> letters;
};

llvm::ArrayRef<Axis> DimOf(const Factor& factor, char letter) {
  const auto at = std::ranges::find(factor.letters, letter);
  if (at == factor.letters.end()) return {};
  return factor.state.Dim(static_cast<size_t>(at - factor.letters.begin()));
}

// Whether a sum over a padded letter stays correct: one factor is 0 there, and the other finite.
// Reports to the context if not.
bool SumSurvives(NodeContext& context, const Factor& left, const Factor& right, char letter,
                 bool is_only_one) {
  const llvm::ArrayRef<Axis> a = DimOf(left, letter);
  const llvm::ArrayRef<Axis> b = DimOf(right, letter);
  const llvm::ArrayRef<Axis> layout = a.empty() ? b : a;
  for (size_t i = 0; i < layout.size(); ++i) {
    const bool in_a = i < a.size() && a[i].is_padded;
    const bool in_b = i < b.size() && b[i].is_padded;
    if (!in_a && !in_b) continue;
    const auto fill_of = [&](const Factor& factor, llvm::ArrayRef<Axis> dim, bool is_in) {
      if (is_in) return is_only_one ? dim[i].near : dim[i].all;
      return factor.state.real;
    };
    const Fill product =
        Evaluate(Pointwise::kMultiply, std::array{fill_of(left, a, in_a), fill_of(right, b, in_b)});
    if (!product.IsNumber(0)) {
      const Factor& padded = in_a ? left : right;
      const auto at = std::ranges::find(padded.letters, letter);
      context.Contaminate(
          std::string(context.name().base) + " sums over " +
              context.DimText(padded.state, static_cast<size_t>(at - padded.letters.begin())) +
              ", which is padded, without 0 at padded positions",
          product.IsShown());
      return false;
    }
  }
  if (!a.empty() && !b.empty() && a.size() != b.size()) {
    const auto padded = [](const Axis& axis) { return axis.is_padded; };
    if (std::ranges::any_of(a, padded) || std::ranges::any_of(b, padded)) {
      context.DoNotLineUp();
      return false;
    }
  }
  return true;
}

Fill ProductFill(const Fill& a, const Fill& b) {
  return Reduce(Reduction::kSum, Evaluate(Pointwise::kMultiply, std::array{a, b}));
}

// Anything that a sum over padded letters meets in `factor`, real along the letters of the result.
Fill SummedFill(const Factor& factor, llvm::ArrayRef<char> result) {
  Fill fill = factor.state.real;
  for (size_t dim = 0; dim < factor.letters.size(); ++dim) {
    if (std::ranges::find(result, factor.letters[dim]) != result.end()) continue;
    for (const Axis& axis : factor.state.Dim(dim)) {
      if (axis.is_padded) fill = Join(fill, axis.all);
    }
  }
  return fill;
}

TensorState Contract(NodeContext& context, const Factor& left, const Factor& right,
                     llvm::ArrayRef<char> letters) {
  TensorState result;
  result.real = ProductFill(left.state.real, right.state.real);
  if (!left.state.has_rank || !right.state.has_rank) return result;
  result.has_rank = true;
  llvm::SmallVector<char, 8> summed;
  const auto collect = [&](const Factor& factor) {
    for (const char letter : factor.letters) {
      const bool is_kept = std::ranges::find(letters, letter) != letters.end();
      if (!is_kept && std::ranges::find(summed, letter) == summed.end()) summed.push_back(letter);
    }
  };
  collect(left);
  collect(right);
  size_t padded = 0;
  for (const char letter : summed) {
    const auto count = [&](llvm::ArrayRef<Axis> dim) {
      return std::ranges::count_if(dim, &Axis::is_padded);
    };
    padded +=
        static_cast<size_t>(std::max(count(DimOf(left, letter)), count(DimOf(right, letter))));
  }
  for (const char letter : summed) {
    if (!SumSurvives(context, left, right, letter, padded == 1)) return result;
  }
  for (const char letter : letters) {
    const llvm::ArrayRef<Axis> a = DimOf(left, letter);
    const llvm::ArrayRef<Axis> b = DimOf(right, letter);
    if (!a.empty() && !b.empty()) {
      if (!LineUp(context, {&left.state, &right.state}, {a, b}, Pointwise::kMultiply, result)) {
        return result;
      }
      for (Axis& axis : result.Dim(result.rank - 1u)) {
        if (!axis.is_padded) continue;
        axis.near = Reduce(Reduction::kSum, padded > 0 ? axis.all : axis.near);
        axis.all = Reduce(Reduction::kSum, axis.all);
      }
      continue;
    }
    const Factor& other = a.empty() ? left : right;
    const Fill near = SummedFill(other, letters);
    const Fill all = Join(other.state.real, other.state.Anywhere());
    llvm::SmallVector<Axis, 2> parts((a.empty() ? b : a).begin(), (a.empty() ? b : a).end());
    for (Axis& axis : parts) {
      if (!axis.is_padded) continue;
      axis.near = ProductFill(padded > 0 ? axis.all : axis.near, near);
      axis.all = ProductFill(axis.all, all);
    }
    result.AddDim(parts);
  }
  return result;
}

void Matmul(Factor& left, Factor& right, llvm::SmallVectorImpl<char>& letters) {
  const size_t a = left.state.rank;
  const size_t b = right.state.rank;
  const size_t batch = std::max(a > 2 ? a - 2 : 0, b > 2 ? b - 2 : 0);
  const auto add_batch = [&](Factor& factor, size_t rank) {
    const size_t own = rank > 2 ? rank - 2 : 0;
    for (size_t i = batch - own; i < batch; ++i) {
      factor.letters.push_back(static_cast<char>('A' + static_cast<int>(i)));
    }
  };
  add_batch(left, a);
  add_batch(right, b);
  for (size_t i = 0; i < batch; ++i)
    letters.push_back(static_cast<char>('A' + static_cast<int>(i)));
  if (a >= 2) {
    left.letters.push_back('i');
    letters.push_back('i');
  }
  left.letters.push_back('k');
  right.letters.push_back('k');
  if (b >= 2) {
    right.letters.push_back('j');
    letters.push_back('j');
  }
}

void Einsum(NodeContext& context) {
  std::string equation(context.Text(context.Find(0, {"equation"})));
  std::erase(equation, ' ');
  ArgumentList operands = context.Elements(context.Find(1, {"tensors", "operands"}));
  for (size_t i = 2; i < context.num_positional(); ++i) {
    if (const Argument* operand = context.Find(i)) operands.push_back(operand);
  }
  if (equation.empty() || equation.find('.') != std::string::npos || operands.empty()) {
    return context.Unknown("its equation could not be followed");
  }
  const size_t arrow = equation.find("->");
  std::string_view inputs = std::string_view(equation).substr(0, arrow);
  std::string output;
  if (arrow != std::string::npos) {
    output = equation.substr(arrow + 2);
  } else {
    std::map<char, int> counts;
    for (const char letter : inputs) counts[letter] += letter != ',' ? 1 : 0;
    for (const auto& [letter, count] : counts) {
      if (letter != ',' && count == 1) output += letter;
    }
  }
  llvm::SmallVector<Factor, 3> factors;
  while (true) {
    const size_t comma = inputs.find(',');
    Factor factor;
    const std::string_view letters = inputs.substr(0, comma);
    factor.letters.assign(letters.begin(), letters.end());
    if (factors.size() < operands.size()) factor.state = context.State(operands[factors.size()]);
    std::string sorted(letters);
    std::ranges::sort(sorted);
    if (factor.state.has_rank && (factor.letters.size() != factor.state.rank ||
                                  std::ranges::adjacent_find(sorted) != sorted.end())) {
      return context.Unknown("its equation could not be followed");
    }
    factors.push_back(std::move(factor));
    if (comma == std::string_view::npos) break;
    inputs.remove_prefix(comma + 1);
  }
  // Contract factors one after the other: letters of later factors or the result are kept.
  Factor product = factors[0];
  for (size_t i = 1; i < factors.size() || i == 1; ++i) {
    Factor next;
    if (i < factors.size()) {
      next = factors[i];
    } else {
      next.state.has_rank = true;
      next.state.real = Fill::Number(1);
    }
    llvm::SmallVector<char, 8> letters;
    if (i + 1 >= factors.size()) {
      letters.assign(output.begin(), output.end());
    } else {
      const auto keep = [&](char letter) {
        bool is_needed = output.find(letter) != std::string::npos;
        for (size_t later = i + 1; later < factors.size(); ++later) {
          is_needed |=
              std::ranges::find(factors[later].letters, letter) != factors[later].letters.end();
        }
        if (is_needed && std::ranges::find(letters, letter) == letters.end()) {
          letters.push_back(letter);
        }
      };
      for (const char letter : product.letters) keep(letter);
      for (const char letter : next.letters) keep(letter);
    }
    Factor combined;
    combined.state = Contract(context, product, next, letters);
    combined.letters.assign(letters.begin(), letters.end());
    product = std::move(combined);
    if (context.has_failed()) return;
  }
  context.Return(std::move(product.state));
}

}  // namespace

void ContractRule(NodeContext& context) {
  const auto kind = static_cast<Contraction>(context.rule().code);
  if (kind == Contraction::kEinsum) return Einsum(context);
  const size_t first = kind == Contraction::kAddmm ? 1 : 0;
  Factor left;
  Factor right;
  left.state = context.Operand(first, {first == 0 ? "input" : "mat1", "self", "batch1"});
  right.state = context.Operand(first + 1, {kind == Contraction::kLinear ? "weight" : "mat2",
                                            "other", "vec2", "batch2", "tensor"});
  llvm::SmallVector<char, 8> letters;
  TensorState product;
  product.real = ProductFill(left.state.real, right.state.real);
  if (left.state.has_rank && right.state.has_rank) {
    switch (kind) {
      case Contraction::kLinear: {
        if (left.state.rank == 0) return;
        for (size_t dim = 0; dim + 1 < left.state.rank; ++dim) {
          left.letters.push_back(static_cast<char>('A' + static_cast<int>(dim)));
          letters.push_back(left.letters.back());
        }
        left.letters.push_back('k');
        if (right.state.rank == 2) {
          right.letters.push_back('j');
          letters.push_back('j');
        }
        right.letters.push_back('k');
        break;
      }
      case Contraction::kOuter:
        left.letters.push_back('i');
        right.letters.push_back('j');
        letters.append({'i', 'j'});
        break;
      default:
        if (left.state.rank == 0 || right.state.rank == 0) return;
        Matmul(left, right, letters);
    }
    if (left.letters.size() != left.state.rank || right.letters.size() != right.state.rank) return;
    product = Contract(context, left, right, letters);
    if (context.has_failed()) return;
  }
  const Argument* bias = nullptr;
  if (kind == Contraction::kAddmm) bias = context.Find(0, {"input", "self"});
  if (kind == Contraction::kLinear) bias = context.Find(2, {"bias"});
  if (bias != nullptr) {
    const llvm::SmallVector<TensorState, 2> terms = {context.State(bias), std::move(product)};
    product = Broadcast(context, Pointwise::kAdd, terms);
  }
  context.Return(std::move(product));
}

}  // namespace shapewise
