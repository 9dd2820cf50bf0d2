// Prints plans as settings of programs that serve language models: vLLM on GPUs and on Gaudi,
// SGLang, TensorRT-LLM. Their sizes are not sequence lengths, and each text says so.

#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"

namespace shapewise {
namespace {

constexpr std::string_view kVllmSource =
    "vLLM 0.33.0, vllm/config/compilation.py (CompilationConfig) and vllm/config/vllm.py";
constexpr std::string_view kSglangSource =
    "SGLang 0.5.23, sglang/srt/arg_groups/fields/exec_.py and "
    "sglang/srt/model_executor/cuda_graph_config.py";
constexpr std::string_view kTensorRtSource =
    "TensorRT-LLM 1.3, LLM API reference, DecodeCudaGraphConfig "
    "(nvidia.github.io/TensorRT-LLM)";

std::string ServingHead(const BucketReport& report, std::string_view source) {
  return CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(source) + ".");
}

/// Why there is nothing to paste; empty: there is.
std::string NothingToPaste(const BucketReport& report, std::string_view program) {
  if (report.dims != 1) {
    return CommentLines("Nothing to paste: " + std::string(program) +
                        " takes sizes of one dim, and this plan has " +
                        std::to_string(report.dims) + " (" + DimsText(report) +
                        "). Plan again with one column.");
  }
  if (report.boundaries.empty()) {
    return CommentLines("Nothing to paste: the plan is one dynamic graph, which " +
                        std::string(program) + " compiles as it is.");
  }
  return {};
}

std::string VllmText(const BucketReport& report) {
  std::string text = ServingHead(report, kVllmSource);
  text += CommentLines(
      "A size is the number of tokens of one step, of all requests together: in a step that only "
      "decodes, the number of running requests (times the tokens that each of them decodes). "
      "Lengths of prompts are not that; measure the tokens a step (--cudagraph-metrics reports "
      "them).");
  if (const std::string nothing = NothingToPaste(report, "vLLM"); !nothing.empty()) {
    return text + nothing;
  }
  text += CommentLines(
      "compile_sizes compiles each size by itself, which takes a compilation each; without it the "
      "sizes are captured as CUDA graphs of the one dynamic graph. Sizes above "
      "--max-num-batched-tokens are dropped. Older versions: --cuda-graph-sizes 1 2 4 ...");
  const std::string sizes = JoinedSizes(LineSizes(report));
  text += "vllm serve MODEL --compilation-config '{\"cudagraph_capture_sizes\": [" + sizes + "]";
  if (report.mode != BucketMode::kDynamic) {
    text += ", \"compile_sizes\": [\"cudagraph_capture_sizes\"]";
  }
  return text + "}'\n";
}

std::string SglangText(const BucketReport& report) {
  std::string text = ServingHead(report, kSglangSource);
  if (const std::string nothing = NothingToPaste(report, "SGLang"); !nothing.empty()) {
    return text + nothing;
  }
  const std::string sizes = JoinedSizes(LineSizes(report), " ");
  text += CommentLines(
      "A size is the number of requests that one step decodes. Lengths of sequences are not that: "
      "measure the running requests a step (the log's #running-req).");
  text += CommentLines("Versions before the split by phase call the flag --cuda-graph-bs.");
  text +=
      "python3 -m sglang.launch_server --model-path MODEL --cuda-graph-bs-decode " + sizes + "\n\n";
  text += CommentLines(
      "If what was measured is the tokens of one prefill step (of all its requests together), use "
      "this instead; older versions: --piecewise-cuda-graph-tokens.");
  return text + "# python3 -m sglang.launch_server --model-path MODEL --cuda-graph-bs-prefill " +
         sizes + "\n";
}

std::string TensorRtText(const BucketReport& report) {
  std::string text = ServingHead(report, kTensorRtSource);
  text += CommentLines(
      "A size is the number of requests that one step decodes. Lengths of sequences are not that: "
      "measure the generation batch a step.");
  if (const std::string nothing = NothingToPaste(report, "TensorRT-LLM"); !nothing.empty()) {
    return text + nothing;
  }
  text += CommentLines(
      "trtllm-serve MODEL --config FILE (older versions: --extra_llm_api_options FILE). "
      "max_batch_size has to be at least the largest size, or larger sizes are of no use.");
  text += "cuda_graph_config:\n  enable_padding: true\n  batch_sizes:\n";
  for (const int64_t size : LineSizes(report)) text += "    - " + std::to_string(size) + "\n";
  return text;
}

constexpr std::string_view kGaudiSource =
    "vllm-gaudi 091bbadd, docs/features/bucketing_mechanism.md and "
    "vllm_gaudi/extension/bucketing/file_strategy.py";

/// "(8, 1024, 0)": batch, query length, blocks of context.
std::string BucketLine(const Sizes& sizes, size_t dims) {
  const int64_t batch = dims >= 2 ? sizes[0] : 1;
  const int64_t query = dims >= 2 ? sizes[1] : sizes[0];
  const int64_t blocks = dims >= 3 ? sizes[2] : 0;
  return "(" + std::to_string(batch) + ", " + std::to_string(query) + ", " +
         std::to_string(blocks) + ")\n";
}

std::string GaudiText(const BucketReport& report) {
  std::string text = CommentLines(PlanSummary(report)) +
                     CommentLines("Form of this text: " + std::string(kGaudiSource) + ".");
  if (report.boundaries.empty()) {
    return text + CommentLines(
                      "Nothing to paste: the plan is one dynamic graph, and Gaudi compiles a graph "
                      "for each shape. Plan with --buckets.");
  }
  text += CommentLines("Put this into a file and set VLLM_BUCKETING_FROM_FILE to its path.");
  switch (report.dims) {
    case 1:
      text += CommentLines(
          "A line is (batch, query length, blocks of context). The sizes are taken to be the query "
          "lengths of prompts, one prompt a step, none of it cached.");
      break;
    case 2:
      text += CommentLines(
          "A line is (batch, query length, blocks of context). The sizes are "
          "taken to be batch and query length of prompt steps (" +
          DimsText(report) + "), nothing cached.");
      break;
    default:
      text += CommentLines(
          "A line is (batch, query length, blocks of context), which the three sizes are taken to "
          "be (" +
          DimsText(report) + "); query length 1 is a decode step.");
  }
  bool has_prompts = false;
  bool has_decodes = false;
  for (const Sizes& sizes : report.boundaries) {
    const int64_t query = report.dims >= 2 ? sizes[1] : sizes[0];
    (query == 1 ? has_decodes : has_prompts) = true;
  }
  if (!has_decodes) {
    text += CommentLines(
        "The file replaces the buckets of both phases: add lines for decode steps, (batch, 1, "
        "blocks); without any vLLM does not start.");
  }
  if (!has_prompts) {
    text += CommentLines(
        "The file replaces the buckets of both phases: add lines for prompts; without any vLLM "
        "does not start.");
  }
  text += CommentLines(
      "Query lengths should be multiples of the block size (--align), and batch times query length "
      "at most --max-num-batched-tokens: other lines are left out.");
  for (const Sizes& sizes : report.boundaries) text += BucketLine(sizes, report.dims);
  return text;
}

}  // namespace

BucketConsumer VllmConsumer() { return {"vllm", "vllm", kVllmSource, VllmText}; }

BucketConsumer SglangConsumer() { return {"sglang", "sglang", kSglangSource, SglangText}; }

BucketConsumer TensorRtConsumer() { return {"trtllm", "trtllm", kTensorRtSource, TensorRtText}; }

BucketConsumer GaudiConsumer() { return {"gaudi", "gaudi", kGaudiSource, GaudiText}; }

}  // namespace shapewise
