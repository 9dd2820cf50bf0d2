
#include "shapes/broadcast.h"
#include "shapes/propagation.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// Padded rows that are normalised independently: finite for finite rows, because an epsilon is
// added to the variance.
void NormalizeFills(TensorState& state) {
  state.real = Fill::Real();
  state.ChangeFills(FiniteLike);
}

// Whether padding occurs along one of `dims`, which is reported to the context.
bool IsMixedOver(NodeContext& context, const TensorState& state, size_t first, size_t last) {
  const std::string why = std::string(context.name().base) + " takes mean and variance over";
  for (size_t dim = first; dim < last && dim < state.rank; ++dim) {
    if (context.ContaminatesPadded(state, dim, why)) return true;
  }
  return false;
}

// A statistic of the rows of `state`: dims from `first` on have size 1 or are removed.
TensorState Statistic(NodeContext& context, const TensorState& state, size_t first, bool keeps) {
  TensorState result = TensorState::Scalar();
  for (size_t dim = 0; dim < state.rank; ++dim) {
    if (dim < first) {
      result.AddDim(state.Dim(dim));
    } else if (keeps) {
      result.AddDim(context.pool().Integer(1));
    }
  }
  NormalizeFills(result);
  return result;
}

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
  const uint32_t node = context.ProducerOf(offsets);
  Propagation& propagation = context.propagation();
  if (node == kNoIndex || propagation.NameOf(node).base != "arange") return false;
  const NodeContext arange(propagation, node);
  if (arange.num_positional() < 3 || arange.Int(arange.Find(0)) != 0) return false;
  const ExprId end = arange.Size(arange.Find(1));
  const ExprId step = arange.Size(arange.Find(2));
  ExprPool& pool = context.pool();
  const bool is_known = end != ExprId::kNone && pool.kind(step) == ExprKind::kInteger &&
                        pool.value(step) > 0 && indices.Single(0) != nullptr;
  const ExprId bags = context.State(offsets).Size(0);
  return is_known && indices.Size(0) == end && bags != ExprId::kNone &&
         pool.Mul({bags, step}) == end;
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
    bags.size = context.pool().Add({bags.size, context.pool().Integer(-1)});
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

void LayerNormRule(NodeContext& context) {
  // layer_norm(input, normalized_shape, ...), rms_norm, native_layer_norm, _fused_rms_norm.
  TensorState state = context.Operand(0, {"input"});
  const Argument* shape = context.Find(1, {"normalized_shape"});
  if (!state.has_rank || shape == nullptr) return;
  const size_t count = context.Elements(shape).size();
  if (count > state.rank) return;
  const size_t first = state.rank - count;
  if (IsMixedOver(context, state, first, state.rank)) return;
  TensorState statistic = Statistic(context, state, first, true);
  NormalizeFills(state);
  if ((context.rule().flags & kTuple) != 0) {
    TensorState second = statistic;
    context.ReturnTuple({std::move(state), std::move(statistic), std::move(second)});
    if (context.name().base.find("rms") != std::string_view::npos)
      context.result().states.pop_back();
    return;
  }
  context.Return(std::move(state));
}

void ChannelNormRule(NodeContext& context) {
  auto kind = static_cast<ChannelNorm>(context.rule().code);
  TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank < 2) return;
  if (kind == ChannelNorm::kBatch) {
    // The functional form has training after (input, running_mean, running_var, weight, bias),
    // ATen's form after (input, weight, bias, running_mean, running_var).
    const bool training = context.BoolOr(context.Find(5, {"training", "train"}), true);
    if (!training) kind = ChannelNorm::kBatchInference;
  }
  switch (kind) {
    case ChannelNorm::kBatchInference:
      break;
    case ChannelNorm::kBatch:
      if (IsMixedOver(context, state, 0, 1) || IsMixedOver(context, state, 2, state.rank)) return;
      break;
    case ChannelNorm::kGroup:
      if (IsMixedOver(context, state, 1, state.rank)) return;
      break;
    case ChannelNorm::kInstance:
      if (IsMixedOver(context, state, 2, state.rank)) return;
      break;
  }
  TensorState channels;
  channels.AddDim(state.Dim(1));
  NormalizeFills(state);
  if ((context.rule().flags & kTuple) == 0) return context.Return(std::move(state));
  if (kind == ChannelNorm::kGroup) {  // native_group_norm(..., N, C, HxW, groups, eps)
    TensorState statistic;
    statistic.AddDim(state.Dim(0));
    statistic.AddDim(context.Size(context.Find(6, {"group"})));
    NormalizeFills(statistic);
    TensorState second = statistic;
    return context.ReturnTuple({std::move(state), std::move(statistic), std::move(second)});
  }
  NormalizeFills(channels);
  llvm::SmallVector<TensorState, 2> results = {std::move(state)};
  for (int i = 0; i < 4; ++i) results.push_back(channels);
  context.ReturnTuple(std::move(results));
}

