#include "shapes/tensor_state.h"

#include <algorithm>

namespace shapewise {

TensorState TensorState::Scalar(const Fill& elements) {
  TensorState state;
  state.has_rank = true;
  state.real = elements;
  return state;
}

TensorState TensorState::WithDim(size_t dim, llvm::ArrayRef<Axis> parts) const {
  TensorState state = Scalar(real);
  for (size_t d = 0; d < rank; ++d) state.AddDim(d == dim ? parts : Dim(d));
  return state;
}

TensorState TensorState::WithoutDim(size_t dim) const {
  TensorState state = Scalar(real);
  for (size_t d = 0; d < rank; ++d) {
    if (d != dim) state.AddDim(Dim(d));
  }
  return state;
}

TensorState TensorState::WithNewDim(size_t dim, ExprId size) const {
  TensorState state = Scalar(real);
  for (size_t d = 0; d <= rank; ++d) {
    if (d == dim) state.AddDim(size);
    if (d < rank) state.AddDim(Dim(d));
  }
  return state;
}

llvm::MutableArrayRef<Axis> TensorState::Dim(size_t dim) {
  const auto parts = std::ranges::equal_range(axes, dim, {}, &Axis::dim);
  return {parts.begin(), parts.end()};
}

llvm::ArrayRef<Axis> TensorState::Dim(size_t dim) const {
  const auto parts = std::ranges::equal_range(axes, dim, {}, &Axis::dim);
  return {parts.begin(), parts.end()};
}

ExprId TensorState::Size(size_t dim) const {
  const llvm::ArrayRef<Axis> parts = Dim(dim);
  return parts.size() == 1 ? parts[0].size : ExprId::kNone;
}

const Axis* TensorState::Single(size_t dim) const {
  const llvm::ArrayRef<Axis> parts = Dim(dim);
  return parts.size() == 1 ? parts.data() : nullptr;
}

bool TensorState::IsPadded(size_t dim) const {
  return std::ranges::any_of(Dim(dim), &Axis::is_padded);
}

bool TensorState::IsPadded() const { return std::ranges::any_of(axes, &Axis::is_padded); }

bool TensorState::IsSpoiled() const {
  return std::ranges::any_of(axes, [](const Axis& axis) { return axis.spoiled > 0; });
}

void TensorState::AddDim(llvm::ArrayRef<Axis> parts) {
  for (Axis part : parts) {
    part.dim = rank;
    axes.push_back(part);
  }
  ++rank;
  has_rank = true;
}

Fill TensorState::Anywhere() const {
  std::optional<Fill> fill;
  for (const Axis& axis : axes) {
    if (axis.is_padded) fill = fill ? Join(*fill, axis.all) : axis.all;
  }
  return fill.value_or(real);
}

std::optional<size_t> CountedDim(const TensorState& state) {
  if (state.real.kind != Fill::Kind::kBelow || (state.real.lines & Fill::kEveryPosition) == 0) {
    return std::nullopt;
  }
  std::optional<size_t> counted;
  for (const Axis& axis : state.axes) {
    if (!axis.is_padded) continue;
    if (counted || axis.near.kind != Fill::Kind::kIndex) return std::nullopt;
    counted = axis.dim;
  }
  return counted;
}

std::optional<size_t> NormalizeDim(int64_t dim, size_t rank) {
  const int64_t signed_rank = static_cast<int64_t>(rank == 0 ? 1 : rank);
  if (dim < -signed_rank || dim >= signed_rank) return std::nullopt;
  return static_cast<size_t>(dim < 0 ? dim + signed_rank : dim);
}

}  // namespace shapewise
