"""Models of other libraries, and of sound, images and graphs."""

from __future__ import annotations

import transformers
from torch import Tensor, nn

from gallery.model import case
from padding_models import Input


def x_encoder() -> nn.Module:
    """An encoder of x_transformers."""
    from x_transformers import Encoder, TransformerWrapper

    return (
        TransformerWrapper(
            num_tokens=60, max_seq_len=64, attn_layers=Encoder(dim=16, depth=2, heads=2, attn_dim_head=8)
        )
    )


def x_decoder() -> nn.Module:
    """A causal model of x_transformers, with rotary positions."""
    from x_transformers import Decoder, TransformerWrapper

    return (
        TransformerWrapper(
            num_tokens=60,
            max_seq_len=64,
            attn_layers=Decoder(dim=16, depth=2, heads=2, attn_dim_head=8, rotary_pos_emb=True),
        )
    )


def vit() -> nn.Module:
    """A vision transformer of timm."""
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(img_size=16, patch_size=4, embed_dim=16, depth=2, num_heads=2)


def vit_block() -> nn.Module:
    """A block of timm over tokens."""
    from timm.models.vision_transformer import Block

    return Block(16, 2)


class Graph(nn.Module):
    """Two layers of torch_geometric over nodes and edges."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        from torch_geometric import nn as layers

        made = getattr(layers, kind)
        self.first = made(8, 8)
        self.second = made(8, 8)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """New features of the nodes."""
        return self.second(self.first(x, edge_index).relu(), edge_index)


def dit() -> nn.Module:
    """A block of diffusers with cross attention."""
    from diffusers.models.attention import BasicTransformerBlock

    return BasicTransformerBlock(16, 2, 8, cross_attention_dim=16)


def wav2vec2() -> nn.Module:
    """A model of sound: convolutions, then a transformer."""
    config = transformers.Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(8, 8),
        conv_stride=(2, 2),
        conv_kernel=(4, 2),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        feat_extract_norm="layer",
        do_stable_layer_norm=True,
        apply_spec_augment=False,
    )
    return transformers.Wav2Vec2Model(config)


def whisper() -> nn.Module:
    """A decoder that attends to sound."""
    config = transformers.WhisperConfig(
        vocab_size=60,
        d_model=16,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_mel_bins=8,
        max_source_positions=12,
        max_target_positions=64,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        use_cache=False,
    )
    return transformers.WhisperModel(config)


def clip_text() -> nn.Module:
    """The text half of CLIP."""
    config = transformers.CLIPTextConfig(
        vocab_size=60,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    return transformers.CLIPTextModel(config)


EDGES = Input("edge_index", (2, 20), "ids")
OTHERS = (
    case("x_encoder", x_encoder, Input("x", (2, "s"), "ids"), Input("mask", (2, "s"), "mask", extended_with=0)),
    case("x_decoder", x_decoder, Input("x", (2, "s"), "ids")),
    case("gcn_nodes", lambda: Graph("GCNConv"), Input("x", ("s", 8)), EDGES, sizes=((40, 41), (40, 60))),
    case("sage_nodes", lambda: Graph("SAGEConv"), Input("x", ("s", 8)), EDGES, sizes=((40, 41), (40, 60))),
    case("gat_edges", lambda: Graph("GATConv"), Input("x", (40, 8)), Input("edge_index", (2, "s"), "ids")),
    case(
        "diffusers_text",
        dit,
        Input("hidden_states", (2, 12, 16)),
        Input("encoder_hidden_states", (2, "s", 16)),
        Input("encoder_attention_mask", (2, 1, "s"), "mask", extended_with=0),
    ),
    case("diffusers_pixels", dit, Input("hidden_states", (2, "s", 16)), Input("encoder_hidden_states", (2, 7, 16))),
    case(
        "wav2vec2",
        wav2vec2,
        Input("input_values", (2, "s")),
        Input("attention_mask", (2, "s"), "attention", extended_with=0),
        sizes=((90, 140), (64, 200)),
    ),
    case(
        "whisper_decoder",
        whisper,
        Input("input_features", (2, 8, 24)),
        Input("decoder_input_ids", (2, "s"), "ids"),
    ),
    case(
        "clip_text",
        clip_text,
        Input("input_ids", (2, "s"), "ids"),
        Input("attention_mask", (2, "s"), "attention", extended_with=0),
    ),
    case("timm_vit_batch", vit, Input("x", ("s", 3, 16, 16))),
    case("timm_blocks", vit_block, Input("x", (2, "s", 16))),
)
