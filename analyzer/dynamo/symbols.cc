#include "dynamo/symbols.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "dynamo/strides.h"

namespace shapewise {
namespace {

SizeTerm Constant(int64_t value) { return {.coefficient = value, .symbols = {}}; }

SizeTerm Product(const SizeTerm& a, const SizeTerm& b) {
  SizeTerm product = a;
  product.coefficient = WrappedProduct(a.coefficient, b.coefficient);
  product.symbols.append(b.symbols.begin(), b.symbols.end());
  return product;
}

bool IsZeroOrOne(int64_t value) { return value == 0 || value == 1; }

}  // namespace

int64_t SizeTerm::Evaluate(llvm::ArrayRef<int64_t> values) const {
  int64_t value = coefficient;
  for (const uint32_t symbol : symbols) value = WrappedProduct(value, values[symbol]);
  return value;
}

uint32_t SymbolTable::Make(int64_t hint, const Interval& range, bool is_unbacked) {
  symbols_.push_back({.hint = hint, .range = range, .is_unbacked = is_unbacked});
  return static_cast<uint32_t>(symbols_.size() - 1);
}

uint32_t SymbolTable::AddInt(int64_t value, bool is_unbacked) {
  Interval range;
  if (is_unbacked) range.lower = 0;
  return Make(value, range, is_unbacked);
}

SizeTerm SymbolTable::MakeBacked(int64_t value, bool may_duck, bool has_zero_one) {
  if (has_zero_one && IsZeroOrOne(value)) return Constant(value);
  const bool ducks = may_duck && policy_.use_duck_shape;
  SizeTerm term;
  if (ducks) {
    const auto found = ducks_.find(value);
    if (found != ducks_.end()) {
      term.symbols.push_back(found->second);
      return term;
    }
  }
  const uint32_t symbol = Make(value, {.lower = has_zero_one ? 2 : 0, .upper = {}}, false);
  if (ducks) ducks_[value] = symbol;
  term.symbols.push_back(symbol);
  return term;
}

SymbolError SymbolTable::MakeSize(int64_t value, const DimPlan& plan, const DimMark* bounds,
                                  SizeTerm& result) {
  const bool has_range = plan.demand == DimDemand::kRange;
  DimChoice choice = plan.size;
  bool is_demanded = plan.demand != DimDemand::kNone;
  if (has_range && plan.min == plan.max) {
    if (plan.min != value) return "ConstraintViolationError";
    choice = DimChoice::kStatic;
    is_demanded = false;
  }
  if (choice == DimChoice::kUnbacked) {
    Interval range{.lower = 0, .upper = {}};
    if (bounds != nullptr) {
      range.lower = std::max<int64_t>(0, bounds->min.value_or(0));
      range.upper = bounds->max;
    }
    result.symbols.push_back(Make(value, range, true));
    return nullptr;
  }
  if (choice == DimChoice::kStatic && !is_demanded) {
    result = Constant(value);
    return nullptr;
  }
  const bool may_duck = choice == DimChoice::kDuck && !is_demanded;
  result = MakeBacked(value, may_duck, !policy_.backed_size_oblivious);
  if (result.IsConstant() || !has_range || plan.min == plan.max) return nullptr;
  Interval& range = symbols_[result.symbols.front()].range;
  range.lower = std::max(*range.lower, plan.min);
  range.upper = plan.max;
  return range.Contains(value) ? nullptr : "ConstraintViolationError";
}

SymbolicTensor SymbolTable::Static(const InputTensor& tensor) {
  SymbolicTensor result;
  for (const int64_t size : tensor.sizes) result.sizes.push_back(Constant(size));
  for (size_t dim = 0; dim < tensor.strides.size(); ++dim) {
    result.strides.push_back({.dim = dim, .term = Constant(tensor.strides[dim])});
  }
  return result;
}

SymbolError SymbolTable::Add(const InputTensor& tensor, llvm::ArrayRef<DimPlan> plans,
                             SymbolicTensor& result) {
  const llvm::ArrayRef<int64_t> sizes = tensor.sizes;
  const llvm::ArrayRef<int64_t> strides = tensor.strides;
  const bool is_static = std::ranges::all_of(
      plans, [](const DimPlan& plan) { return plan.size == DimChoice::kStatic; });
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    const DimMark* bounds = nullptr;
    if (tensor.marks != nullptr) {
      for (const DimMark& bound : tensor.marks->bounds) {
        if (bound.dim == static_cast<int32_t>(dim)) bounds = &bound;
      }
    }
    result.sizes.emplace_back();
    if (SymbolError error = MakeSize(sizes[dim], plans[dim], bounds, result.sizes.back())) {
      return error;
    }
  }

  // A stride that is the product of a smaller one and its size is derived from them; ties go to the
  // last one.
  std::unordered_map<int64_t, SizeTerm> candidates;  // any number may be a key
  for (const size_t dim : DimsByStride(strides)) {
    const int64_t stride = strides[dim];
    const bool is_product =
        dim + 1 < sizes.size() && stride == WrappedProduct(sizes[dim + 1], strides[dim + 1]);
    const bool is_dynamic = plans[dim].has_dynamic_stride;
    SizeTerm term;
    if (IsZeroOrOne(stride) && !is_product) {
      term = Constant(stride);
    } else if (const auto found = candidates.find(stride);
               !is_dynamic && found != candidates.end()) {
      term = found->second;
    } else if (is_static && !is_dynamic) {
      term = Constant(stride);
    } else {
      term = MakeBacked(stride, /*may_duck=*/!is_dynamic, /*has_zero_one=*/true);
    }
    candidates[WrappedProduct(sizes[dim], stride)] = Product(result.sizes[dim], term);
    result.strides.push_back({.dim = dim, .term = std::move(term)});
  }
  result.offset =
      is_static ? Constant(tensor.storage_offset) : MakeBacked(tensor.storage_offset, true, true);
  return nullptr;
}

}  // namespace shapewise
