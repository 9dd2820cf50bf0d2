#include <array>

#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// Whether all elements along a padded `dim` are the index that bags ignore.
bool IsLeftOut(const TensorState& indices, size_t dim, std::optional<int64_t> left_out) {
  if (!left_out || *left_out < 0) return false;
  for (const Axis& axis : indices.Dim(dim)) {
    if (axis.is_padded && !axis.all.IsNumber(static_cast<double>(*left_out))) return false;
  }
  return true;
}

// Whether `offsets` counts 0, k, 2k ... up to the number of indices: bags of k, as
// torch.nn.functional makes them from indices [bags, k].
bool AreEqualBags(NodeContext& context, const Argument* offsets, const TensorState& indices) {
  const uint32_t value = context.ValueOf(offsets);
  Propagation& propagation = context.propagation();
  const uint32_t node = value == kNoIndex ? kNoIndex : propagation.graph().values[value].node;
  if (node == kNoIndex) return false;
  const OperatorName name = ParseOperatorName(propagation.TargetOf(node));
  const OperatorRule* rule = FindOperator(name.base);
  if (rule == nullptr || name.base != "arange") return false;
  const NodeContext arange(propagation, node, *rule, name);
  if (arange.num_positional() < 3 || arange.Int(arange.Find(0)) != 0) return false;
  const ExprId end = arange.Size(arange.Find(1));
  const ExprId step = arange.Size(arange.Find(2));
  ExprPool& pool = context.pool();
  const bool is_known = end != ExprId::kNone && pool.kind(step) == ExprKind::kInteger &&
                        pool.value(step) > 0 && indices.Single(0) != nullptr;
  const ExprId bags = context.State(offsets).Size(0);
  return is_known && indices.Size(0) == end && bags != ExprId::kNone &&
         pool.Mul(std::array{bags, step}) == end;
}

// The dim of bags of a flat list of indices; absent: the reason was reported to the context.
std::optional<Axis> FlatBags(NodeContext& context, const TensorState& indices,
                             const Argument* given, bool has_last,
                             std::optional<int64_t> left_out) {
  const TensorState offsets = context.State(given);
  if (!offsets.has_rank || offsets.rank != 1) return std::nullopt;
  const Axis* single = offsets.Single(0);
  if (single == nullptr) return std::nullopt;
  Axis bags = *single;
  if (has_last && bags.size != ExprId::kNone) {
    bags.size = context.pool().Add(std::array{bags.size, context.pool().Integer(-1)});
  }
  if (!indices.IsPadded(0) && !offsets.IsPadded(0)) return bags;
  if (!offsets.IsPadded(0)) {
    // PyTorch assigns all remaining elements to the last bag, even if a last offset ends it
    // earlier.
    if (IsLeftOut(indices, 0, left_out)) return bags;
    context.Contaminate("the last bag takes padded positions of " + context.DimText(indices, 0),
                        indices.Anywhere().IsShown());
    return std::nullopt;
  }
  if (indices.IsPadded(0) && !has_last && AreEqualBags(context, given, indices)) return bags;
  context.Unknown("where bags begin when the list of offsets is padded is not known");
  return std::nullopt;
}

}  // namespace

void BagRule(NodeContext& context) {
  // aten: (weight, indices, offsets, scale_grad, mode, sparse, per_sample_weights, include_last,
  // padding_idx); functional: (input, weight, offsets, max_norm, norm_type, scale_grad, mode,
  // sparse, per_sample_weights, include_last_offset, padding_idx).
  const bool is_functional = context.name().is_functional;
  const TensorState weight = context.Operand(is_functional ? 1 : 0, {"weight"});
  const TensorState indices = context.Operand(is_functional ? 0 : 1, {"input", "indices"});
  const Argument* offsets = context.Find(2, {"offsets"});
  const Argument* factors = context.Find(is_functional ? 8 : 6, {"per_sample_weights"});
  const bool has_last =
      context.BoolOr(context.Find(is_functional ? 9 : 7, {"include_last_offset"}), false);
  const auto left_out = context.Int(context.Find(is_functional ? 10 : 8, {"padding_idx"}));
  const bool is_rescaled = is_functional && context.Find(3, {"max_norm"}) != nullptr;
  if (!weight.has_rank || weight.rank != 2 || !indices.has_rank || is_rescaled) return;
  TensorState result;
  if (indices.rank == 2 && offsets == nullptr) {
    if (indices.IsPadded(1) && !IsLeftOut(indices, 1, left_out)) {
      return context.Contaminate("bags take padded positions of " + context.DimText(indices, 1),
                                 indices.Anywhere().IsShown());
    }
    result.AddDim(indices.Dim(0));
  } else if (indices.rank == 1 && offsets != nullptr) {
    const auto bags = FlatBags(context, indices, offsets, has_last, left_out);
    if (!bags) return;
    result.AddDim(*bags);
  } else {
    return;
  }
  result.AddDim(weight.Dim(1));
  bool is_finite = weight.IsFiniteEverywhere();
  if (factors != nullptr) is_finite &= context.State(factors).Anywhere().IsFinite();
  result.SetFills(Fill::FiniteIf(is_finite));
  if (indices.IsPadded()) context.Note("padded positions must hold valid indices");
  if (is_functional) return context.Return(std::move(result));
  // The bag of each index, sizes of bags, positions of maxima: for the backward graph.
  context.ReturnTuple({std::move(result), TensorState(), TensorState(), TensorState()});
}

}  // namespace shapewise
