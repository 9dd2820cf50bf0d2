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

constexpr std::string_view kImports = R"(
from __future__ import annotations

from bisect import bisect_left
from typing import Any

import torch
import torch._dynamo
from transformers import BatchEncoding, PreTrainedTokenizerBase

)";

constexpr std::string_view kCollator = R"(

def bucket_for(length: int) -> int:
    """The smallest bucket of at least `length`; beyond all a multiple of ALIGNMENT."""
    at = bisect_left(BUCKETS, length)
    return BUCKETS[at] if at < len(BUCKETS) else -(-length // ALIGNMENT) * ALIGNMENT


class BucketCollator:
    """Pads each batch to the next bucket; DataCollatorWithPadding pads to its longest.

    pad_to_multiple_of alone bounds neither the padding nor the number of lengths.
    """

    def __init__(
        self, tokenizer: PreTrainedTokenizerBase, label_pad_token_id: int = -100
    ) -> None:
        self.tokenizer = tokenizer
        self.label_pad_token_id = label_pad_token_id

    def __call__(self, features: list[dict[str, Any]]) -> BatchEncoding:
        length = bucket_for(max(len(feature["input_ids"]) for feature in features))
        labels = [feature["labels"] for feature in features if "labels" in feature]
        inputs = [
            {name: value for name, value in feature.items() if name != "labels"}
            for feature in features
        ]
        batch = self.tokenizer.pad(
            inputs, padding="max_length", max_length=length, return_tensors="pt"
        )
        if labels:
            padded = [self._padded(one, length) for one in labels]
            batch["labels"] = torch.tensor(padded)
        return batch

    def _padded(self, labels: Any, length: int) -> Any:
        if not isinstance(labels, list):
            return labels  # one label a sequence
        fill = [self.label_pad_token_id] * (length - len(labels))
        return fill + labels if self.tokenizer.padding_side == "left" else labels + fill


def compile_model(model: torch.nn.Module, **options: Any) -> torch.nn.Module:
    """`model` with a static graph for each bucket.

    dynamic=False, as marks on tensors do not survive the move to another device, and
    without it the second length makes one dynamic graph of all. Batches have to be full
    then (dataloader_drop_last=True), or the last one is compiled once more.
    """
    return torch.compile(model, dynamic=False, **options)


def cache_length(prompt: int, new_tokens: int) -> int:
    """How long a cache to generate with: one graph a bucket, as for prompts.

    length = cache_length(prompt, new_tokens)
    cache = StaticCache(config=model.config, max_cache_len=length)
    model.generate(**batch, past_key_values=cache, max_new_tokens=new_tokens)
    """
    return bucket_for(prompt + new_tokens)
)";

constexpr std::string_view kHfDynamicPart = R"(

def collator(tokenizer: PreTrainedTokenizerBase) -> DataCollatorWithPadding:
    """Pads to the longest of a batch, and on to a multiple that kernels like."""
    return DataCollatorWithPadding(tokenizer, pad_to_multiple_of=ALIGNMENT)


def compile_model(model: torch.nn.Module, **options: Any) -> torch.nn.Module:
    """`model` with one graph for all lengths."""
    return torch.compile(model, dynamic=True, **options)
)";

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
    return HfHead(report, "One dynamic graph for all lengths.") +
           "\nfrom __future__ import annotations\n\nfrom typing import Any\n\nimport torch\n"
           "from transformers import DataCollatorWithPadding, PreTrainedTokenizerBase\n\n" +
           alignment + std::string(kHfDynamicPart);
  }
  std::string text = HfHead(report, "Pads batches to a few lengths, each with a static graph.");
  if (report.mode == BucketMode::kMixed) {
    text += CommentLines(
        "The plan leaves some lengths to a dynamic graph, which a collator cannot: this is the "
        "best "
        "set of buckets alone. --emit pytorch has the whole plan.");
  }
  text += kImports;
  text += PythonTuple("BUCKETS", LineSizes(report));
  text += alignment + "\n" + PythonLimits(report.recompile_limit, report.boundaries.size());
  return text + std::string(kCollator);
}

}  // namespace

BucketConsumer HuggingFaceConsumer() { return {"hf", "huggingface", kHfSource, HuggingFaceText}; }

}  // namespace shapewise