void NormalizeRule(NodeContext& context) {
  const bool is_similarity = context.rule().code != 0;
  llvm::SmallVector<TensorState, 2> operands = {context.Operand(0, {"input", "x1"})};
  if (is_similarity) operands.push_back(context.Operand(1, {"x2"}));
  TensorState state = Broadcast(context, Pointwise::kTest, operands);
  if (!state.has_rank || context.has_failed()) return;
  // normalize(input, p, dim, eps); cosine_similarity(x1, x2, dim, eps).
  const auto dim = context.DimOf(state, 2, 1);
  const std::string why = std::string(context.name().base) + " takes the norm over";
  if (!dim || context.ContaminatesPadded(state, *dim, why)) return;
  NormalizeFills(state);
  context.Return(is_similarity ? state.WithoutDim(*dim) : std::move(state));
}

void CellRule(NodeContext& context) {
  // gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh); lstm_cell takes (h, c) and returns the same: one
  // step, each row independently.
  const TensorState input = context.Operand(0, {"input"});
  const bool is_pair = (context.rule().flags & kTuple) != 0;
  llvm::SmallVector<TensorState, 3> states = {input};
  for (const Argument* hidden : context.Elements(context.Find(1, {"hx"}))) {
    states.push_back(context.State(hidden));
  }
  if (states.size() != (is_pair ? 3 : 2) || !input.has_rank || input.rank == 0) return;
  for (size_t weight = 2; weight < 6; ++weight) {
    if (context.Find(weight) != nullptr && context.State(context.Find(weight)).IsPadded()) return;
  }
  const size_t last = input.rank - 1u;
  bool is_finite = true;
  for (const TensorState& state : states) {
    if (!state.has_rank || state.rank != input.rank) return;
    if (context.ContaminatesPadded(state, last, std::string(context.name().base) + " sums over")) {
      return;
    }
    is_finite &= state.IsFiniteEverywhere();
  }
  TensorState result = TensorState::Scalar();
  llvm::SmallVector<const TensorState*, 3> operands;
  for (const TensorState& state : states) operands.push_back(&state);
  for (size_t dim = 0; dim < last; ++dim) {
    llvm::SmallVector<llvm::ArrayRef<Axis>, 3> dims;
    for (const TensorState& state : states) dims.push_back(state.Dim(dim));
    if (!LineUp(context, operands, dims, Pointwise::kTest, result)) return;
  }
  result.AddDim(states[1].Dim(last));
  result.SetFills(Fill::FiniteIf(is_finite));
  if (is_pair) {
    TensorState cell = result;
    context.ReturnTuple({std::move(result), std::move(cell)});
  } else {
    context.Return(std::move(result));
  }
}

void RecurrentRule(NodeContext& context) {
  // lstm(input, (h, c), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
  // and similar; for packed sequences the second argument is a tensor of sizes.
  const size_t num_hidden = context.rule().code;
  const TensorState input = context.Operand(0, {"input"});
  llvm::SmallVector<TensorState, 2> hidden;
  for (const Argument* state : context.Elements(context.Find(1, {"hx"}))) {
    hidden.push_back(context.State(state));
  }
  const Argument* parameters = context.Find(2, {"params"});
  const bool is_list = parameters != nullptr && parameters->IsSequence();
  if (!is_list || hidden.size() != num_hidden || input.rank != 3 || context.num_positional() < 9) {
    return;
  }
  const bool draws =
      context.Number(context.Find(5)).value_or(1) > 0 && context.BoolOr(context.Find(6), true);
  const bool is_two_way = context.BoolOr(context.Find(7), true);
  const size_t batch = context.BoolOr(context.Find(8), false) ? 0 : 1;
  const size_t time = 1 - batch;
  bool is_finite = input.IsFiniteEverywhere();
  for (const TensorState& state : hidden) {
    if (state.rank != 3 || state.IsPadded(0) || state.IsPadded(2)) return;
    is_finite &= state.IsFiniteEverywhere();
  }
  if (input.IsPadded(time)) {
    return context.Unknown("a recurrent network over " + context.DimText(input, time) +
                           ", which is padded, is not followed");
  }
  if (context.ContaminatesPadded(input, 2, std::string(context.name().base) + " sums over")) return;
  if (input.IsPadded(batch) && draws) {
    return context.Contaminate("dropout in training draws other random numbers for other sizes");
  }
  llvm::SmallVector<const TensorState*, 3> operands = {&input};
  llvm::SmallVector<llvm::ArrayRef<Axis>, 3> dims = {input.Dim(batch)};
  for (const TensorState& state : hidden) {
    operands.push_back(&state);
    dims.push_back(state.Dim(1));
  }
  TensorState rows;
  if (!LineUp(context, operands, dims, Pointwise::kTest, rows)) return;
  ExprPool& pool = context.pool();
  const ExprId width = hidden[0].Size(2);
  TensorState steps;
  for (size_t dim = 0; dim < 2; ++dim) steps.AddDim(dim == batch ? rows.Dim(0) : input.Dim(time));
  steps.AddDim(width == ExprId::kNone ? width
                                      : pool.Mul({width, pool.Integer(is_two_way ? 2 : 1)}));
  llvm::SmallVector<TensorState, 2> results = {std::move(steps)};
  for (const TensorState& state : hidden) {
    results.push_back(state.WithDim(1, rows.Dim(0)));
    results.back().real = Fill::Real();
  }
  for (TensorState& result : results) result.SetFills(Fill::FiniteIf(is_finite));
  context.ReturnTuple(std::move(results));
}

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
