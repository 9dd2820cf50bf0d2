#include <algorithm>
#include <limits>

#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// The value of a mask for an excluded key.
bool LeavesOut(const Fill& fill) { return fill.IsVeryLow(); }

// A boolean mask selects the keys to keep; a numeric one is added to the scores.
bool KeepsNothing(const Fill& fill, bool is_bool) {
  return is_bool ? fill.IsNumber(0) : LeavesOut(fill);
}

// As in softmax: if all keys of a row are masked by numbers such as -1e9, attention spreads over
// padded keys as well. The result is then unknown.
bool SpreadsOverMasked(NodeContext& context, const TensorState& mask, const Fill& fill) {
  if (fill.IsNumber(-std::numeric_limits<double>::infinity()) || !mask.real.MayBeLowEverywhere()) {
    return false;
  }
  context.UnknownForSome(
      "attention over padded keys: right if the mask leaves every real row a real key, which is "
      "not known");
  return true;
}

// Whether padded positions of keys and values, along `row`, stay without effect; reports to the
// context if not. `is_shown`: padded keys are known not to be excluded.
bool LeavesPaddedKeysOut(NodeContext& context, const TensorState& key, const TensorState& value,
                         size_t row, bool is_masked, bool is_shown) {
  if (!is_masked) {
    context.Contaminate("attention over keys of " + context.DimText(key, row) +
                            ", which is padded, without a mask that leaves padded keys out",
                        is_shown);
  } else if (!value.Single(row)->near.IsFinite() || !key.Single(row)->near.IsFinite()) {
    context.Contaminate("values at padded keys may be infinite, which no mask removes",
                        /*is_shown=*/false);
  }
  return !context.has_failed();
}

// Whether keys and values are padded alike along `row`; reports to the context if not.
bool ArePaddedAlike(NodeContext& context, const TensorState& key, const TensorState& value,
                    size_t row) {
  const Axis* keys = key.Single(row);
  const Axis* values = value.Single(row);
  if (keys != nullptr && values != nullptr && keys->is_padded && values->is_padded) return true;
  context.Contaminate("padded positions of keys and values do not line up", /*is_shown=*/false);
  return false;
}

// Whether a row of which a mask of truth values leaves nothing is 0, as from torch 2.5 on (PR
// #131060), and not NaN. A dump without a version is treated as newer.
bool ZeroesMaskedRows(const NodeContext& context) {
  const Propagation& propagation = context.propagation();
  const std::string_view version =
      propagation.graphs().strings.text(propagation.graph().torch_version);
  for (const std::string_view old : {"1.", "2.0.", "2.1.", "2.2.", "2.3.", "2.4."}) {
    if (version.starts_with(old)) return false;
  }
  return true;
}

}  // namespace

