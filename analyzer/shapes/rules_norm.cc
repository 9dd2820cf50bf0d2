
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
    if (context.name().base.find("rms") != std::string_view::npos) context.results().pop_back();
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

}  // namespace shapewise
