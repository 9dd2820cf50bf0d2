// Losses of torch.nn.functional, whose reductions are strings. Source: torch/nn/functional.py,
// releases 2.0 to 2.13.

#include <ATen/ATen.h>

#include "replay/python_adapters.h"

namespace shapewise::replay {
namespace {

using Arguments = std::vector<Value>;

/// Converts "none", "mean" and "sum" to at::Reduction; size_average and reduce take precedence.
int64_t Reduction(const Value& name, const Value& size_average, const Value& reduce) {
  if (!size_average.IsNone() || !reduce.IsNone()) {
    const bool reduces = reduce.IsNone() || reduce.AsBool();
    const bool averages = size_average.IsNone() || size_average.AsBool();
    return !reduces ? at::Reduction::None : averages ? at::Reduction::Mean : at::Reduction::Sum;
  }
  const std::string& text = name.AsText();
  if (text == "none") return at::Reduction::None;
  if (text == "mean") return at::Reduction::Mean;
  TORCH_CHECK(text == "sum", "the reduction '", text, "' is not known");
  return at::Reduction::Sum;
}

Value CrossEntropy(const Arguments& a) {
  return Value::Of(at::cross_entropy_loss(a[0].AsTensor(), a[1].AsTensor(), OptionalTensor(a[2]),
                                          Reduction(a[6], a[3], a[5]), a[4].AsInt(),
                                          a[7].AsFloat()));
}

Value NegativeLogLikelihood(const Arguments& a) {
  return Value::Of(at::nll_loss_nd(a[0].AsTensor(), a[1].AsTensor(), OptionalTensor(a[2]),
                                   Reduction(a[6], a[3], a[5]), a[4].AsInt()));
}

Value KlDivergence(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  const bool is_batch_mean = a[4].AsText() == "batchmean";
  const int64_t reduction =
      is_batch_mean ? static_cast<int64_t>(at::Reduction::Sum) : Reduction(a[4], a[2], a[3]);
  const at::Tensor loss = at::kl_div(input, a[1].AsTensor(), reduction, a[5].AsBool());
  return Value::Of(is_batch_mean && input.dim() != 0 ? loss / input.size(0) : loss);
}

/// Element-wise losses: both sides are broadcast first.
template <typename Loss>
Value OfElements(const Arguments& a, Loss loss) {
  const auto sides = at::broadcast_tensors({a[0].AsTensor(), a[1].AsTensor()});
  return Value::Of(loss(sides[0], sides[1]));
}

Value MeanSquaredError(const Arguments& a) {
  TORCH_CHECK(a[5].IsNone(), "mse_loss with weights");
  return OfElements(a, [&](const at::Tensor& input, const at::Tensor& target) {
    return at::mse_loss(input, target, Reduction(a[4], a[2], a[3]));
  });
}

Value L1(const Arguments& a) {
  TORCH_CHECK(a[5].IsNone(), "l1_loss with weights");
  return OfElements(a, [&](const at::Tensor& input, const at::Tensor& target) {
    return at::l1_loss(input, target, Reduction(a[4], a[2], a[3]));
  });
}

Value SmoothL1(const Arguments& a) {
  const double beta = a[5].AsFloat();
  return OfElements(a, [&](const at::Tensor& input, const at::Tensor& target) {
    const int64_t reduction = Reduction(a[4], a[2], a[3]);
    return beta == 0 ? at::l1_loss(input, target, reduction)
                     : at::smooth_l1_loss(input, target, reduction, beta);
  });
}

Value Huber(const Arguments& a) {
  TORCH_CHECK(a[4].IsNone(), "huber_loss with weights");
  return OfElements(a, [&](const at::Tensor& input, const at::Tensor& target) {
    return at::huber_loss(input, target, Reduction(a[2], Value::None(), Value::None()),
                          a[3].AsFloat());
  });
}

Value BinaryCrossEntropy(const Arguments& a) {
  return Value::Of(at::binary_cross_entropy(a[0].AsTensor(), a[1].AsTensor(), OptionalTensor(a[2]),
                                            Reduction(a[5], a[3], a[4])));
}

Value BinaryCrossEntropyWithLogits(const Arguments& a) {
  return Value::Of(at::binary_cross_entropy_with_logits(a[0].AsTensor(), a[1].AsTensor(),
                                                        OptionalTensor(a[2]), OptionalTensor(a[6]),
                                                        Reduction(a[5], a[3], a[4])));
}

Value SoftMargin(const Arguments& a) {
  return Value::Of(
      at::soft_margin_loss(a[0].AsTensor(), a[1].AsTensor(), Reduction(a[4], a[2], a[3])));
}

Value HingeEmbedding(const Arguments& a) {
  return Value::Of(at::hinge_embedding_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsFloat(),
                                            Reduction(a[5], a[3], a[4])));
}

Value CosineEmbedding(const Arguments& a) {
  return Value::Of(at::cosine_embedding_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsTensor(),
                                             a[3].AsFloat(), Reduction(a[6], a[4], a[5])));
}

