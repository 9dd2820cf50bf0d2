#include "shapes/broadcast.h"

#include <algorithm>

#include "shapes/propagation.h"

namespace shapewise {
namespace {

// The quotient of `total` and `part`; kNone: not known to be divisible.
ExprId Quotient(ExprPool& pool, ExprId total, ExprId part) {
  if (total == part) return pool.Integer(1);
  if (pool.kind(total) == ExprKind::kInteger && pool.kind(part) == ExprKind::kInteger) {
    const int64_t divisor = pool.value(part);
    if (divisor == 0 || pool.value(total) % divisor != 0) return ExprId::kNone;
    return pool.Integer(pool.value(total) / divisor);
  }
  // Factors are removed one by one: 4*s0*s1 divided by 2*s1 is 2*s0.
  const auto factors_of = [&](ExprId id, int64_t& constant) {
    llvm::SmallVector<ExprId, 4> factors;
    constant = 1;
    if (pool.kind(id) != ExprKind::kMul) {
      factors.push_back(id);
    } else {
      const auto operands = pool.operands(id);
      factors.assign(operands.begin(), operands.end());
    }
    if (pool.kind(factors[0]) == ExprKind::kInteger) {
      constant = pool.value(factors[0]);
      factors.erase(factors.begin());
    }
    return factors;
  };
  int64_t total_constant = 1;
  int64_t part_constant = 1;
  llvm::SmallVector<ExprId, 4> factors = factors_of(total, total_constant);
  for (const ExprId factor : factors_of(part, part_constant)) {
    const auto at = std::ranges::find(factors, factor);
    if (at == factors.end()) return ExprId::kNone;
    factors.erase(at);
  }
  if (part_constant == 0) return ExprId::kNone;
  if (total_constant % part_constant != 0) {
    // A sum: 2*s0 + 2 hides its factor. The division is exact because the view is valid.
    return ExprId::kNone;
  }
  factors.push_back(pool.Integer(total_constant / part_constant));
  return pool.Mul(factors);
}

class Regrouping {
 public:
  Regrouping(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes)
      : context_(context), pool_(context.pool()), one_(pool_.Integer(1)) {
    result_.real = state.real;
    result_.has_rank = true;
    for (const Axis& axis : state.axes) {
      if (axis.size != one_ || axis.is_padded) axes_.push_back(axis);
    }
    sizes_.assign(sizes.begin(), sizes.end());
  }

  TensorState Run() {
    if (!FillIn()) return std::move(result_);
    size_t axis = 0;
    size_t size = 0;
    while (size < sizes_.size()) {
      if (sizes_[size] == one_) {
        result_.AddDim(one_);
        ++size;
        continue;
      }
      // The shortest runs of axes and of sizes with the same product belong together.
      llvm::SmallVector<ExprId, 8> products = {one_};
      for (size_t i = axis; i < axes_.size(); ++i) {
        products.push_back(pool_.Mul(std::array{products.back(), axes_[i].size}));
      }
      ExprId product = one_;
      size_t last_size = size;
      size_t taken = 0;
      while (last_size < sizes_.size() && taken == 0) {
        product = pool_.Mul(std::array{product, sizes_[last_size++]});
        const auto at = std::find(products.begin() + 1, products.end(), product);
        if (at != products.end()) taken = static_cast<size_t>(at - products.begin());
      }
      // Sizes that cannot be shown to be equal must be equal at the end, or the view would be
      // invalid.
      if (taken == 0) {
        taken = axes_.size() - axis;
        last_size = sizes_.size();
      }
      if (!Group(llvm::ArrayRef<Axis>(axes_).slice(axis, taken),
                 llvm::ArrayRef<ExprId>(sizes_).slice(size, last_size - size))) {
        return std::move(result_);
      }
      axis += taken;
      size = last_size;
    }
    if (std::any_of(axes_.begin() + static_cast<ptrdiff_t>(axis), axes_.end(),
                    [](const Axis& left) { return left.is_padded; })) {
      context_.Unknown("its sizes could not be followed");
    }
    return std::move(result_);
  }

 private:
  // Computes the size that was given as -1.
  bool FillIn() {
    const auto missing = std::ranges::find(sizes_, ExprId::kNone);
    if (missing == sizes_.end()) return true;
    ExprId total = one_;
    for (const Axis& axis : axes_) total = pool_.Mul(std::array{total, axis.size});
    ExprId known = one_;
    for (const ExprId size : sizes_) {
      if (size != ExprId::kNone) known = pool_.Mul(std::array{known, size});
    }
    *missing = total == ExprId::kNone ? ExprId::kNone : Quotient(pool_, total, known);
    if (*missing == ExprId::kNone && total != ExprId::kNone) {
      *missing = pool_.Binary(ExprKind::kFloorDiv, total, known);
    }
    if (*missing != ExprId::kNone) return true;
    result_.has_rank = false;
    return false;
  }

  // Makes dims of `sizes` from `axes`, which have the same elements.
  bool Group(llvm::ArrayRef<Axis> axes, llvm::ArrayRef<ExprId> sizes) {
    if (sizes.size() == 1) {
      AddFolded(axes, sizes[0], result_);
      return true;
    }
    const auto is_padded = [](const Axis& axis) { return axis.is_padded; };
    if (std::ranges::none_of(axes, is_padded)) {
      for (const ExprId size : sizes) result_.AddDim(size);
      return true;
    }
    // The first elements stay first as long as only the outermost axis is padded, and only the
    // outermost size grows with it.
    const bool is_prefix =
        axes[0].is_padded && std::none_of(axes.begin() + 1, axes.end(), is_padded);
    const auto grows = [&](ExprId size) { return context_.propagation().DependsOnSymbol(size); };
    size_t outer = 0;
    while (outer + 1 < sizes.size() && sizes[outer] == one_) ++outer;
    bool only_outer = grows(sizes[outer]);
    for (size_t i = outer + 1; i < sizes.size(); ++i) only_outer &= !grows(sizes[i]);
    if (!is_prefix || !only_outer) {
      context_.Contaminate(std::string(context_.name().base) +
                           " splits a padded dim so that padding gets between real positions");
      return false;
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      Axis axis = i == outer ? axes[0] : Axis::Plain(sizes[i]);
      axis.size = sizes[i];
      result_.AddDim(axis);
    }
    return true;
  }

  NodeContext& context_;
  ExprPool& pool_;
  ExprId one_;
  llvm::SmallVector<Axis, 8> axes_;
  llvm::SmallVector<ExprId, 8> sizes_;
  TensorState result_;
};

}  // namespace

void AddFolded(llvm::ArrayRef<Axis> axes, ExprId size, TensorState& result) {
  const auto is_padded = [](const Axis& axis) { return axis.is_padded; };
  if (std::none_of(axes.begin() + (axes.empty() ? 0 : 1), axes.end(), is_padded)) {
    Axis axis = axes.empty() ? Axis::Plain(size) : axes[0];
    axis.size = size;
    result.AddDim(axis);
  } else {
    result.AddDim(axes);
  }
}

TensorState Regroup(NodeContext& context, const TensorState& state, llvm::ArrayRef<ExprId> sizes) {
  TensorState failed;
  failed.real = state.real;
  if (std::ranges::count(sizes, ExprId::kNone) > 1) return failed;
  if (!state.has_rank) {
    if (std::ranges::find(sizes, ExprId::kNone) != sizes.end()) return failed;
    for (const ExprId size : sizes) failed.AddDim(size);
    failed.has_rank = true;
    return failed;
  }
  return Regrouping(context, state, sizes).Run();
}

}  // namespace shapewise
