// Layers, activations and norms of torch.nn.functional. Source: torch/nn/functional.py, releases
// 2.0 to 2.13.

#include <ATen/ATen.h>

#include "replay/operator_lookup.h"
#include "replay/python_adapters.h"

namespace shapewise::replay {
namespace {

using Arguments = std::vector<Value>;

at::Tensor TensorOrNone(const Value& value) {
  return value.IsTensor() ? value.AsTensor() : at::Tensor();
}

/// Calls aten::relu or aten::relu_, for example, with all arguments except the last, which is
/// `inplace`.
Value InPlaceOrNot(const char* name, const Arguments& arguments) {
  const Arguments operands(arguments.begin(), arguments.end() - 1);
  const std::string in_place = arguments.back().AsBool() ? "_" : "";
  return CallOperator(std::string("aten::") + name + in_place, operands);
}

Value Embedding(const Arguments& a) {
  at::Tensor weight = a[1].AsTensor();
  int64_t padding_index = -1;
  if (!a[2].IsNone())
    padding_index = a[2].AsInt() < 0 ? a[2].AsInt() + weight.size(0) : a[2].AsInt();
  if (!a[3].IsNone()) {
    at::embedding_renorm_(weight, a[0].AsTensor().contiguous(), a[3].AsFloat(), a[4].AsFloat());
  }
  return Value::Of(
      at::embedding(weight, a[0].AsTensor(), padding_index, a[5].AsBool(), a[6].AsBool()));
}

Value EmbeddingBag(const Arguments& a) {
  at::Tensor input = a[0].AsTensor();
  at::Tensor offsets = TensorOrNone(a[2]);
  std::optional<at::Tensor> weights = OptionalTensor(a[8]);
  TORCH_CHECK(a[3].IsNone(), "embedding_bag with max_norm");
  if (input.dim() == 2) {
    offsets = at::arange(0, input.numel(), input.size(1), input.options());
    input = input.reshape(-1);
    if (weights) weights = weights->reshape(-1);
  }
  const std::string& mode = a[6].AsText();
  const int64_t number = mode == "sum" ? 0 : mode == "mean" ? 1 : 2;
  const bool scales = a[5].AsBool();
  const auto padding = a[10].IsNone() ? std::optional<int64_t>() : a[10].AsInt();
  return Value::Of(std::get<0>(at::embedding_bag(a[1].AsTensor(), input, offsets, scales, number,
                                                 a[7].AsBool(), weights, a[9].AsBool(), padding)));
}

Value OneHot(const Arguments& a) { return Value::Of(at::one_hot(a[0].AsTensor(), a[1].AsInt())); }

Value Dropout(const Arguments& a) {
  at::Tensor input = a[0].AsTensor();
  return Value::Of(a[3].AsBool() ? at::dropout_(input, a[1].AsFloat(), a[2].AsBool())
                                 : at::dropout(input, a[1].AsFloat(), a[2].AsBool()));
}

Value AlphaDropout(const Arguments& a) {
  return Value::Of(at::alpha_dropout(a[0].AsTensor(), a[1].AsFloat(), a[2].AsBool()));
}

Value FeatureDropout(const Arguments& a) {
  return Value::Of(at::feature_dropout(a[0].AsTensor(), a[1].AsFloat(), a[2].AsBool()));
}

/// The default dim in Python: _get_softmax_dim.
int64_t SoftmaxDim(const at::Tensor& tensor, const Value& dim) {
  if (!dim.IsNone()) return dim.AsInt();
  return tensor.dim() == 0 || tensor.dim() == 1 || tensor.dim() == 3 ? 0 : 1;
}

std::optional<c10::ScalarType> OptionalDtype(const Value& value) {
  return value.kind() == Value::Kind::kDtype ? std::optional(value.AsDtype()) : std::nullopt;
}

Value Softmax(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  return Value::Of(at::softmax(input, SoftmaxDim(input, a[1]), OptionalDtype(a[3])));
}

Value LogSoftmax(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  return Value::Of(at::log_softmax(input, SoftmaxDim(input, a[1]), OptionalDtype(a[3])));
}

Value Softmin(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  return Value::Of(at::softmax(-input, SoftmaxDim(input, a[1]), OptionalDtype(a[3])));
}

Value GumbelSoftmax(const Arguments& a) {
  const at::Tensor& logits = a[0].AsTensor();
  const int64_t dim = a[4].AsInt();
  const at::Tensor gumbels = -at::empty_like(logits).exponential_().log();
  const at::Tensor soft = at::softmax((logits + gumbels) / a[1].AsFloat(), dim);
  if (!a[2].AsBool()) return Value::Of(soft);
  const at::Tensor index = std::get<1>(soft.max(dim, /*keepdim=*/true));
  return Value::Of(at::zeros_like(logits).scatter(dim, index, 1.0) - soft.detach() + soft);
}

Value Relu(const Arguments& a) { return InPlaceOrNot("relu", a); }
Value Relu6(const Arguments& a) { return InPlaceOrNot("relu6", a); }
Value Elu(const Arguments& a) { return InPlaceOrNot("elu", a); }
Value Selu(const Arguments& a) { return InPlaceOrNot("selu", a); }
Value Celu(const Arguments& a) { return InPlaceOrNot("celu", a); }
Value Silu(const Arguments& a) { return InPlaceOrNot("silu", a); }
Value Mish(const Arguments& a) { return InPlaceOrNot("mish", a); }
Value LeakyRelu(const Arguments& a) { return InPlaceOrNot("leaky_relu", a); }
Value Hardswish(const Arguments& a) { return InPlaceOrNot("hardswish", a); }
Value Hardsigmoid(const Arguments& a) { return InPlaceOrNot("hardsigmoid", a); }
Value Hardtanh(const Arguments& a) { return InPlaceOrNot("hardtanh", a); }
Value Threshold(const Arguments& a) { return InPlaceOrNot("threshold", a); }

Value RandomizedLeakyRelu(const Arguments& a) {
  return Value::Of(at::rrelu(a[0].AsTensor(), a[1].AsScalar(), a[2].AsScalar(), a[3].AsBool()));
}

Value Softsign(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  return Value::Of(input / (input.abs() + 1));
}

Value Tanhshrink(const Arguments& a) { return Value::Of(a[0].AsTensor() - a[0].AsTensor().tanh()); }

/// PyTorch's own setting for cuDNN; irrelevant on a CPU.
bool UsesCudnn() { return at::globalContext().userEnabledCuDNN(); }

Value BatchNorm(const Arguments& a) {
  return Value::Of(at::batch_norm(a[0].AsTensor(), OptionalTensor(a[3]), OptionalTensor(a[4]),
                                  OptionalTensor(a[1]), OptionalTensor(a[2]), a[5].AsBool(),
                                  a[6].AsFloat(), a[7].AsFloat(), UsesCudnn()));
}

Value InstanceNorm(const Arguments& a) {
  return Value::Of(at::instance_norm(a[0].AsTensor(), OptionalTensor(a[3]), OptionalTensor(a[4]),
                                     OptionalTensor(a[1]), OptionalTensor(a[2]), a[5].AsBool(),
                                     a[6].AsFloat(), a[7].AsFloat(), UsesCudnn()));
}

Value LayerNorm(const Arguments& a) {
  return Value::Of(at::layer_norm(a[0].AsTensor(), a[1].AsInts(), OptionalTensor(a[2]),
                                  OptionalTensor(a[3]), a[4].AsFloat(), UsesCudnn()));
}

Value GroupNorm(const Arguments& a) {
  return Value::Of(at::group_norm(a[0].AsTensor(), a[1].AsInt(), OptionalTensor(a[2]),
                                  OptionalTensor(a[3]), a[4].AsFloat(), UsesCudnn()));
}

Value RmsNorm(const Arguments& a) {
  const auto eps = a[3].IsNone() ? std::optional<double>() : a[3].AsFloat();
  return Value::Of(at::rms_norm(a[0].AsTensor(), a[1].AsInts(), OptionalTensor(a[2]), eps));
}

Value LocalResponseNorm(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  const int64_t size = a[1].AsInt();
  TORCH_CHECK(input.dim() >= 3, "local_response_norm of ", input.dim(), " dims");
  at::Tensor squares = input.mul(input).unsqueeze(1);
  if (input.dim() == 3) {
    squares = at::constant_pad_nd(squares, {0, 0, size / 2, (size - 1) / 2});
    squares = at::avg_pool2d(squares, {size, 1}, 1).squeeze(1);
  } else {
    const auto sizes = input.sizes();
    squares = squares.view({sizes[0], 1, sizes[1], sizes[2], -1});
    squares = at::constant_pad_nd(squares, {0, 0, 0, 0, size / 2, (size - 1) / 2});
    squares = at::avg_pool3d(squares, {size, 1, 1}, 1).squeeze(1).view(sizes);
  }
  return Value::Of(input / squares.mul(a[2].AsFloat()).add(a[4].AsFloat()).pow(a[3].AsFloat()));
}

constexpr PythonAdapter kLayers[] = {
    {"torch.nn.functional.embedding",
     "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
     "sparse=False",
     Embedding},
    {"torch.nn.functional.embedding_bag",
     "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, "
     "mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, "
     "padding_idx=None",
     EmbeddingBag},
    {"torch.nn.functional.one_hot", "tensor, num_classes=-1", OneHot},
    {"torch._C._nn.one_hot", "tensor, num_classes=-1", OneHot},
    {"torch.nn.functional.dropout", "input, p=0.5, training=True, inplace=False", Dropout},
    {"torch.nn.functional.alpha_dropout", "input, p=0.5, training=False, inplace=False",
     AlphaDropout},
    {"torch.nn.functional.dropout1d", "input, p=0.5, training=True, inplace=False", FeatureDropout},
    {"torch.nn.functional.dropout2d", "input, p=0.5, training=True, inplace=False", FeatureDropout},
    {"torch.nn.functional.dropout3d", "input, p=0.5, training=True, inplace=False", FeatureDropout},
    {"torch.nn.functional.softmax", "input, dim=None, _stacklevel=3, dtype=None", Softmax},
    {"torch.nn.functional.log_softmax", "input, dim=None, _stacklevel=3, dtype=None", LogSoftmax},
    {"torch.nn.functional.softmin", "input, dim=None, _stacklevel=3, dtype=None", Softmin},
    {"torch.nn.functional.gumbel_softmax", "logits, tau=1, hard=False, eps=1e-10, dim=-1",
     GumbelSoftmax},
    {"torch.nn.functional.relu", "input, inplace=False", Relu},
    {"torch.nn.functional.relu6", "input, inplace=False", Relu6},
    {"torch.nn.functional.elu", "input, alpha=1.0, inplace=False", Elu},
    {"torch.nn.functional.selu", "input, inplace=False", Selu},
    {"torch.nn.functional.celu", "input, alpha=1.0, inplace=False", Celu},
    {"torch.nn.functional.silu", "input, inplace=False", Silu},
    {"torch.nn.functional.mish", "input, inplace=False", Mish},
    {"torch.nn.functional.leaky_relu", "input, negative_slope=0.01, inplace=False", LeakyRelu},
    {"torch.nn.functional.hardswish", "input, inplace=False", Hardswish},
    {"torch.nn.functional.hardsigmoid", "input, inplace=False", Hardsigmoid},
    {"torch.nn.functional.hardtanh", "input, min_val=-1.0, max_val=1.0, inplace=False", Hardtanh},
    {"torch.nn.functional.threshold", "input, threshold, value, inplace=False", Threshold},
    {"torch.nn.functional.rrelu",
     "input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False",
     RandomizedLeakyRelu},
    {"torch.nn.functional.softsign", "input", Softsign},
    {"torch.nn.functional.tanhshrink", "input", Tanhshrink},
    {"torch.nn.functional.batch_norm",
     "input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, "
     "eps=1e-05",
     BatchNorm},
    {"torch.nn.functional.instance_norm",
     "input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, "
     "momentum=0.1, eps=1e-05",
     InstanceNorm},
    {"torch.nn.functional.layer_norm", "input, normalized_shape, weight=None, bias=None, eps=1e-05",
     LayerNorm},
    {"torch.nn.functional.group_norm", "input, num_groups, weight=None, bias=None, eps=1e-05",
     GroupNorm},
    {"torch.nn.functional.rms_norm", "input, normalized_shape, weight=None, eps=None", RmsNorm},
    {"torch.nn.functional.local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0",
     LocalResponseNorm},
};

}  // namespace

std::span<const PythonAdapter> LayerAdapters() { return kLayers; }

}  // namespace shapewise::replay
