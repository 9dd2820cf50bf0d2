// Functions of torch.nn.functional that do more than call an operator: layers, losses, pools,
// sampling and interpolation. Source: torch/nn/functional.py, releases 2.0 to 2.13.

#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <limits>

#include "replay/operator_lookup.h"
#include "replay/python_adapters.h"
#include "replay/size_expression.h"

namespace shapewise::replay {
namespace {

using Arguments = std::vector<Value>;

at::Tensor TensorOrNone(const Value& value) {
  return value.IsTensor() ? value.AsTensor() : at::Tensor();
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

Value Softsign(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  return Value::Of(input / (input.abs() + 1));
}

Value Tanhshrink(const Arguments& a) { return Value::Of(a[0].AsTensor() - a[0].AsTensor().tanh()); }

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

constexpr const char* kOfElements =
    "input, target, size_average=None, reduce=None, reduction='mean', weight=None";

/// One number per spatial dim; a single number applies to all.
std::vector<double> PerDim(const Value& value, int64_t dims) {
  if (!value.IsSequence()) return std::vector<double>(dims, value.AsFloat());
  std::vector<double> numbers;
  for (const Value& item : value.items()) numbers.push_back(item.AsFloat());
  return numbers;
}

std::vector<int64_t> IntsPerDim(const Value& value, int64_t dims) {
  if (value.IsSequence()) return value.AsInts();
  return std::vector<int64_t>(dims, value.AsInt());
}

/// Either the size or the scale factors.
struct Target {
  std::vector<int64_t> size;
  std::vector<double> factors;

  at::OptionalIntArrayRef Size() const {
    return size.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(size);
  }
  std::optional<at::ArrayRef<double>> Factors() const {
    return factors.empty() ? std::nullopt : std::optional<at::ArrayRef<double>>(factors);
  }
};

at::Tensor Nearest(const at::Tensor& input, const Target& target, bool is_exact) {
  switch (input.dim()) {
    case 3:
      return is_exact ? at::_upsample_nearest_exact1d(input, target.Size(), target.Factors())
                      : at::upsample_nearest1d(input, target.Size(), target.Factors());
    case 4:
      return is_exact ? at::_upsample_nearest_exact2d(input, target.Size(), target.Factors())
                      : at::upsample_nearest2d(input, target.Size(), target.Factors());
    default:
      return is_exact ? at::_upsample_nearest_exact3d(input, target.Size(), target.Factors())
                      : at::upsample_nearest3d(input, target.Size(), target.Factors());
  }
}

at::Tensor Area(const at::Tensor& input, const std::vector<int64_t>& size) {
  switch (input.dim()) {
    case 3:
      return at::adaptive_avg_pool1d(input, size);
    case 4:
      return at::adaptive_avg_pool2d(input, size);
    default:
      return at::adaptive_avg_pool3d(input, size);
  }
}

Value Interpolate(const Arguments& a) {
  const at::Tensor& input = a[0].AsTensor();
  const std::string& mode = a[3].AsText();
  const bool aligns = a[4].AsBool();
  const bool smooths = a[6].AsBool();
  const int64_t dims = input.dim() - 2;
  TORCH_CHECK(dims >= 1 && dims <= 3, "interpolation of ", input.dim(), " dims");
  Target target;
  if (!a[1].IsNone()) target.size = IntsPerDim(a[1], dims);
  if (!a[2].IsNone()) target.factors = PerDim(a[2], dims);
  if (target.size.empty() && (mode == "area" || a[5].AsBool())) {
    for (int64_t d = 0; d < dims; ++d) {
      const auto size = static_cast<double>(input.size(d + 2));
      const std::optional<int64_t> scaled = IntegerOf(std::trunc(size * target.factors.at(d)));
      TORCH_CHECK(scaled.has_value(), "a scaled size overflows 64 bits");
      target.size.push_back(*scaled);
    }
    target.factors.clear();
  }
  if (mode == "nearest") return Value::Of(Nearest(input, target, /*is_exact=*/false));
  if (mode == "nearest-exact") return Value::Of(Nearest(input, target, /*is_exact=*/true));
  if (mode == "area") return Value::Of(Area(input, target.size));
  if (mode == "linear") {
    return Value::Of(at::upsample_linear1d(input, target.Size(), aligns, target.Factors()));
  }
  if (mode == "trilinear") {
    return Value::Of(at::upsample_trilinear3d(input, target.Size(), aligns, target.Factors()));
  }
  if (mode == "bilinear") {
    return Value::Of(
        smooths ? at::_upsample_bilinear2d_aa(input, target.Size(), aligns, target.Factors())
                : at::upsample_bilinear2d(input, target.Size(), aligns, target.Factors()));
  }
  TORCH_CHECK(mode == "bicubic", "interpolation '", mode, "' is not known");
  return Value::Of(smooths
                       ? at::_upsample_bicubic2d_aa(input, target.Size(), aligns, target.Factors())
                       : at::upsample_bicubic2d(input, target.Size(), aligns, target.Factors()));
}

template <typename Choices>
int64_t Position(const Value& name, const Choices& choices) {
  int64_t position = 0;
  for (const char* choice : choices) {
    if (name.AsText() == choice) return position;
    ++position;
  }
  TORCH_CHECK(false, "the mode '", name.AsText(), "' is not known");
}

Value GridSample(const Arguments& a) {
  constexpr const char* kModes[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kBorders[] = {"zeros", "border", "reflection"};
  return Value::Of(at::grid_sampler(a[0].AsTensor(), a[1].AsTensor(), Position(a[2], kModes),
                                    Position(a[3], kBorders), a[4].AsBool()));
}

Value AffineGrid(const Arguments& a) {
  return Value::Of(at::affine_grid_generator(a[0].AsTensor(), a[1].AsInts(), a[2].AsBool()));
}

Value StrideOrNone(const Value& stride) { return stride.IsNone() ? Value::List({}) : stride; }

/// "aten::avg_pool2d" for 2 dims.
std::string PoolName(std::string_view pool, int64_t dims) {
  return "aten::" + std::string(pool) + std::to_string(dims) + "d";
}

/// (input, kernel_size, stride, padding, dilation, ceil_mode, return_indices).
template <int64_t kDims>
Value MaxPool(const Arguments& a) {
  const std::string name = PoolName("max_pool", kDims);
  return CallOperator(a[6].AsBool() ? name + "_with_indices" : name,
                      {a[0], a[1], StrideOrNone(a[2]), a[3], a[4], a[5]});
}

/// None means the size of the input.
Value AdaptiveSize(const at::Tensor& input, const Value& size, int64_t dims) {
  if (!size.IsSequence()) return Value::List(std::vector<Value>(dims, size));
  std::vector<Value> sizes = size.items();
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d].IsNone()) {
      sizes[d] = Value::Int(input.size(input.dim() - static_cast<int64_t>(sizes.size() - d)));
    }
  }
  return Value::List(std::move(sizes));
}

template <int64_t kDims>
Value AdaptiveAveragePool(const Arguments& a) {
  return CallOperator(PoolName("adaptive_avg_pool", kDims),
                      {a[0], AdaptiveSize(a[0].AsTensor(), a[1], kDims)});
}

template <int64_t kDims>
Value AdaptiveMaxPool(const Arguments& a) {
  const Value both = CallOperator(PoolName("adaptive_max_pool", kDims),
                                  {a[0], AdaptiveSize(a[0].AsTensor(), a[1], kDims)});
  return a[2].AsBool() ? both : both.AsSequence().at(0);
}

/// (input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override), without
/// the last for one dim.
template <int64_t kDims>
Value AveragePool(const Arguments& a) {
  Arguments operands(a.begin(), kDims == 1 ? a.end() - 1 : a.end());
  operands[2] = StrideOrNone(a[2]);
  return CallOperator(PoolName("avg_pool", kDims), operands);
}

constexpr const char* kMaxPool =
    "input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, "
    "return_indices=False";
constexpr const char* kAveragePool =
    "input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, "
    "divisor_override=None";
constexpr const char* kAdaptiveMaxPool = "input, output_size, return_indices=False";

using Projections = std::array<at::Tensor, 3>;

/// One matrix product for `count` projections of the same input.
at::Tensor ProjectTogether(const at::Tensor& input, const at::Tensor& weight,
                           const std::optional<at::Tensor>& bias, int64_t count) {
  return at::linear(input, weight, bias)
      .unflatten(-1, {count, input.size(-1)})
      .unsqueeze(0)
      .transpose(0, -2)
      .squeeze(-2)
      .contiguous();
}

/// Corresponds to _in_projection_packed.
Projections ProjectPacked(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                          const at::Tensor& weight, const std::optional<at::Tensor>& bias) {
  const int64_t width = query.size(-1);
  if (key.is_same(value) && query.is_same(key)) {
    const at::Tensor all = ProjectTogether(query, weight, bias, 3);
    return {all[0], all[1], all[2]};
  }
  if (key.is_same(value)) {
    const auto weights = weight.split_with_sizes({width, 2 * width});
    std::optional<at::Tensor> query_bias;
    std::optional<at::Tensor> key_bias;
    if (bias) {
      const auto biases = bias->split_with_sizes({width, 2 * width});
      query_bias = biases[0];
      key_bias = biases[1];
    }
    const at::Tensor both = ProjectTogether(key, weights[1], key_bias, 2);
    return {at::linear(query, weights[0], query_bias), both[0], both[1]};
  }
  const auto weights = weight.chunk(3);
  const std::vector<at::Tensor> biases = bias ? bias->chunk(3) : std::vector<at::Tensor>();
  const auto project = [&](const at::Tensor& input, size_t i) {
    return at::linear(input, weights[i], bias ? std::optional(biases[i]) : std::nullopt);
  };
  return {project(query, 0), project(key, 1), project(value, 2)};
}

/// Corresponds to _canonical_mask: truth values become -inf and 0.
std::optional<at::Tensor> AdditiveMask(const std::optional<at::Tensor>& mask,
                                       at::ScalarType dtype) {
  if (!mask || mask->is_floating_point()) return mask;
  return at::zeros_like(*mask, mask->options().dtype(dtype))
      .masked_fill_(*mask, -std::numeric_limits<double>::infinity());
}

struct Attended {
  at::Tensor output;   ///< target length * batch rows
  at::Tensor weights;  ///< undefined: not requested
};

/// Attention over heads in the batch dim: [batch * heads, length, head dim].
Attended AttendWithWeights(const Projections& heads, const std::optional<at::Tensor>& mask,
                           double dropout, int64_t target, int64_t batch, int64_t width) {
  const auto& [query, key, value] = heads;
  const at::Tensor scaled = query * std::sqrt(1.0 / static_cast<double>(query.size(2)));
  const at::Tensor scores = mask ? at::baddbmm(*mask, scaled, key.transpose(-2, -1))
                                 : at::bmm(scaled, key.transpose(-2, -1));
  at::Tensor weights = at::softmax(scores, -1);
  if (dropout > 0) weights = at::dropout(weights, dropout, /*train=*/true);
  const at::Tensor output = at::bmm(weights, value).transpose(0, 1);
  return {output.reshape({target * batch, width}), weights};
}

at::Tensor AttendFused(const Projections& heads, std::optional<at::Tensor> mask, double dropout,
                       bool is_causal, int64_t batch, int64_t num_heads) {
  const auto& [query, key, value] = heads;
  const int64_t target = query.size(1);
  const int64_t source = key.size(1);
  if (mask) {
    mask = mask->size(0) == 1 && mask->dim() == 3 ? mask->unsqueeze(0)
                                                  : mask->view({batch, num_heads, -1, source});
  }
  const int64_t size = query.size(2);
  const at::Tensor output = at::scaled_dot_product_attention(
      query.view({batch, num_heads, target, size}), key.view({batch, num_heads, source, size}),
      value.view({batch, num_heads, source, size}), mask, dropout, is_causal);
  return output.permute({2, 0, 1, 3}).contiguous().view({batch * target, num_heads * size});
}

Value MultiHeadAttention(const Arguments& a) {
  at::Tensor query = a[0].AsTensor();
  at::Tensor key = a[1].AsTensor();
  at::Tensor value = a[2].AsTensor();
  const bool keys_are_values = key.is_same(value);
  const bool queries_are_keys = query.is_same(key);
  const bool is_batched = query.dim() == 3;
  auto padding_mask = OptionalTensor(a[14]);
  TORCH_CHECK(a[7].IsNone() && a[8].IsNone() && !a[9].AsBool() && a[21].IsNone() && a[22].IsNone(),
              "attention with bias_k, bias_v, zero attention or static keys");
  if (!is_batched) {
    query = query.unsqueeze(1);
    key = queries_are_keys ? query : key.unsqueeze(1);
    value = keys_are_values ? key : value.unsqueeze(1);
    if (padding_mask) padding_mask = padding_mask->unsqueeze(0);
  }
  const int64_t target = query.size(0);
  const int64_t batch = query.size(1);
  const int64_t width = query.size(2);
  const int64_t num_heads = a[4].AsInt();
  TORCH_CHECK(num_heads > 0, "attention with ", num_heads, " heads");
  const bool needs_weights = a[15].AsBool();
  bool is_causal = a[24].AsBool();
  padding_mask = AdditiveMask(padding_mask, query.scalar_type());
  std::optional<at::Tensor> mask;
  if (!is_causal || padding_mask || needs_weights) {
    mask = AdditiveMask(OptionalTensor(a[16]), query.scalar_type());
    if (padding_mask) is_causal = false;
  }

  const auto bias = OptionalTensor(a[6]);
  Projections heads;
  if (a[17].AsBool()) {
    const std::vector<at::Tensor> biases = bias ? bias->chunk(3) : std::vector<at::Tensor>();
    const std::array<at::Tensor, 3> inputs = {query, key, value};
    for (size_t i = 0; i < 3; ++i) {
      heads[i] = at::linear(inputs[i], a[18 + i].AsTensor(),
                            bias ? std::optional(biases[i]) : std::nullopt);
    }
  } else {
    heads = ProjectPacked(query, key, value, a[5].AsTensor(), bias);
  }
  if (mask && mask->dim() == 2) mask = mask->unsqueeze(0);
  for (at::Tensor& head : heads) {
    head = head.view({head.size(0), batch * num_heads, width / num_heads}).transpose(0, 1);
  }
  const int64_t source = heads[1].size(1);
  if (padding_mask) {
    const at::Tensor spread = padding_mask->view({batch, 1, 1, source})
                                  .expand({-1, num_heads, -1, -1})
                                  .reshape({batch * num_heads, 1, source});
    mask = mask ? *mask + spread : spread;
  }

  const double dropout = a[13].AsBool() ? a[10].AsFloat() : 0.0;
  Attended attended;
  if (needs_weights) {
    attended = AttendWithWeights(heads, mask, dropout, target, batch, width);
  } else {
    attended.output = AttendFused(heads, mask, dropout, is_causal, batch, num_heads);
  }
  at::Tensor output = at::linear(attended.output, a[11].AsTensor(), OptionalTensor(a[12]));
  output = output.view({target, batch, output.size(1)});
  if (!is_batched) output = output.squeeze(1);
  if (!needs_weights) return Value::Tuple({Value::Of(output), Value::None()});
  at::Tensor weights = attended.weights.view({batch, num_heads, target, source});
  if (a[23].AsBool()) weights = weights.mean(1);
  if (!is_batched) weights = weights.squeeze(0);
  return Value::Tuple({Value::Of(output), Value::Of(weights)});
}

constexpr PythonAdapter kFunctional[] = {
    {"torch.nn.functional.multi_head_attention_forward",
     "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, "
     "bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, "
     "key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False, "
     "q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, "
     "average_attn_weights=True, is_causal=False",
     MultiHeadAttention},
    {"torch.nn.functional.embedding",
     "input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
     "sparse=False",
     Embedding},
    {"torch.nn.functional.embedding_bag",
     "input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, "
     "mode='mean', sparse=False, per_sample_weights=None, include_last_offset=False, "
     "padding_idx=None",
     EmbeddingBag},
    {"torch.nn.functional.softmax", "input, dim=None, _stacklevel=3, dtype=None", Softmax},
    {"torch.nn.functional.log_softmax", "input, dim=None, _stacklevel=3, dtype=None", LogSoftmax},
    {"torch.nn.functional.softmin", "input, dim=None, _stacklevel=3, dtype=None", Softmin},
    {"torch.nn.functional.gumbel_softmax", "logits, tau=1, hard=False, eps=1e-10, dim=-1",
     GumbelSoftmax},
    {"torch.nn.functional.softsign", "input", Softsign},
    {"torch.nn.functional.tanhshrink", "input", Tanhshrink},
    {"torch.nn.functional.local_response_norm", "input, size, alpha=0.0001, beta=0.75, k=1.0",
     LocalResponseNorm},
    {"torch.nn.functional.kl_div",
     "input, target, size_average=None, reduce=None, reduction='mean', log_target=False",
     KlDivergence},
    {"torch.nn.functional.mse_loss", kOfElements, MeanSquaredError},
    {"torch.nn.functional.l1_loss", kOfElements, L1},
    {"torch.nn.functional.smooth_l1_loss",
     "input, target, size_average=None, reduce=None, reduction='mean', beta=1.0", SmoothL1},
    {"torch.nn.functional.huber_loss", "input, target, reduction='mean', delta=1.0, weight=None",
     Huber},
    {"torch.nn.functional.interpolate",
     "input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
     "recompute_scale_factor=None, antialias=False",
     Interpolate},
    {"torch.nn.functional.grid_sample",
     "input, grid, mode='bilinear', padding_mode='zeros', align_corners=None", GridSample},
    {"torch.nn.functional.affine_grid", "theta, size, align_corners=None", AffineGrid},
    {"torch.nn.functional.max_pool1d", kMaxPool, MaxPool<1>},
    {"torch.nn.functional.max_pool2d", kMaxPool, MaxPool<2>},
    {"torch.nn.functional.max_pool3d", kMaxPool, MaxPool<3>},
    {"torch.nn.functional.adaptive_avg_pool1d", "input, output_size", AdaptiveAveragePool<1>},
    {"torch.nn.functional.adaptive_avg_pool2d", "input, output_size", AdaptiveAveragePool<2>},
    {"torch.nn.functional.adaptive_avg_pool3d", "input, output_size", AdaptiveAveragePool<3>},
    {"torch.nn.functional.adaptive_max_pool1d", kAdaptiveMaxPool, AdaptiveMaxPool<1>},
    {"torch.nn.functional.adaptive_max_pool2d", kAdaptiveMaxPool, AdaptiveMaxPool<2>},
    {"torch.nn.functional.avg_pool1d", kAveragePool, AveragePool<1>},
    {"torch.avg_pool1d", kAveragePool, AveragePool<1>},
    {"torch._C._nn.avg_pool2d", kAveragePool, AveragePool<2>},
    {"torch._C._nn.avg_pool3d", kAveragePool, AveragePool<3>},
    {"torch.nn.functional.avg_pool2d", kAveragePool, AveragePool<2>},
    {"torch.nn.functional.avg_pool3d", kAveragePool, AveragePool<3>},
};

}  // namespace

std::span<const PythonAdapter> FunctionalAdapters() { return kFunctional; }

}  // namespace shapewise::replay