void AttentionRule(NodeContext& context) {
  const auto kind = static_cast<Attention>(context.rule().code);
  const TensorState query = context.Operand(0, {"query"});
  const TensorState key = context.Operand(1, {"key"});
  const TensorState value = context.Operand(2, {"value"});
  if (!query.has_rank || !key.has_rank || !value.has_rank || query.rank < 2 ||
      key.rank != query.rank || value.rank != query.rank) {
    return;
  }
  // (query, key, value, attn_mask, dropout_p, is_causal);
  // flash: (query, key, value, dropout_p, is_causal, *, attn_mask);
  // efficient: (query, key, value, attn_bias, compute_log_sumexp, dropout_p, is_causal)
  const size_t first = kind == Attention::kPlain ? 4 : kind == Attention::kFlash ? 3 : 5;
  const Argument* mask = kind == Attention::kFlash ? context.FindKeyword("attn_mask")
                                                   : context.Find(3, {"attn_mask", "attn_bias"});
  const Argument* dropout = context.Find(first, {"dropout_p"});
  const Argument* causal = context.Find(first + 1, {"is_causal"});
  const size_t row = query.rank - 2u;
  const size_t column = query.rank - 1u;
  if (context.ContaminatesPadded(query, column, "attention sums over") ||
      context.ContaminatesPadded(key, column, "attention sums over")) {
    return;
  }
  if (context.Number(dropout).value_or(0) > 0) {
    return context.Contaminate("dropout in training draws other random numbers for other sizes");
  }
  const TensorState mask_state = mask == nullptr ? TensorState() : context.State(mask);
  bool masks_rows = false;  // whether padding could mask a whole row, whose result is NaN
  if (mask != nullptr) {
    if (!mask_state.has_rank || mask_state.rank == 0) return;
    const bool is_bool = context.IsOfType(mask, "torch.bool");
    const auto is_row = [&](const Axis& axis) {
      return axis.is_padded && axis.dim + 1u < mask_state.rank;
    };
    const bool is_one = std::ranges::count_if(mask_state.axes, is_row) == 1;
    for (const Axis& axis : mask_state.axes) {
      if (!is_row(axis)) continue;
      // The real keys of a padded row are in `near`: it is enough that they are kept.
      masks_rows |= is_bool ? !(is_one ? axis.near : axis.all).IsNumber(1) : !axis.all.IsFinite();
    }
    if (masks_rows && is_bool && ZeroesMaskedRows(context)) {
      context.Note("rows that a mask leaves nothing of are 0, as they are from torch 2.5 on");
      masks_rows = false;
    }
  }
  if (key.IsPadded(row) || value.IsPadded(row)) {
    if (!ArePaddedAlike(context, key, value, row)) return;
    const Axis* queries = query.Single(row);
    const bool is_causal = context.BoolOr(causal, false) && queries != nullptr &&
                           queries->is_padded && queries->size == key.Single(row)->size;
    bool is_masked = false;
    bool is_shown = true;  // padded keys are not excluded
    if (mask != nullptr && !is_causal) {
      const bool is_bool = context.IsOfType(mask, "torch.bool");
      const Axis* masked = mask_state.Single(mask_state.rank - 1u);
      is_masked = masked != nullptr && masked->is_padded && KeepsNothing(masked->near, is_bool);
      is_shown = masked != nullptr && (!masked->is_padded || masked->near.IsShown());
      if (is_masked && !is_bool && SpreadsOverMasked(context, mask_state, masked->near)) return;
    }
    if (!LeavesPaddedKeysOut(context, key, value, row, is_causal || is_masked, is_shown)) return;
  }
  // Batch and heads are adjacent; a mask may be broadcast over them.
  TensorState result = TensorState::Scalar();
  const llvm::SmallVector<const TensorState*, 4> operands = {&query, &key, &value};
  for (size_t dim = 0; dim < row; ++dim) {
    if (dim + 1 == row && row >= 2 && query.Size(dim) != key.Size(dim)) {  // grouped heads
      result.AddDim(query.Dim(dim));
      continue;
    }
    if (!LineUp(context, operands, {query.Dim(dim), key.Dim(dim), value.Dim(dim)}, Pointwise::kTest,
                result)) {
      return;
    }
  }
  result.AddDim(query.Dim(row));
  TensorState sums = result;
  result.AddDim(value.Dim(column));
  const auto soften = [&](const Fill& fill) {
    const bool is_finite = !masks_rows && fill.IsFinite() && query.Anywhere().IsFinite() &&
                           key.Anywhere().IsFinite() && value.Anywhere().IsFinite();
    return Fill::FiniteIf(is_finite);
  };
  result.ChangeFills(soften);
  if ((context.rule().flags & kTuple) == 0) return context.Return(std::move(result));
  sums.ChangeFills(soften);
  context.ReturnTuple({std::move(result), std::move(sums)});
}

// Called by nn.TransformerEncoderLayer in inference: a whole layer, (src, ..., mask, mask_type).
void EncoderLayerRule(NodeContext& context) {
  TensorState state = context.Operand(0, {"src"});
  if (!state.has_rank || state.rank != 3 || context.Find(18, {"mask"}) != nullptr) return;
  for (const size_t dim : {size_t{1}, size_t{2}}) {
    if (!state.IsPadded(dim)) continue;
    return context.Contaminate("its attention sums over " + context.DimText(state, dim) +
                               ", which is padded, without a mask that leaves padded keys out");
  }
  state.real = Fill::Real();
  state.ChangeFills(FiniteLike);
  context.Return(std::move(state));
}

