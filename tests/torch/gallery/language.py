"""Models of text of transformers."""

from __future__ import annotations

from typing import Any

import transformers
from padding_models import COUNTED, Case, Input
from torch import nn

from gallery.model import case

IDS = Input("input_ids", (2, "s"), "ids")
MASK = Input("attention_mask", (2, "s"), "attention", extended_with=0)
SMALL = {
    "vocab_size": 60,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GROUPED = {**SMALL, "num_key_value_heads": 2, "use_cache": False}
GPT2 = {
    "vocab_size": 60,
    "n_positions": 64,
    "n_embd": 16,
    "n_layer": 2,
    "n_head": 4,
    "use_cache": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}


def hugging(config: str, model: str, settings: dict[str, Any], attention: str = "sdpa") -> nn.Module:
    """A model of transformers, in inference."""
    made = getattr(transformers, config)(**settings, attn_implementation=attention)
    if made.vocab_size and getattr(made, "pad_token_id", None) is None:
        made.pad_token_id = 0
    return getattr(transformers, model)(made)


def text(
    name: str,
    config: str,
    model: str,
    settings: dict[str, Any],
    attention: str = "sdpa",
    masked: bool = True,
    more: tuple[Input, ...] = (),
) -> Case:
    """A model that takes ids of a sequence, and a mask of padding."""
    inputs = (IDS, MASK, *more) if masked else (IDS, *more)
    return case(name, lambda: hugging(config, model, settings, attention), *inputs)


LANGUAGE = (
    text("bert", "BertConfig", "BertModel", SMALL),
    text("bert_eager", "BertConfig", "BertModel", SMALL, "eager"),
    text("bert_without_mask", "BertConfig", "BertModel", SMALL, masked=False),
    text(
        "distilbert",
        "DistilBertConfig",
        "DistilBertModel",
        {"vocab_size": 60, "dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 32, "pad_token_id": 0},
    ),
    text("roberta", "RobertaConfig", "RobertaModel", {**SMALL, "pad_token_id": 1}),
    text("electra", "ElectraConfig", "ElectraModel", {**SMALL, "embedding_size": 16}),
    text("albert", "AlbertConfig", "AlbertModel", {**SMALL, "embedding_size": 16}),
    text("mpnet", "MPNetConfig", "MPNetModel", {**SMALL, "pad_token_id": 1}, "eager"),
    text("modernbert", "ModernBertConfig", "ModernBertModel", {**SMALL, "local_attention": 8}),
    text(
        "deberta_v2",
        "DebertaV2Config",
        "DebertaV2Model",
        {**SMALL, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]},
        "eager",
    ),
    text("gpt2", "GPT2Config", "GPT2Model", GPT2),
    text("gpt2_without_mask", "GPT2Config", "GPT2LMHeadModel", GPT2, masked=False),
    text("llama", "LlamaConfig", "LlamaForCausalLM", GROUPED),
    text("llama_eager", "LlamaConfig", "LlamaModel", GROUPED, "eager"),
    text("llama_without_mask", "LlamaConfig", "LlamaModel", GROUPED, masked=False),
    text(
        "llama_packed",
        "LlamaConfig",
        "LlamaModel",
        GROUPED,
        masked=False,
        more=(Input("position_ids", (2, "s"), "positions", extended_with=COUNTED),),
    ),
    text("mistral", "MistralConfig", "MistralModel", {**GROUPED, "sliding_window": 6}),
    text("qwen3", "Qwen3Config", "Qwen3Model", {**GROUPED, "head_dim": 8}),
    text("gemma2", "Gemma2Config", "Gemma2Model", {**GROUPED, "head_dim": 8, "sliding_window": 6}, "eager"),
    text("mixtral", "MixtralConfig", "MixtralModel", {**GROUPED, "num_local_experts": 4}),
    text("gpt_neox", "GPTNeoXConfig", "GPTNeoXModel", {**SMALL, "use_cache": False}),
    text(
        "bloom",
        "BloomConfig",
        "BloomModel",
        {"vocab_size": 60, "hidden_size": 16, "n_layer": 2, "n_head": 4, "use_cache": False},
        "eager",
    ),
    text("fnet", "FNetConfig", "FNetModel", {**SMALL, "type_vocab_size": 2}, "eager", masked=False),
    text(
        "t5_encoder",
        "T5Config",
        "T5EncoderModel",
        {"vocab_size": 60, "d_model": 16, "d_kv": 4, "d_ff": 32, "num_layers": 2, "num_heads": 4},
        "eager",
    ),
    text(
        "mamba",
        "MambaConfig",
        "MambaModel",
        {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "state_size": 4, "use_cache": False},
        "eager",
        masked=False,
    ),
    text(
        "bert_classifier",
        "BertConfig",
        "BertForSequenceClassification",
        SMALL,
    ),
    text(
        "llama_labels",
        "LlamaConfig",
        "LlamaForCausalLM",
        GROUPED,
        more=(Input("labels", (2, "s"), "ids", extended_with=-100),),
    ),
    text(
        "bart",
        "BartConfig",
        "BartModel",
        {
            "vocab_size": 60,
            "d_model": 16,
            "encoder_layers": 1,
            "decoder_layers": 1,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 32,
            "decoder_ffn_dim": 32,
            "max_position_embeddings": 64,
            "use_cache": False,
        },
        more=(Input("decoder_input_ids", (2, 7), "ids"),),
    ),
)
