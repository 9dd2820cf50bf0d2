#!/usr/bin/env python3
"""Plans of buckets as a collator for transformers, run by transformers itself.

    tests/torch/check_bucket_emit_hf.py PRINT_BUCKET_TEXT

A small model with random weights is compiled and called with batches that the printed collator made: as many graphs as
lengths in use, and results as without padding. Exit status: 0 held, 1 did not, 77 torch or transformers is not there.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from check_bucket_emit import SKIPPED, Compiles, Failure, check, imported


def tokenizer(padding_side: str) -> Any:
    """Words are numbers from 1 to 31; 0 is padding."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {str(number): number for number in range(32)}
    inner = Tokenizer(models.WordLevel(words, unk_token="1"))
    inner.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="0", unk_token="1", padding_side=padding_side)


def small_model() -> Any:
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                        intermediate_size=32, max_position_embeddings=256)  # fmt: skip
    return BertModel(config).eval()


def features(lengths: list[int]) -> list[dict[str, Any]]:
    return [
        {"input_ids": [1 + (i * 7) % 31 for i in range(length)], "attention_mask": [1] * length} for length in lengths
    ]


def check_collator(plan: ModuleType) -> None:
    """Lengths, masks and labels of what the collator makes."""
    for side in ("right", "left"):
        tokens = tokenizer(side)
        batch = features([3, 18])
        for one in batch:
            one["labels"] = list(one["input_ids"])
        collated = plan.BucketCollator(tokens)(batch)
        check(tuple(collated["input_ids"].shape) == (2, 32), f"padded to {tuple(collated['input_ids'].shape)}")
        check(collated["attention_mask"].sum(-1).tolist() == [3, 18], "the mask hides the wrong ones")
        padded = collated["labels"] == -100
        check(bool((padded == (collated["attention_mask"] == 0)).all()), f"labels and mask differ, padding {side}")
        check("labels" in batch[0] and len(batch[0]["input_ids"]) == 3, "the features were changed")
        scored = plan.BucketCollator(tokens)([dict(one, labels=i) for i, one in enumerate(batch)])
        check(scored["labels"].tolist() == [0, 1], "labels of whole sequences are not padded")
    check(plan.bucket_for(65) == 72, "beyond the buckets: not a multiple of the alignment")


def check_model(plan: ModuleType) -> None:
    import torch

    compiles = Compiles()
    model = small_model()
    compiled = plan.compile_model(model, backend="aot_eager")
    tokens = tokenizer("right")
    collate = plan.BucketCollator(tokens)
    used = set()
    with torch.no_grad():
        for longest in (64, 40, 10, 33, 16, 5, 31, 17):
            batch = features([longest, max(longest - 3, 1)])
            collated = collate(batch)
            used.add(collated["input_ids"].shape[1])
            output = compiled(**collated).last_hidden_state
            alone = model(**tokens.pad(batch[:1], return_tensors="pt")).last_hidden_state
            check(torch.allclose(output[:1, :longest], alone, atol=1e-4), f"another result at length {longest}")
    check(used == {16, 32, 64}, f"lengths in use: {sorted(used)}")
    check(compiles.count() == len(used), f"{compiles.count()} graphs for {len(used)} lengths")


def check_cache(plan: ModuleType) -> None:
    """The length that is told for a cache is one that a model generates with."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=32, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                         intermediate_size=32, max_position_embeddings=256, pad_token_id=0)  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    ids = torch.tensor([[5, 6, 7, 8]])
    cache = StaticCache(config=model.config, max_cache_len=plan.cache_length(4, 6))
    with_cache = model.generate(ids, past_key_values=cache, max_new_tokens=6, min_new_tokens=6, do_sample=False)
    without = model.generate(ids, max_new_tokens=6, min_new_tokens=6, do_sample=False)
    check(plan.cache_length(4, 6) == 16, "another length than that of the bucket")
    check(bool((with_cache == without).all()), "another text with the cache")


def check_dynamic(plan: ModuleType) -> None:
    import torch

    compiles = Compiles()
    tokens = tokenizer("right")
    collate = plan.collator(tokens)
    compiled = plan.compile_model(small_model(), backend="aot_eager")
    with torch.no_grad():
        for longest in (20, 9, 40):
            collated = collate(features([longest, 4, 2]))
            check(collated["input_ids"].shape[1] == -(-longest // 8) * 8, "not padded to the alignment")
            compiled(**collated)
    check(compiles.count() == 1, f"{compiles.count()} graphs instead of one dynamic")


def main() -> int:
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIPPED
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        plan = imported(program, Path(folder), "hf", "buckets", "8", "16,32,64")
        dynamic = imported(program, Path(folder), "hf", "dynamic", "8", "-")
    failed = 0
    for run in (lambda: check_collator(plan), lambda: check_model(plan), lambda: check_cache(plan),
                lambda: check_dynamic(dynamic)):  # fmt: skip
        try:
            run()
        except Failure as failure:
            failed += 1
            print(f"failed  {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
