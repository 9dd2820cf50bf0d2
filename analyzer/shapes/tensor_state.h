// What is known about a tensor while padding is propagated through a graph.

#ifndef SHAPEWISE_SHAPES_TENSOR_STATE_H_
#define SHAPEWISE_SHAPES_TENSOR_STATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "model/graph_model.h"
#include "shapes/fill.h"

namespace shapewise {

/// A dim, or a part of one: a view that folds dims leaves each of them as an axis of the result, in
/// order, so that a later view can unfold them. Along a padded axis the real positions are the
/// first ones; all others are padding.
struct Axis {
  ExprId size = ExprId::kNone;
  uint8_t dim = 0;
  bool is_padded = false;
  Fill near;  ///< at padded positions of this axis that are real along all other axes
  Fill all;   ///< at all padded positions of this axis
  /// So many of the last real positions are wrong: windows that begin there see padding where the
  /// real program sees a border. A causal convolution cuts them off.
  int32_t spoiled = 0;

  static Axis Plain(ExprId size) { return {size, 0, false, Fill{}, Fill{}, 0}; }
};

/// Whether the values at real positions are the same as without padding.
enum class Quality : uint8_t { kRight, kUnknown, kContaminated };

/// Why a value is wrong or not known, or what a verdict rests on.
struct PaddingCause {
  uint32_t node = kNoIndex;
  std::string why;
  bool is_shown = true;  ///< padding exists that changes real results; false: only not excluded
  bool depends_on_real = false;  ///< right for some real inputs, not for others
};

/// A tensor: dims with their axes, and what stands at real and at padded positions.
struct TensorState {
  bool has_rank = false;  ///< otherwise only `real` is known
  uint8_t rank = 0;
  llvm::SmallVector<Axis, 6> axes;  ///< by dim, at least one per dim
  Fill real = Fill::Real();         ///< at real positions
  Quality quality = Quality::kRight;
  const char* why = nullptr;  ///< of a quality that is not kRight

  /// A tensor without dims, whose element is in `elements`.
  static TensorState Scalar(const Fill& elements = Fill::Real());
  /// The same elements with `parts` in the place of `dim`.
  TensorState WithDim(size_t dim, llvm::ArrayRef<Axis> parts) const;
  /// The same elements without `dim`.
  TensorState WithoutDim(size_t dim) const;
  /// The same elements with a new dim of `size` before `dim`.
  TensorState WithNewDim(size_t dim, ExprId size) const;

  llvm::ArrayRef<Axis> Dim(size_t dim) const;
  llvm::MutableArrayRef<Axis> Dim(size_t dim);
  /// The size of `dim`; kNone if it is folded from several axes or not known.
  ExprId Size(size_t dim) const;
  bool IsPadded(size_t dim) const;
  bool IsPadded() const;
  bool IsSpoiled() const;  ///< along any axis
  /// Appends a dim after the last.
  void AddDim(llvm::ArrayRef<Axis> parts);
  void AddDim(ExprId size) { AddDim(Axis::Plain(size)); }
  /// The dim as one axis, padded or not: not folded from several.
  const Axis* Single(size_t dim) const;
  /// The fill over all padded positions.
  Fill Anywhere() const;
  /// Whether every number is finite, at real and at padded positions.
  bool IsFiniteEverywhere() const { return real.IsFinite() && Anywhere().IsFinite(); }
  /// Applies `change` to the fill of padded positions.
  template <typename Change>
  void ChangeFills(const Change& change) {
    for (Axis& axis : axes) {
      if (!axis.is_padded) continue;
      axis.near = change(axis.near);
      axis.all = change(axis.all);
    }
  }
  /// Sets the fill of padded positions.
  void SetFills(const Fill& fill) {
    ChangeFills([&](const Fill&) { return fill; });
  }
};

/// The dim along which `state` counts the positions of a padded axis from 0 on, as arange(n) does;
/// absent: it holds other numbers.
std::optional<size_t> CountedDim(const TensorState& state);

/// The result of a dim number such as -1; absent: out of range.
std::optional<size_t> NormalizeDim(int64_t dim, size_t rank);

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_TENSOR_STATE_H_
