"""Models that were not looked at while the rules were mended: first contact."""

from __future__ import annotations

import transformers
from padding_models import Case, Input
from torch import nn

from gallery.language import GROUPED, SMALL, text
from gallery.model import case


def time_series() -> nn.Module:
    """A patched transformer over time."""
    return transformers.PatchTSTModel(
        transformers.PatchTSTConfig(
            num_input_channels=2, context_length=24, patch_length=4, patch_stride=4, d_model=16, num_hidden_layers=2,
            num_attention_heads=2, ffn_dim=32,
        )
    )  # fmt: skip


def encoder() -> nn.Module:
    """PyTorch's own encoder, as a user builds it."""
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def decoder() -> nn.Module:
    """PyTorch's own decoder."""
    return nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 2, 32, batch_first=True), 2)


MASK = Input("attention_mask", (2, "s"), "attention", extended_with=0)
LATER: tuple[Case, ...] = (
    text("camembert", "CamembertConfig", "CamembertModel", {**SMALL, "pad_token_id": 1}),
    text("xlm_roberta_tokens", "XLMRobertaConfig", "XLMRobertaForTokenClassification", {**SMALL, "pad_token_id": 1}),
    text("olmo2", "Olmo2Config", "Olmo2Model", GROUPED),
    text("phi3", "Phi3Config", "Phi3Model", {**GROUPED, "sliding_window": 6}),
    text("starcoder2", "Starcoder2Config", "Starcoder2Model", GROUPED),
    text("opt", "OPTConfig", "OPTModel", {
        "vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 32,
        "max_position_embeddings": 64, "word_embed_proj_dim": 16, "use_cache": False, "pad_token_id": 0,
    }),
    text("qwen2_eager", "Qwen2Config", "Qwen2ForCausalLM", GROUPED, "eager"),
    text("squeezebert", "SqueezeBertConfig", "SqueezeBertModel", {
        **SMALL, "embedding_size": 16, "q_groups": 2, "k_groups": 2, "v_groups": 2, "post_attention_groups": 1,
        "intermediate_groups": 2, "output_groups": 2,
    }, "eager"),
    case("torch_encoder", encoder, Input("src", (2, "s", 16)), Input("src_key_padding_mask", (2, "s"), "additive", extended_with=float("-inf"))),
    case("torch_decoder_memory", decoder, Input("tgt", (2, 6, 16)), Input("memory", (2, "s", 16))),
    case("patchtst_batch", time_series, Input("past_values", ("s", 24, 2))),
)  # fmt: skip
