"""Models of transformers with small random weights, each called with batches and lengths that vary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import transformers

# Batch and length of the calls of a text model: both vary, some come again, one batch is of one item.
TEXTS = ((4, 16), (4, 24), (4, 40), (2, 24), (8, 16), (4, 31), (3, 17), (4, 16), (6, 64), (2, 48), (4, 33), (1, 20), (5, 16))
# Batch and edge of the calls of an image model.
IMAGES = ((4, 64), (3, 64), (8, 64), (2, 64), (1, 64), (4, 64), (5, 64))
SIZED_IMAGES = ((4, 64), (4, 96), (2, 128), (8, 64), (1, 96), (3, 160), (4, 64))
WORDS = 96

Inputs = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Model:
    """One model: how it is made, and what it is called with."""

    make: Callable[[], torch.nn.Module]
    calls: tuple[tuple[int, int], ...]
    inputs: Callable[[int, int], Inputs]
    is_trained: bool = False  # with gradients, in training mode

    def all_calls(self) -> Iterator[Inputs]:
        """The inputs of each call."""
        torch.manual_seed(1)
        for batch, size in self.calls:
            yield self.inputs(batch, size)


def _ids(batch: int, length: int) -> torch.Tensor:
    return torch.randint(3, WORDS, (batch, length))


def _text(batch: int, length: int) -> Inputs:
    return {"input_ids": _ids(batch, length)}


def _masked(batch: int, length: int) -> Inputs:
    mask = torch.ones(batch, length, dtype=torch.int64)
    if batch > 1:
        mask[0, -2:] = 0
    return {"input_ids": _ids(batch, length), "attention_mask": mask}


def _labelled(batch: int, length: int) -> Inputs:
    ids = _ids(batch, length)
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()}


def _pairs(batch: int, length: int) -> Inputs:
    return {"input_ids": _ids(batch, length), "decoder_input_ids": _ids(batch, length // 2)}


def _pixels(batch: int, edge: int) -> Inputs:
    return {"pixel_values": torch.rand(batch, 3, edge, edge)}


def _image_and_text(batch: int, length: int) -> Inputs:
    return {"input_ids": _ids(batch, length), "pixel_values": torch.rand(batch, 3, 64, 64)}


def _wave(batch: int, length: int) -> Inputs:
    return {"input_values": torch.rand(batch, length * 100)}


def _made(name: str, config: str, **members: Any) -> Callable[[], torch.nn.Module]:
    def make() -> torch.nn.Module:
        model: torch.nn.Module = getattr(transformers, name)(getattr(transformers, config)(**members))
        return model

    return make


_TEXT = {"vocab_size": WORDS, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
_BERT = {**_TEXT, "intermediate_size": 64, "max_position_embeddings": 128, "pad_token_id": 0}
_LLAMA = {**_BERT, "num_key_value_heads": 2}
_GPT2 = {"vocab_size": WORDS, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 128}
_T5 = {"vocab_size": WORDS, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}
_VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
_EDGE = {**_VIT, "image_size": 64, "patch_size": 16}
_CONVOLUTIONS = {"conv_dim": [8, 8], "conv_kernel": [10, 3], "conv_stride": [5, 2]}
_WAVE = {**_VIT, **_CONVOLUTIONS, "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2}

MODELS = {
    "bert": Model(_made("BertModel", "BertConfig", **_BERT), TEXTS, _masked),
    "gpt2": Model(_made("GPT2LMHeadModel", "GPT2Config", **_GPT2), TEXTS, _text),
    "llama": Model(_made("LlamaForCausalLM", "LlamaConfig", **_LLAMA), TEXTS, _masked),
    "t5": Model(_made("T5ForConditionalGeneration", "T5Config", **_T5, decoder_start_token_id=0), TEXTS, _pairs),
    "vit": Model(_made("ViTModel", "ViTConfig", **_EDGE), IMAGES, _pixels),
    "distilbert": Model(
        _made("DistilBertModel", "DistilBertConfig", vocab_size=WORDS, dim=32, n_layers=2, n_heads=4, hidden_dim=64),
        TEXTS,
        _masked,
    ),
    "roberta": Model(_made("RobertaForMaskedLM", "RobertaConfig", **_BERT), TEXTS, _labelled, is_trained=True),
    "opt": Model(
        _made("OPTForCausalLM", "OPTConfig", **_TEXT, ffn_dim=64, max_position_embeddings=128, word_embed_proj_dim=32),
        TEXTS,
        _masked,
    ),
    "qwen2": Model(_made("Qwen2ForCausalLM", "Qwen2Config", **_LLAMA), TEXTS, _labelled, is_trained=True),
    "bloom": Model(_made("BloomModel", "BloomConfig", vocab_size=WORDS, hidden_size=32, n_layer=2, n_head=4), TEXTS, _text),
    "resnet": Model(
        _made("ResNetModel", "ResNetConfig", embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1]), SIZED_IMAGES, _pixels
    ),
    "convnext": Model(
        _made("ConvNextModel", "ConvNextConfig", hidden_sizes=[8, 16], depths=[1, 1], num_stages=2), SIZED_IMAGES, _pixels
    ),
    "clip": Model(
        _made(
            "CLIPModel",
            "CLIPConfig",
            text_config={**_BERT, "projection_dim": 16, "eos_token_id": 1},
            vision_config={**_EDGE, "projection_dim": 16},
            projection_dim=16,
        ),
        TEXTS,
        _image_and_text,
    ),
    "electra": Model(_made("ElectraModel", "ElectraConfig", **_BERT, embedding_size=16), TEXTS, _masked),
    "segformer": Model(
        _made(
            "SegformerModel",
            "SegformerConfig",
            num_encoder_blocks=2,
            depths=[1, 1],
            sr_ratios=[4, 2],
            hidden_sizes=[8, 16],
            num_attention_heads=[1, 2],
            patch_sizes=[7, 3],
            strides=[4, 2],
            mlp_ratios=[2, 2],
        ),
        SIZED_IMAGES,
        _pixels,
    ),
    "wav2vec2": Model(_made("Wav2Vec2Model", "Wav2Vec2Config", **_WAVE), TEXTS, _wave),
    "hubert": Model(_made("HubertModel", "HubertConfig", **_WAVE), TEXTS, _wave),
    "albert": Model(_made("AlbertModel", "AlbertConfig", **_BERT, embedding_size=16), TEXTS, _masked),
    "dinov2": Model(_made("Dinov2Model", "Dinov2Config", **_EDGE), SIZED_IMAGES, _pixels),
    "bart": Model(
        _made(
            "BartForConditionalGeneration",
            "BartConfig",
            vocab_size=WORDS,
            d_model=32,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_position_embeddings=128,
            pad_token_id=0,
        ),
        TEXTS,
        _pairs,
    ),
    "mixtral": Model(_made("MixtralForCausalLM", "MixtralConfig", **_LLAMA, num_local_experts=4), TEXTS, _masked),
    # Its length is a constant in every graph.
    "funnel": Model(
        _made(
            "FunnelModel",
            "FunnelConfig",
            vocab_size=WORDS,
            d_model=32,
            n_head=4,
            d_head=8,
            d_inner=64,
            block_sizes=[1, 1],
        ),
        TEXTS,
        _masked,
    ),
}
