// multi_head_attention_forward of torch/nn/functional.py, release 2.13.

#include <ATen/ATen.h>

#include <array>
#include <cmath>

#include "replay/python_adapters.h"

namespace shapewise::replay {
namespace {

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

Value MultiHeadAttention(const std::vector<Value>& a) {
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

constexpr PythonAdapter kAttention[] = {
    {"torch.nn.functional.multi_head_attention_forward",
     "query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, "
     "bias_v, add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, "
     "key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False, "
     "q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, "
     "average_attn_weights=True, is_causal=False",
     MultiHeadAttention},
};

}  // namespace

std::span<const PythonAdapter> AttentionAdapters() { return kAttention; }

}  // namespace shapewise::replay
