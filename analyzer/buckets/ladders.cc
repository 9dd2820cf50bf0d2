#include "shapewise/buckets/ladders.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "shapewise/support/nearest_name.h"

namespace shapewise {
namespace {

/// Sizes `first`, first + `step` ... up to `last`.
struct Stretch {
  int64_t first = 0;
  int64_t step = 1;
  int64_t last = kMaxSize;
};

/// Adds stretches up to the first size of at least `max`.
void AddStretches(llvm::ArrayRef<Stretch> stretches, int64_t max, std::vector<int64_t>& sizes) {
  for (const Stretch& stretch : stretches) {
    for (int64_t size = stretch.first; size <= stretch.last; size += stretch.step) {
      if (!sizes.empty() && sizes.back() >= max) return;
      sizes.push_back(size);
    }
  }
}

/// Adds `first`, twice that, and so on up to the first size of at least `max`.
void AddDoublings(int64_t first, int64_t max, std::vector<int64_t>& sizes) {
  for (int64_t size = first; sizes.empty() || sizes.back() < max; size *= 2) sizes.push_back(size);
}

using Sizes1 = std::vector<int64_t>;

Sizes1 Vllm(int64_t max) {
  Sizes1 sizes;
  AddStretches({{1, 1, 2}, {4, 4, 4}, {8, 8, 248}, {256, 16}}, max, sizes);
  return sizes;
}

Sizes1 Sglang(int64_t max) {
  Sizes1 sizes;
  AddStretches({{1, 1, 2}, {4, 4, 12}, {16, 8, 256}, {272, 16, 496}, {512, 32}}, max, sizes);
  return sizes;
}

Sizes1 SglangPrefill(int64_t max) {
  Sizes1 sizes;
  AddStretches(
      {{4, 4, 32}, {48, 16, 256}, {288, 32, 512}, {576, 64, 1024}, {1280, 256, 4096}, {4608, 512}},
      max, sizes);
  return sizes;
}

Sizes1 SglangPiecewise(int64_t max) {
  Sizes1 sizes;
  AddStretches({{4, 4, 32}, {48, 16, 256}, {288, 32, 512}, {640, 128, 4096}, {4352, 256}}, max,
               sizes);
  return sizes;
}

Sizes1 Trtllm(int64_t max) {
  Sizes1 sizes;
  AddStretches({{1, 1, 2}, {4, 4, 4}, {8, 8, 128}}, max, sizes);
  if (sizes.back() < max) AddDoublings(256, max, sizes);
  return sizes;
}

Sizes1 Trtllm64(int64_t max) {
  Sizes1 sizes;
  AddStretches({{1, 1, 2}, {4, 4, 4}, {8, 8, 128}, {192, 64}}, max, sizes);
  return sizes;
}

/// Gaudi's block, the least prompt and the step of prompts.
constexpr int64_t kGaudiBlock = 128;

int64_t UpTo(int64_t size, int64_t step) { return (size + step - 1) / step * step; }

Sizes1 GaudiExponential(int64_t max) {
  const int64_t top = UpTo(max, kGaudiBlock);
  const auto last = static_cast<int64_t>(std::ceil(std::log2(static_cast<double>(top)))) - 1;
  const double ratio = static_cast<double>(top) / static_cast<double>(kGaudiBlock);
  Sizes1 sizes;
  for (int64_t i = 0; i <= last; ++i) {
    const double size = static_cast<double>(kGaudiBlock) *
                        std::pow(ratio, static_cast<double>(i) / static_cast<double>(last));
    sizes.push_back(std::min(top, UpTo(static_cast<int64_t>(std::ceil(size)), kGaudiBlock)));
  }
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

Sizes1 GaudiLinear(int64_t max) {
  Sizes1 sizes;
  AddStretches({{kGaudiBlock, kGaudiBlock}}, max, sizes);
  return sizes;
}

/// Of the multiples of the block those without which a call could be padded by more than a quarter
/// of its bucket, or of the largest.
Sizes1 GaudiPadding(int64_t max) {
  constexpr double kShare = 0.25;
  const int64_t top = UpTo(max, kGaudiBlock);
  const int64_t most = (top + 3) / 4;
  Sizes1 sizes = {kGaudiBlock};
  for (int64_t size = 2 * kGaudiBlock; size < top; size += kGaudiBlock) {
    const int64_t next = size + kGaudiBlock;
    const int64_t padding = next - sizes.back() - 1;
    const bool is_far = static_cast<double>(padding) > kShare * static_cast<double>(next);
    if (size == 2 * kGaudiBlock || is_far || padding > most || size % most == 0) {
      sizes.push_back(size);
    }
  }
  if (sizes.back() != top) sizes.push_back(top);
  return sizes;
}

Sizes1 PowersOfTwo(int64_t max) {
  Sizes1 sizes;
  AddDoublings(1, max, sizes);
  return sizes;
}

Sizes1 Tpu(int64_t max) {
  Sizes1 sizes;
  AddDoublings(16, max, sizes);
  return sizes;
}

Sizes1 TpuGap(int64_t max) {
  Sizes1 sizes;
  AddStretches({{16, 16, 16}, {32, 32, 32}, {64, 64}}, max, sizes);
  return sizes;
}

Sizes1 Tensor2Tensor(int64_t max) {
  Sizes1 sizes = {8};
  while (sizes.back() < max) {
    const int64_t size = sizes.back();
    sizes.push_back(std::max(size + 1, size * 11 / 10));
  }
  return sizes;
}

struct LadderRule {
  std::string_view name;
  std::string_view source;
  Sizes1 (*sizes)(int64_t max);
};

// Sorted by name.
constexpr LadderRule kRules[] = {
    {"gaudi",
     "vLLM on Gaudi, exponential strategy (vllm_gaudi/extension/bucketing/exponential.py), "
     "prompts: "
     "ceil(log2 max) sizes from 128 on, in steps of 128",
     GaudiExponential},
    {"gaudi-linear",
     "vLLM on Gaudi, linear strategy (vllm_gaudi/extension/bucketing/linear.py), prompts: every "
     "multiple of 128",
     GaudiLinear},
    {"gaudi-pad",
     "vLLM on Gaudi, padding-aware strategy (vllm_gaudi/extension/bucketing/padding_aware.py), "
     "prompts: multiples of 128 that keep padding below 25 %",
     GaudiPadding},
    {"pow2", "powers of two", PowersOfTwo},
    {"sglang",
     "SGLang 0.5.23, decode (sglang/srt/arg_groups/cuda_graph_hook.py), as if its largest batch "
     "were large enough",
     Sglang},
    {"sglang-piecewise",
     "earlier SGLang, tokens of piecewise CUDA graphs (sglang/srt/server_args.py)",
     SglangPiecewise},
    {"sglang-prefill", "SGLang 0.5.23, prefill tokens (sglang/srt/arg_groups/cuda_graph_hook.py)",
     SglangPrefill},
    {"tensor2tensor", "tensor2tensor: from 8 on each size 1.1 times the last", Tensor2Tensor},
    {"tpu", "vLLM on TPU (tpu_inference/runner/utils.py): powers of two from 16 on", Tpu},
    {"tpu-gap",
     "vLLM on TPU with VLLM_TPU_BUCKET_PADDING_GAP=64 (tpu_inference/runner/utils.py): 16, 32, "
     "then "
     "every multiple of 64",
     TpuGap},
    {"trtllm",
     "TensorRT-LLM with padding before its pull request 12895 (tensorrt_llm/llmapi/llm_args.py): "
     "multiples of 8 to 128, "
     "then powers of two",
     Trtllm},
    {"trtllm-64",
     "TensorRT-LLM with padding since its pull request 12895 (tensorrt_llm/llmapi/llm_args.py): "
     "multiples of 8 to 128, "
     "then of 64",
     Trtllm64},
    {"vllm",
     "vLLM 0.19 (vllm/config/vllm.py): multiples of 8 to 248, then of 16, as if it did not stop at "
     "512",
     Vllm},
};

}  // namespace

std::vector<std::string> LadderNames() {
  std::vector<std::string> names;
  for (const LadderRule& rule : kRules) names.emplace_back(rule.name);
  return names;
}

Expected<SizeLadder> LadderOf(std::string_view name, int64_t max) {
  const LadderRule* rule =
      llvm::find_if(kRules, [&](const LadderRule& r) { return r.name == name; });
  if (rule == std::end(kRules)) {
    std::vector<std::string_view> names;
    for (const LadderRule& known : kRules) names.push_back(known.name);
    return MakeError("no ladder '" + std::string(name) + "'" + DidYouMean(name, names));
  }
  return SizeLadder{std::string(name), std::string(rule->source),
                    rule->sizes(std::clamp<int64_t>(max, 1, kMaxSize))};
}

}  // namespace shapewise
