// Prints a plan as a data collator for Hugging Face transformers.
// tests/torch/check_bucket_emit_hf.py runs the output.

#include <string>

#include "report/bucket_emitters.h"
#include "report/bucket_facts.h"

namespace shapewise {
namespace {

constexpr std::string_view kHfSource =
    "transformers 5.23, DataCollatorWithPadding, PreTrainedTokenizerBase.pad and StaticCache "
    "(huggingface.co/docs/transformers)";

std::string HfHead(const BucketReport& report, std::string_view what) {
  return "\"\"\"" + std::string(what) + "\"\"\"\n\n" + CommentLines(PlanSummary(report)) +
         CommentLines("Form of this text: " + std::string(kHfSource) + ".") +
         CommentLines(
             "The sizes are taken to be the lengths of sequences in tokens; of batches, that of "
             "the longest.");
}

std::string HuggingFaceText(const BucketReport& report) {
  if (report.dims != 1) {
    return CommentLines(PlanSummary(report)) +
           CommentLines("Nothing to paste: a collator pads the length only, and this plan has " +
                        std::to_string(report.dims) + " dims (" + DimsText(report) +
                        "). Use --emit pytorch, or plan with the column of the length.");
  }
  const std::string alignment = "ALIGNMENT = " + std::to_string(report.alignment) + "\n";
  if (report.boundaries.empty() || report.mode == BucketMode::kDynamic) {
    return FilledTemplate(
        "hf_dynamic",
        {{"HEAD", HfHead(report, "One dynamic graph for all lengths.")}, {"ALIGNMENT", alignment}});
  }
  std::string head = HfHead(report, "Pads batches to a few lengths, each with a static graph.");
  if (report.mode == BucketMode::kMixed) {
    head += CommentLines(
        "The plan leaves some lengths to a dynamic graph, which a collator cannot: this is the "
        "best set of buckets alone. --emit pytorch has the whole plan.");
  }
  return FilledTemplate(
      "hf_buckets", {{"HEAD", head},
                     {"BUCKETS", PythonTuple("BUCKETS", LineSizes(report))},
                     {"ALIGNMENT", alignment},
                     {"LIMITS", PythonLimits(report.recompile_limit, report.boundaries.size())}});
}

}  // namespace

BucketConsumer HuggingFaceConsumer() { return {"hf", "huggingface", kHfSource, HuggingFaceText}; }

}  // namespace shapewise