Value MarginRanking(const Arguments& a) {
  return Value::Of(at::margin_ranking_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsTensor(),
                                           a[3].AsFloat(), Reduction(a[6], a[4], a[5])));
}

Value TripletMargin(const Arguments& a) {
  return Value::Of(at::triplet_margin_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsTensor(),
                                           a[3].AsFloat(), a[4].AsFloat(), a[5].AsFloat(),
                                           a[6].AsBool(), Reduction(a[9], a[7], a[8])));
}

Value PoissonNll(const Arguments& a) {
  return Value::Of(at::poisson_nll_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsBool(),
                                        a[3].AsBool(), a[5].AsFloat(),
                                        Reduction(a[7], a[4], a[6])));
}

Value Ctc(const Arguments& a) {
  return Value::Of(at::ctc_loss(a[0].AsTensor(), a[1].AsTensor(), a[2].AsTensor(), a[3].AsTensor(),
                                a[4].AsInt(), Reduction(a[5], Value::None(), Value::None()),
                                a[6].AsBool()));
}

constexpr const char* kOfElements =
    "input, target, size_average=None, reduce=None, reduction='mean', weight=None";

constexpr PythonAdapter kLosses[] = {
    {"torch.nn.functional.cross_entropy",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
     "reduction='mean', label_smoothing=0.0",
     CrossEntropy},
    {"torch.nn.functional.nll_loss",
     "input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, "
     "reduction='mean'",
     NegativeLogLikelihood},
    {"torch.nn.functional.kl_div",
     "input, target, size_average=None, reduce=None, reduction='mean', log_target=False",
     KlDivergence},
    {"torch.nn.functional.mse_loss", kOfElements, MeanSquaredError},
    {"torch.nn.functional.l1_loss", kOfElements, L1},
    {"torch.nn.functional.smooth_l1_loss",
     "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0", SmoothL1},
    {"torch.nn.functional.huber_loss", "input, target, reduction='mean', delta=1.0, weight=None",
     Huber},
    {"torch.nn.functional.binary_cross_entropy",
     "input, target, weight=None, size_average=None, reduce=None, reduction='mean'",
     BinaryCrossEntropy},
    {"torch.nn.functional.binary_cross_entropy_with_logits",
     "input, target, weight=None, size_average=None, reduce=None, reduction='mean', "
     "pos_weight=None",
     BinaryCrossEntropyWithLogits},
    {"torch.nn.functional.soft_margin_loss",
     "input, target, size_average=None, reduce=None, reduction='mean'", SoftMargin},
    {"torch.nn.functional.hinge_embedding_loss",
     "input, target, margin=1.0, size_average=None, reduce=None, reduction='mean'", HingeEmbedding},
    {"torch.nn.functional.cosine_embedding_loss",
     "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
     CosineEmbedding},
    {"torch.nn.functional.margin_ranking_loss",
     "input1, input2, target, margin=0, size_average=None, reduce=None, reduction='mean'",
     MarginRanking},
    {"torch.nn.functional.triplet_margin_loss",
     "anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, "
     "reduce=None, reduction='mean'",
     TripletMargin},
    {"torch.nn.functional.poisson_nll_loss",
     "input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, "
     "reduction='mean'",
     PoissonNll},
    {"torch.nn.functional.ctc_loss",
     "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', "
     "zero_infinity=False",
     Ctc},
};

}  // namespace

std::span<const PythonAdapter> LossAdapters() { return kLosses; }

}  // namespace shapewise::replay
