// Prints a plan as the bucket file of vLLM on Intel Gaudi.

#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"

namespace shapewise {
namespace {

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

const BucketConsumer& GaudiConsumer() {
  static const BucketConsumer consumer = {"gaudi", "gaudi", kGaudiSource, GaudiText};
  return consumer;
}

}  // namespace shapewise