// Called by nn.MultiheadAttention: positions come first, the batch second. Masks select excluded
// keys, or are added.
void MultiHeadAttentionRule(NodeContext& context) {
  const TensorState query = context.Operand(0, {"query"});
  const TensorState key = context.Operand(1, {"key"});
  const TensorState value = context.Operand(2, {"value"});
  if (query.rank != 3 || key.rank != 3 || value.rank != 3) return;
  // Learned keys, zero keys and static keys come after the padded ones.
  for (const size_t position : {size_t{7}, size_t{8}}) {
    if (context.Find(position, {position == 7 ? "bias_k" : "bias_v"}) != nullptr) return;
  }
  if (context.BoolOr(context.Find(9, {"add_zero_attn"}), false)) return;
  if (context.Find(21, {"static_k"}) != nullptr || context.Find(22, {"static_v"}) != nullptr)
    return;
  if (query.IsPadded(2) || key.IsPadded(2) || value.IsPadded(2)) {
    return context.Contaminate("attention sums over features, which are padded");
  }
  if (context.Number(context.Find(10, {"dropout_p"})).value_or(0) > 0 &&
      context.BoolOr(context.Find(13, {"training"}), true)) {
    return context.Contaminate("dropout in training draws other random numbers for other sizes");
  }
  bool is_masked = false;
  bool is_shown = true;  // padded keys are not excluded
  bool masks_rows = false;
  for (const Argument* mask :
       {context.Find(14, {"key_padding_mask"}), context.Find(16, {"attn_mask"})}) {
    if (mask == nullptr) continue;
    const TensorState state = context.State(mask);
    if (!state.has_rank || state.rank == 0) return;
    const bool is_bool = context.IsOfType(mask, "torch.bool");
    const Axis* keys = state.Single(state.rank - 1u);
    const bool leaves_out = keys != nullptr && keys->is_padded &&
                            (is_bool ? keys->near.IsNumber(1) : LeavesOut(keys->near));
    is_masked |= leaves_out;
    is_shown &= keys != nullptr && (!keys->is_padded || keys->near.IsShown());
    if (leaves_out && !is_bool && SpreadsOverMasked(context, state, keys->near)) return;
    for (const Axis& axis : state.axes) {
      if (!axis.is_padded || axis.dim + 1u == state.rank) continue;
      masks_rows |= is_bool ? !axis.all.IsNumber(0) : !axis.all.IsFinite();
    }
  }
  const bool has_padded_keys = key.IsPadded(0) || value.IsPadded(0);
  if (has_padded_keys && (!ArePaddedAlike(context, key, value, 0) ||
                          !LeavesPaddedKeysOut(context, key, value, 0, is_masked, is_shown))) {
    return;
  }
  const bool is_finite = !masks_rows && query.Anywhere().IsFinite() && key.Anywhere().IsFinite() &&
                         value.Anywhere().IsFinite();
  TensorState result;
  result.AddDim(query.Dim(0));
  const llvm::SmallVector<const TensorState*, 4> operands = {&query, &key, &value};
  if (!LineUp(context, operands, {query.Dim(1), key.Dim(1), value.Dim(1)}, Pointwise::kTest,
              result)) {
    return;
  }
  TensorState weights;
  weights.AddDim(result.Dim(1));
  weights.AddDim(query.Dim(0));
  weights.AddDim(key.Dim(0));
  weights.SetFills(Fill::FiniteIf(is_finite));
  result.AddDim(query.Dim(2));
  result.SetFills(Fill::FiniteIf(is_finite));
  llvm::SmallVector<TensorState, 2> results = {std::move(result)};
  const bool has_weights = context.BoolOr(context.Find(15, {"need_weights"}), true) &&
                           context.BoolOr(context.FindKeyword("average_attn_weights"), true);
  if (has_weights) results.push_back(std::move(weights));
  context.ReturnTuple(std::move(results));
}

}  // namespace shapewise
