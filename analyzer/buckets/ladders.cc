#include "buckets/ladders.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "buckets/frontier.h"
#include "llvm/ADT/STLExtras.h"
#include "model/size_history.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

using Stretches = std::vector<SizeStretch>;

/// The parts of `rule` up to the first size of at least `max`; its last part is unbounded.
Stretches UpToMax(llvm::ArrayRef<SizeStretch> rule, int64_t max) {
  Stretches stretches;
  for (SizeStretch stretch : rule) {
    const int64_t steps =
        std::max<int64_t>(0, max - stretch.first + stretch.step - 1) / stretch.step;
    const int64_t end = stretch.first + (steps * stretch.step);
    const bool is_last = stretch.last == 0 || end <= stretch.last;
    if (is_last) stretch.last = end;
    stretches.push_back(stretch);
    if (is_last) break;
  }
  return stretches;
}

/// `first`, doubled repeatedly, up to the first size of at least `max`.
Stretches Doublings(int64_t first, int64_t max) {
  Stretches stretches = {{first, 1, first}};
  for (int64_t size = 2 * first; stretches.back().last < max; size *= 2) {
    stretches.push_back({size, 1, size});
  }
  return stretches;
}

Stretches Trtllm(int64_t max) {
  constexpr int64_t kLastStep = 128;
  Stretches stretches =
      UpToMax({{1, 1, 2}, {4, 4, 4}, {8, 8, kLastStep}}, std::min(max, kLastStep));
  if (max <= kLastStep) return stretches;
  for (const SizeStretch& doubling : Doublings(2 * kLastStep, max)) stretches.push_back(doubling);
  return stretches;
}

/// Gaudi's block size, smallest prompt and prompt step.
constexpr int64_t kGaudiBlock = 128;

int64_t UpTo(int64_t size, int64_t step) { return (size + step - 1) / step * step; }

Stretches GaudiExponential(int64_t max) {
  const int64_t top = UpTo(max, kGaudiBlock);
  const auto last = static_cast<int64_t>(std::ceil(std::log2(static_cast<double>(top)))) - 1;
  const double ratio = static_cast<double>(top) / static_cast<double>(kGaudiBlock);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i <= last; ++i) {
    const double size = static_cast<double>(kGaudiBlock) *
                        std::pow(ratio, static_cast<double>(i) / static_cast<double>(last));
    sizes.push_back(std::min(top, UpTo(static_cast<int64_t>(std::ceil(size)), kGaudiBlock)));
  }
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return StretchesOf(sizes);
}

/// The multiples of the block that are needed so that no call is padded by more than a quarter of
/// its bucket or of the largest bucket, and the multiples of that quarter.
Stretches GaudiPadding(int64_t max) {
  const int64_t top = UpTo(max, kGaudiBlock);
  const int64_t most = (top + 3) / 4;
  const int64_t quarter = std::lcm(kGaudiBlock, most);
  std::vector<int64_t> sizes = {kGaudiBlock};
  if (2 * kGaudiBlock < top) sizes.push_back(2 * kGaudiBlock);
  while (sizes.back() < top) {
    const int64_t last = sizes.back();
    // The smallest multiple to which a call just above `last` must not be padded.
    const int64_t too_far = UpTo(std::min(((4 * last + 4) / 3) + 1, last + most + 2), kGaudiBlock);
    const int64_t size = std::max(too_far - kGaudiBlock, last + kGaudiBlock);
    sizes.push_back(std::min({size, ((last / quarter) + 1) * quarter, top}));
  }
  return StretchesOf(sizes);
}

Stretches Tensor2Tensor(int64_t max) {
  std::vector<int64_t> sizes = {8};
  while (sizes.back() < max) {
    const int64_t size = sizes.back();
    sizes.push_back(std::max(size + 1, size * 11 / 10));
  }
  return StretchesOf(sizes);
}

struct LadderRule {
  std::string_view name;
  std::string_view source;
  Stretches (*stretches)(int64_t max);
};

// Sorted by name.
constexpr LadderRule kRules[] = {
    {"gaudi",
     "vLLM on Gaudi, exponential strategy (vllm_gaudi/extension/bucketing/exponential.py), "
     "prompts: ceil(log2 max) sizes from 128 on, in steps of 128",
     GaudiExponential},
    {"gaudi-linear",
     "vLLM on Gaudi, linear strategy (vllm_gaudi/extension/bucketing/linear.py), prompts: every "
     "multiple of 128",
     [](int64_t max) { return UpToMax({{kGaudiBlock, kGaudiBlock}}, max); }},
    {"gaudi-pad",
     "vLLM on Gaudi, padding-aware strategy (vllm_gaudi/extension/bucketing/padding_aware.py), "
     "prompts: multiples of 128 that keep padding below 25 %",
     GaudiPadding},
    {"pow2", "powers of two", [](int64_t max) { return Doublings(1, max); }},
    {"sglang",
     "SGLang 0.5.23, decode (sglang/srt/arg_groups/cuda_graph_hook.py), as if its largest batch "
     "were large enough",
     [](int64_t max) {
       return UpToMax({{1, 1, 2}, {4, 4, 12}, {16, 8, 256}, {272, 16, 496}, {512, 32}}, max);
     }},
    {"sglang-piecewise",
     "earlier SGLang, tokens of piecewise CUDA graphs (sglang/srt/server_args.py)",
     [](int64_t max) {
       return UpToMax({{4, 4, 32}, {48, 16, 256}, {288, 32, 512}, {640, 128, 4096}, {4352, 256}},
                      max);
     }},
    {"sglang-prefill", "SGLang 0.5.23, prefill tokens (sglang/srt/arg_groups/cuda_graph_hook.py)",
     [](int64_t max) {
       return UpToMax({{4, 4, 32},
                       {48, 16, 256},
                       {288, 32, 512},
                       {576, 64, 1024},
                       {1280, 256, 4096},
                       {4608, 512}},
                      max);
     }},
    {"tensor2tensor", "tensor2tensor: from 8 on each size 1.1 times the last", Tensor2Tensor},
    {"tpu", "vLLM on TPU (tpu_inference/runner/utils.py): powers of two from 16 on",
     [](int64_t max) { return Doublings(16, max); }},
    {"tpu-gap",
     "vLLM on TPU with VLLM_TPU_BUCKET_PADDING_GAP=64 (tpu_inference/runner/utils.py): 16, 32, "
     "then every multiple of 64",
     [](int64_t max) { return UpToMax({{16, 16, 16}, {32, 32, 32}, {64, 64}}, max); }},
    {"trtllm",
     "TensorRT-LLM with padding before its pull request 12895 (tensorrt_llm/llmapi/llm_args.py): "
     "multiples of 8 to 128, then powers of two",
     Trtllm},
    {"trtllm-64",
     "TensorRT-LLM with padding since its pull request 12895 (tensorrt_llm/llmapi/llm_args.py): "
     "multiples of 8 to 128, then of 64",
     [](int64_t max) { return UpToMax({{1, 1, 2}, {4, 4, 4}, {8, 8, 128}, {192, 64}}, max); }},
    {"vllm",
     "vLLM 0.19 (vllm/config/vllm.py): multiples of 8 to 248, then of 16, as if it did not stop at "
     "512",
     [](int64_t max) { return UpToMax({{1, 1, 2}, {4, 4, 4}, {8, 8, 248}, {256, 16}}, max); }},
};

/// Maximum number of our buckets: no ladder in use has as many.
constexpr size_t kMostBuckets = 2048;

/// Try up to this many first, because most ladders are beaten with few.
constexpr size_t kFirstBuckets = 64;

/// The sizes of `ladder` that serve a call, ascending.
std::vector<int64_t> SizesInUse(const SizeLadder& ladder, const CallTable& planned,
                                const CallTable* held) {
  std::vector<int64_t> sizes;
  for (const CallTable* table : {&planned, held}) {
    if (table == nullptr) continue;
    for (const SizeCount& size : table->calls().counts) {
      const std::optional<int64_t> bucket = ladder.AtLeast(size.sizes[0]);
      if (bucket) sizes.push_back(*bucket);
    }
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

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
                    rule->stretches(std::clamp<int64_t>(max, 1, kMaxSize))};
}

uint64_t SizeLadder::Count() const {
  uint64_t count = 0;
  for (const SizeStretch& stretch : stretches) {
    count += static_cast<uint64_t>((stretch.last - stretch.first) / stretch.step) + 1;
  }
  return count;
}

std::optional<int64_t> SizeLadder::AtLeast(int64_t size) const {
  const auto found = std::ranges::lower_bound(stretches, size, {}, &SizeStretch::last);
  if (found == stretches.end()) return std::nullopt;
  if (size <= found->first) return found->first;
  const int64_t steps = (size - found->first + found->step - 1) / found->step;
  return found->first + (steps * found->step);
}

std::vector<SizeStretch> StretchesOf(const std::vector<int64_t>& sizes) {
  std::vector<SizeStretch> stretches;
  stretches.reserve(sizes.size());
  for (const int64_t size : sizes) stretches.push_back({size, 1, size});
  return stretches;
}

LadderComparison CompareLadder(const SizeLadder& ladder, const CallTable& planned,
                               const CallTable* held, const SizeLine& line) {
  LadderComparison comparison;
  comparison.name = ladder.name;
  comparison.source = ladder.source;
  comparison.size_count = ladder.Count();
  comparison.sizes = SizesInUse(ladder, planned, held);
  const std::vector<Sizes> sizes = AsSizes(comparison.sizes);
  const SetScore score = planned.Score(sizes);
  comparison.used = static_cast<size_t>(
      std::ranges::count_if(score.calls_a_bucket, [](uint64_t calls) { return calls > 0; }));
  comparison.padding.train = score.Padding();
  if (held != nullptr) comparison.padding.holdout = held->Score(sizes).Padding();
  comparison.cost_overhead = score.Overhead();
  comparison.out_of_range = score.out_of_range;
  if (comparison.used == 0) return comparison;

  const size_t most = std::min(comparison.used, kMostBuckets);
  for (size_t count = std::min(most, kFirstBuckets);; count = most) {
    const std::vector<BucketSet> sets = ExactFrontier(line, count);
    for (const BucketSet& set : sets) {
      const double overhead = planned.Score(AsSizes(set.sizes)).Overhead();
      if (set.sizes.size() <= most) comparison.same_count_overhead = overhead;
      if (overhead <= comparison.cost_overhead + 1e-12) {
        comparison.same_waste_buckets = set.sizes.size();
        break;
      }
    }
    if (count == most) break;
    if (comparison.same_waste_buckets > 0) break;
  }
  const std::vector<BucketSet> all = ExactFrontier(line, most);
  if (!all.empty()) {
    comparison.same_count_overhead = planned.Score(AsSizes(all.back().sizes)).Overhead();
  }
  return comparison;
}

}  // namespace shapewise
