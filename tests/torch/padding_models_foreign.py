"""More models, as they stand in other people's programs, written without a look at the operators that are known.

Sizes: "s" varies, and "b" varies beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from padding_models import CLASSES, IGNORED, VOCABULARY, WIDTH, Body, Case, Input, heads, merged
from torch import Tensor, nn

HEADS = 4
LONGEST = 64


class Layers(Body):
    """Body with larger layers."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Makes the layers."""
        super().__init__(function)
        self.multihead = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, dropout=0.0, batch_first=True)
        self.decoder = nn.TransformerDecoderLayer(WIDTH, HEADS, 32, dropout=0.0, batch_first=True)
        self.dropout = nn.Dropout(0.3)
        self.gru_cell = nn.GRUCell(WIDTH, WIDTH)
        self.lstm_cell = nn.LSTMCell(WIDTH, WIDTH)
        self.instance_norm = nn.InstanceNorm1d(WIDTH, affine=True)
        self.batch_norm_2d = nn.BatchNorm2d(WIDTH)
        self.conv_2d = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.depthwise = nn.Conv1d(WIDTH, WIDTH, 3, groups=WIDTH)
        self.pointwise = nn.Conv1d(WIDTH, WIDTH, 1)
        self.transposed = nn.ConvTranspose1d(WIDTH, WIDTH, 2, stride=2)
        self.bag = nn.EmbeddingBag(VOCABULARY, WIDTH, mode="sum")
        self.positions = nn.Embedding(LONGEST, WIDTH)
        self.bias_table = nn.Embedding(32, HEADS)
        self.query = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.prelu = nn.PReLU()
        self.register_buffer("tril", torch.tril(torch.ones(LONGEST, LONGEST)))
        self.register_buffer("position_ids", torch.arange(LONGEST).unsqueeze(0))
        self.register_buffer("sinusoid", torch.randn(1, LONGEST, WIDTH))
        self.experts = nn.Parameter(torch.randn(4, WIDTH, WIDTH) / 4)


def layers(function: Callable[..., object]) -> Callable[[], nn.Module]:
    """A maker of models whose forward is `function`."""
    return lambda: Layers(function)


def hand_attention(m: Layers, x: Tensor, bias: Tensor | None = None, fill: Tensor | None = None) -> Tensor:
    """Attention of several heads with a bias that is added, or with truth values where nothing is seen."""
    q, k, v = heads(m.first(x)), heads(m.second(x)), heads(m.third(x))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(WIDTH // HEADS)
    if bias is not None:
        scores = scores + bias
    if fill is not None:
        scores = scores.masked_fill(fill, float("-inf"))
    return merged(torch.matmul(F.softmax(scores, dim=-1), v))


def post_norm_block(m: Layers, x: Tensor, bias: Tensor) -> Tensor:
    """A layer as BERT has it."""
    x = m.norm(x + hand_attention(m, x, bias))
    return m.norm(x + m.second(F.gelu(m.first(x))))


def bert(m: Layers, ids: Tensor, mask: Tensor) -> Tensor:
    """Embeddings with position ids cut from a buffer, a mask as transformers extends it, a first-token pool."""
    x = m.norm(m.embed(ids) + m.positions(m.position_ids[:, : ids.shape[1]]))
    extended = mask[:, None, None, :].to(x.dtype)
    extended = (1.0 - extended) * torch.finfo(x.dtype).min
    x = post_norm_block(m, post_norm_block(m, x, extended), extended)
    return m.head(torch.tanh(m.first(x[:, 0])))


def gpt(m: Layers, ids: Tensor) -> Tensor:
    """Next-token logits with a causal mask from a buffer."""
    b, t = ids.size()
    x = m.embed(ids) + m.positions(torch.arange(0, t, dtype=torch.long, device=ids.device))
    h = m.norm(x)
    q, k, v = heads(m.first(h)), heads(m.second(h)), heads(m.third(h))
    scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
    scores = scores.masked_fill(m.tril[:t, :t] == 0, float("-inf"))
    y = F.softmax(scores, dim=-1) @ v
    x = x + y.transpose(1, 2).contiguous().view(b, t, WIDTH)
    return x @ m.embed.weight.t()


def gpt_loss(m: Layers, ids: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """Logits and the loss of shifted labels."""
    logits = gpt(m, ids)
    shifted = logits[..., :-1, :].contiguous()
    targets = labels[..., 1:].contiguous()
    return logits, F.cross_entropy(shifted.view(-1, shifted.size(-1)), targets.view(-1), ignore_index=-100)


def relative_bias(m: Layers, size: int) -> Tensor:
    """A learned bias by clamped distance."""
    positions = torch.arange(size)
    distance = (positions[None, :] - positions[:, None]).clamp(-15, 16) + 15
    return m.bias_table(distance).permute(2, 0, 1).unsqueeze(0)


def t5_bucket(size: int) -> Tensor:
    """Buckets of distances, half of them logarithmic."""
    positions = torch.arange(size)
    distance = -torch.min(positions[None, :] - positions[:, None], torch.zeros(size, size, dtype=torch.long))
    large = 8 + (torch.log(distance.float().clamp(min=1) / 8) / math.log(16) * 8).to(torch.long)
    large = torch.min(large, torch.full_like(large, 15))
    return torch.where(distance < 8, distance, large)


def t5(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """Attention with a bias of buckets and a mask that is added."""
    bias = m.bias_table(t5_bucket(x.shape[1])).permute(2, 0, 1)[None]
    bias = bias + torch.where(mask, 0.0, -1e9)[:, None, None, :]
    return x + hand_attention(m, x, bias)


def alibi(m: Layers, x: Tensor) -> Tensor:
    """Causal attention with a slope for each head."""
    size = x.shape[1]
    slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625]).view(1, HEADS, 1, 1)
    distance = torch.arange(size).view(1, 1, 1, -1) - torch.arange(size).view(1, 1, -1, 1)
    bias = slopes * distance
    return hand_attention(m, x, bias, torch.ones(size, size, dtype=torch.bool).triu(1))


def rope(x: Tensor) -> Tensor:
    """Rotary embedding of [B, heads, s, D] as in Llama."""
    width = x.shape[-1]
    inverse = 1.0 / (10000 ** (torch.arange(0, width, 2).float() / width))
    angles = torch.outer(torch.arange(x.shape[2]).float(), inverse)
    angles = torch.cat((angles, angles), dim=-1)
    half = torch.cat((-x[..., width // 2 :], x[..., : width // 2]), dim=-1)
    return x * angles.cos()[None, None] + half * angles.sin()[None, None]


def complex_rope(x: Tensor) -> Tensor:
    """Rotary embedding by pairs, with stack and flatten."""
    angles = torch.arange(x.shape[1]).float()[:, None] * torch.tensor([1.0, 0.1, 0.01, 0.001] * 2)[None, :]
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack(
        (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()), -1
    ).flatten(-2)


def llama(m: Layers, x: Tensor) -> Tensor:
    """Grouped queries, rotary embedding, gated feed-forward."""
    b, s, _ = x.shape
    h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    q, k, v = heads(m.first(h)), heads(m.second(h))[:, :2], heads(m.third(h))[:, :2]
    q, k = rope(q), rope(k)
    k = k[:, :, None].expand(b, 2, 2, s, WIDTH // HEADS).reshape(b, HEADS, s, WIDTH // HEADS)
    v = v[:, :, None].expand(b, 2, 2, s, WIDTH // HEADS).reshape(b, HEADS, s, WIDTH // HEADS)
    x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, -1)
    return x + m.third(F.silu(m.first(x)) * m.second(x))


def llama_mask(m: Layers, ids: Tensor, mask: Tensor) -> Tensor:
    """A causal mask and a mask of keys in one, built with finfo.min."""
    x = m.embed(ids)
    size = x.shape[1]
    least = torch.finfo(x.dtype).min
    causal = torch.full((size, size), least)
    causal = causal * (torch.arange(size) > torch.arange(size).reshape(-1, 1))
    causal = causal[None, None].expand(x.shape[0], 1, -1, -1).clone()
    hidden = (causal + mask[:, None, None, :].to(x.dtype)) == 0
    causal = causal.masked_fill(hidden, least)
    return m.head(x + hand_attention(m, x, causal))


def boolean_attention(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """Truth values of both sides, and causal."""
    size = x.shape[1]
    causal = torch.tril(torch.ones((size, size), dtype=torch.bool))
    both = mask[:, None, None, :] & causal
    q, k, v = heads(m.first(x)), heads(m.second(x)), heads(m.third(x))
    return merged(F.scaled_dot_product_attention(q, k, v, attn_mask=both))


def attention_pool(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """A weighted mean with learned weights."""
    scores = (x @ m.scale).masked_fill(mask == 0, float("-inf"))
    return (scores.softmax(dim=1).unsqueeze(-1) * x).sum(dim=1)


def query_pool(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """Attention of one learned query."""
    return m.multihead(m.query.expand(x.shape[0], -1, -1), x, x, key_padding_mask=~mask, need_weights=False)[0]


def last_token(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """The last position that a mask keeps."""
    last = mask.long().sum(1) - 1
    return m.head(x[torch.arange(x.shape[0]), last])


def gather_last(m: Layers, x: Tensor, lengths: Tensor) -> Tensor:
    """The last position by gather."""
    index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, x.size(2))
    return m.head(x.gather(1, index).squeeze(1))


def contrastive(m: Layers, x: Tensor, y: Tensor) -> Tensor:
    """InfoNCE over the batch."""
    x, y = F.normalize(m.first(x), dim=-1), F.normalize(m.second(y), dim=-1)
    logits = x @ y.t() / 0.07
    return F.cross_entropy(logits, torch.arange(x.shape[0]))


def mixture(m: Layers, x: Tensor) -> Tensor:
    """Two of four experts for each row, dense."""
    weights, chosen = m.head(x)[..., :4].softmax(-1).topk(2, dim=-1)
    weights = weights / weights.sum(-1, keepdim=True)
    gates = torch.zeros(*x.shape[:-1], 4).scatter(-1, chosen, weights)
    return torch.einsum("bsd,edf,bse->bsf", x, m.experts, gates)


def expert_load(m: Layers, x: Tensor) -> tuple[Tensor, Tensor]:
    """Routing and how the load is spread."""
    gates = m.head(x).softmax(-1)
    share = F.one_hot(gates.argmax(-1), CLASSES).float().mean((0, 1))
    return gates, (share * gates.mean((0, 1))).sum() * CLASSES


def recurrent(m: Layers, x: Tensor) -> Tensor:
    """A few steps of a GRU cell over rows."""
    h = torch.zeros(x.shape[0], WIDTH)
    for step in range(3):
        h = m.gru_cell(x[:, step], h)
    return m.head(h)


def in_place(m: Layers, x: Tensor, mask: Tensor) -> Tensor:
    """Rows written over by truth values."""
    h = m.first(x).clone()
    h.masked_fill_(~mask.unsqueeze(-1), 0.0)
    h.add_(1.0).mul_(2.0)
    return h.relu_()


def cached(m: Layers, x: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """One more position behind a cache that grows."""
    keys = torch.cat([keys, heads(m.second(x))], dim=2)
    values = torch.cat([values, heads(m.third(x))], dim=2)
    return merged(F.scaled_dot_product_attention(heads(m.first(x)), keys, values)), keys, values


def cached_mask(m: Layers, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """A query against a cache with a mask."""
    q = heads(m.first(x))
    scores = (q @ keys.transpose(-1, -2)) / 2.0 + mask[:, None]
    return merged(scores.softmax(-1) @ values)


def masked_logsumexp_pool(x: Tensor, mask: Tensor) -> Tensor:
    """A smooth maximum."""
    return torch.logsumexp(torch.where(mask[..., None], x, torch.tensor(float("-inf"))), dim=1)


def label_smoothing(m: Layers, x: Tensor, labels: Tensor) -> Tensor:
    """Smoothing written out with a mask of ignored targets."""
    logp = F.log_softmax(m.head(x), dim=-1)
    pad = labels.eq(IGNORED)
    nll = -logp.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(-1)
    nll, smooth = nll.masked_fill(pad, 0.0), smooth.masked_fill(pad, 0.0)
    count = pad.numel() - pad.long().sum()
    return (0.9 * nll.sum() + 0.1 * smooth.sum()) / count


def label_smoothing_sum(m: Layers, x: Tensor, labels: Tensor) -> Tensor:
    """The same, divided by what is kept."""
    logp = F.log_softmax(m.head(x), dim=-1)
    keep = labels.ne(IGNORED)
    nll = -logp.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return (nll * keep).sum() / keep.sum().clamp(min=1)


def masked_layer_statistics(x: Tensor, mask: Tensor) -> Tensor:
    """Mean and variance over kept positions, by hand."""
    kept = mask.unsqueeze(-1).float()
    count = kept.sum(1, keepdim=True)
    mean = (x * kept).sum(1, keepdim=True) / count
    variance = ((x - mean).pow(2) * kept).sum(1, keepdim=True) / count
    return (x - mean) / (variance + 1e-5).sqrt()


def accuracy(m: Layers, x: Tensor, labels: Tensor) -> Tensor:
    """The share of targets that are hit, ignored ones left out."""
    hits = (m.head(x).argmax(-1) == labels) & (labels != IGNORED)
    return hits.sum().float() / (labels != IGNORED).sum()


def squeeze_excite(m: Layers, x: Tensor) -> Tensor:
    """Channels scaled by what their positions are on average."""
    return x * torch.sigmoid(m.first(x.mean(-1))).unsqueeze(-1)


def local_window(m: Layers, x: Tensor) -> Tensor:
    """A band around the diagonal, backwards only."""
    i = torch.arange(x.shape[1])
    band = (i[None, :] <= i[:, None]) & (i[:, None] - i[None, :] < 3)
    return hand_attention(m, x, None, ~band)


def encoder_decoder(m: Layers, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
    """A decoder of five positions over a memory that grows."""
    return m.decoder(y, x, memory_key_padding_mask=~mask)


X = Input("x", (2, "s", WIDTH))
BX = Input("x", ("b", "s", WIDTH))
ROWS = Input("x", ("s", WIDTH))
CHANNELS = Input("x", (2, WIDTH, "s"))
BATCH = Input("x", ("s", 4, WIDTH))
BATCH_CHANNELS = Input("x", ("s", WIDTH, 8))
IMAGES = Input("x", ("s", WIDTH, 6, 6))
IDS = Input("ids", (2, "s"), "ids")
BIDS = Input("ids", ("b", "s"), "ids")
MASK = Input("mask", (2, "s"), "mask", 0)
BMASK = Input("mask", ("b", "s"), "mask", 0)
HIDDEN = Input("mask", (2, "s"), "mask", 1)
LABELS = Input("labels", (2, "s"), "labels", IGNORED)
BLABELS = Input("labels", ("b", "s"), "labels", IGNORED)
LENGTHS = Input("lengths", (2,), "lengths")
Y = Input("y", (2, "s", WIDTH))

FOREIGN: tuple[Case, ...] = (
    # language models
    Case("bert", layers(bert), (IDS, MASK)),
    Case("bert-both", layers(bert), (BIDS, BMASK)),
    Case("gpt", layers(gpt), (IDS,)),
    Case("gpt-both", layers(gpt), (BIDS,)),
    Case("gpt-loss", layers(gpt_loss), (IDS, LABELS)),
    Case("gpt-loss-both", layers(gpt_loss), (BIDS, BLABELS)),
    Case("t5", layers(t5), (X, MASK)),
    Case("relative-bias", layers(lambda m, x: hand_attention(m, x, relative_bias(m, x.shape[1]))), (X,)),
    Case(
        "relative-bias-mask",
        layers(lambda m, x, k: hand_attention(m, x, relative_bias(m, x.shape[1]), ~k[:, None, None])),
        (X, MASK),
    ),
    Case("alibi", layers(alibi), (X,)),
    Case("complex-rope", layers(lambda m, x: complex_rope(x)), (X,)),
    Case("llama", layers(llama), (X,)),
    Case("llama-both", layers(llama), (BX,)),
    Case("llama-mask", layers(llama_mask), (IDS, MASK)),
    Case("local-window", layers(local_window), (X,)),
    Case("sinusoid-buffer", layers(lambda m, x: x + m.sinusoid[:, : x.size(1)]), (X,)),
    # masks
    Case(
        "mask-times-1e9", layers(lambda m, x, k: hand_attention(m, x, (1 - k.float())[:, None, None] * -1e9)), (X, MASK)
    ),
    Case(
        "mask-where",
        layers(lambda m, x, k: hand_attention(m, x, torch.where(k, 0.0, -math.inf)[:, None, None])),
        (X, MASK),
    ),
    Case("mask-hidden", layers(lambda m, x, k: hand_attention(m, x, None, k[:, None, None, :])), (X, HIDDEN)),
    Case(
        "mask-additive-4d",
        layers(lambda m, x, k: hand_attention(m, x, k)),
        (X, Input("mask", (2, 1, 1, "s"), "additive", -math.inf)),
    ),
    Case(
        "mask-additive-square",
        layers(lambda m, x, k: hand_attention(m, x, k)),
        (X, Input("mask", (2, 1, "s", "s"), "additive", -math.inf)),
    ),
    Case("mask-boolean-causal", layers(boolean_attention), (X, MASK)),
    Case(
        "mask-lengths",
        layers(
            lambda m, x, n: hand_attention(m, x, None, (torch.arange(x.shape[1])[None] >= n[:, None])[:, None, None])
        ),
        (X, LENGTHS),
    ),
    Case(
        "mask-from-ids",
        layers(lambda m, ids: hand_attention(m, m.embed(ids), None, (ids == 0)[:, None, None])),
        (Input("ids", (2, "s"), "ids", 0),),
    ),
    Case("multihead", layers(lambda m, x: m.multihead(x, x, x, need_weights=False)[0]), (X,)),
    Case("multihead-mask", layers(lambda m, x, k: m.multihead(x, x, x, key_padding_mask=k)[0]), (X, HIDDEN)),
    Case("multihead-weights", layers(lambda m, x, k: m.multihead(x, x, x, key_padding_mask=~k)), (X, MASK)),
    Case(
        "multihead-causal",
        layers(
            lambda m, x: m.multihead(
                x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(x.shape[1]), need_weights=False
            )[0]
        ),
        (X,),
    ),
    Case("encoder-layer", layers(lambda m, x: m.encoder(x)), (X,), training=True),
    Case(
        "encoder-layer-mask", layers(lambda m, x, k: m.encoder(x, src_key_padding_mask=k)), (X, HIDDEN), training=True
    ),
    Case("encoder-layer-batch", layers(lambda m, x: m.encoder(x)), (BATCH,), training=True),
    Case("decoder-layer", layers(encoder_decoder), (X, Input("y", (2, 5, WIDTH)), MASK), training=True),
    Case(
        "cache-step",
        layers(cached),
        (Input("x", (2, 1, WIDTH)), Input("keys", (2, 4, "s", 4)), Input("values", (2, 4, "s", 4))),
    ),
    Case(
        "cache-step-mask",
        layers(cached_mask),
        (
            Input("x", (2, 1, WIDTH)),
            Input("keys", (2, 4, "s", 4)),
            Input("values", (2, 4, "s", 4)),
            Input("mask", (2, 1, "s"), "additive", -math.inf),
        ),
    ),
    Case("attention-pool", layers(attention_pool), (X, MASK)),
    Case("query-pool", layers(query_pool), (X, MASK)),
    Case("last-token-mask", layers(last_token), (X, MASK)),
    Case("gather-last", layers(gather_last), (X, LENGTHS)),
    Case("logsumexp-pool", layers(lambda m, x, k: masked_logsumexp_pool(x, k)), (X, MASK)),
    Case("min-pool", layers(lambda m, x, k: x.masked_fill(~k[..., None], 1e9).min(dim=1).values), (X, MASK)),
    Case("mean-both", layers(lambda m, x: m.head(x.mean(dim=1))), (BX,)),
    Case("weighted-einsum", layers(lambda m, x, k: torch.einsum("bsd,bs->bd", x, k.float())), (X, MASK)),
    Case("crf", layers(lambda m, x, k: (m.head(x).max(-1).values * k.float()).sum(1)), (X, MASK)),
    Case("any-all", layers(lambda m, x, k: (k.any(1), k.all(1), k.sum(1))), (X, MASK)),
    Case("count", layers(lambda m, ids: (ids != 0).sum(1)), (Input("ids", (2, "s"), "ids", 0),)),
    # losses
    Case(
        "loss-smoothing-op",
        layers(lambda m, x, t: F.cross_entropy(m.head(x).flatten(0, 1), t.flatten(), label_smoothing=0.1)),
        (X, LABELS),
    ),
    Case("loss-smoothing-hand", layers(label_smoothing), (X, LABELS)),
    Case("loss-kept-hand", layers(label_smoothing_sum), (X, LABELS)),
    Case(
        "loss-none",
        layers(lambda m, x, t: F.cross_entropy(m.head(x).transpose(1, 2), t, reduction="none")),
        (X, LABELS),
    ),
    Case(
        "loss-nll",
        layers(lambda m, x, t: F.nll_loss(m.head(x).log_softmax(-1), t)),
        (ROWS, Input("labels", ("s",), "labels", IGNORED)),
    ),
    Case("loss-l1-none", layers(lambda m, x, y: F.l1_loss(m.first(x), y, reduction="none")), (X, Y)),
    Case(
        "loss-l1-sum",
        layers(lambda m, x, y, k: F.l1_loss(x * k[..., None], y * k[..., None], reduction="sum")),
        (X, Y, MASK),
    ),
    Case("loss-huber", layers(lambda m, x, y: F.smooth_l1_loss(x, y)), (X, Y)),
    Case(
        "loss-bce-mask",
        layers(
            lambda m, x, y, k: (F.binary_cross_entropy_with_logits(x.mean(-1), y, reduction="none") * k).sum() / k.sum()
        ),
        (X, Input("y", (2, "s"), "positive"), MASK),
    ),
    Case(
        "loss-bce-rows",
        layers(lambda m, x, y: F.binary_cross_entropy_with_logits(x, y)),
        (ROWS, Input("y", ("s", WIDTH))),
    ),
    Case(
        "loss-kl",
        layers(lambda m, x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction="batchmean")),
        (ROWS, Input("y", ("s", WIDTH))),
    ),
    Case(
        "loss-mse-mask-mean",
        layers(lambda m, x, y, k: (F.mse_loss(x, y, reduction="none") * k[..., None]).mean()),
        (X, Y, MASK),
    ),
    Case("loss-contrastive", layers(contrastive), (ROWS, Input("y", ("s", WIDTH)))),
    Case("loss-cosine", layers(lambda m, x, y: F.cosine_similarity(x, y, dim=-1)), (X, Y)),
    Case("accuracy", layers(accuracy), (X, LABELS)),
    # norms
    Case("norm-masked-hand", layers(lambda m, x, k: masked_layer_statistics(x, k)), (X, MASK)),
    Case("norm-last-two", layers(lambda m, x: F.layer_norm(x, x.shape[1:])), (X,)),
    Case("norm-instance", layers(lambda m, x: m.instance_norm(x)), (CHANNELS,), training=True),
    Case("norm-instance-batch", layers(lambda m, x: m.instance_norm(x)), (BATCH_CHANNELS,)),
    Case("norm-batch-2d-eval", layers(lambda m, x: F.relu(m.batch_norm_2d(m.conv_2d(x)))), (IMAGES,)),
    Case("norm-batch-2d-train", layers(lambda m, x: F.relu(m.batch_norm_2d(x))), (IMAGES,), training=True),
    Case("norm-group-batch", layers(lambda m, x: m.group_norm(x)), (BATCH_CHANNELS,), training=True),
    Case("norm-std-hand", layers(lambda m, x: (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)), (X,)),
    Case("conv-2d-wide", layers(lambda m, x: m.conv_2d(x)), (Input("x", (2, WIDTH, 6, "s"), "float", 0),)),
    Case("conv-depthwise", layers(lambda m, x: m.pointwise(m.depthwise(x))), (CHANNELS,)),
    Case("conv-causal", layers(lambda m, x: m.depthwise(F.pad(x, (2, 0)))), (CHANNELS,)),
    Case("conv-masked", layers(lambda m, x, k: m.conv(x.transpose(1, 2) * k[:, None])), (X, MASK)),
    Case("conv-transposed", layers(lambda m, x: m.transposed(x)), (CHANNELS,)),
    Case(
        "resnet-batch",
        layers(lambda m, x: m.head(F.adaptive_avg_pool2d(F.max_pool2d(F.relu(m.conv_2d(x)) + x, 2), 1).flatten(1))),
        (IMAGES,),
    ),
    Case("interpolate", layers(lambda m, x: F.interpolate(x, scale_factor=2)), (CHANNELS,)),
    Case("interpolate-batch", layers(lambda m, x: F.interpolate(x, scale_factor=2, mode="nearest")), (IMAGES,)),
    Case("shuffle-batch", layers(lambda m, x: F.pixel_shuffle(x, 2)), (IMAGES,)),
    Case("unfold", layers(lambda m, x: x.unfold(1, 3, 1).sum(-1)), (X,)),
    Case("squeeze-excite", layers(squeeze_excite), (CHANNELS,)),
    Case("squeeze-excite-batch", layers(squeeze_excite), (BATCH_CHANNELS,)),
    Case("cummax", layers(lambda m, x: x.cummax(1)[0]), (X,)),
    Case("running-mean", layers(lambda m, x: x.cumsum(1) / torch.arange(1, x.shape[1] + 1)[None, :, None]), (X,)),
    Case("reverse-cumsum", layers(lambda m, x: x.flip(1).cumsum(1).flip(1)), (X,)),
    Case("diff", layers(lambda m, x: x.diff(dim=1)), (X,)),
    Case("topk-positions", layers(lambda m, x: x.topk(2, dim=1)[0]), (X,)),
    Case("argsort", layers(lambda m, x: x.sum(-1).argsort(1)), (X,)),
    Case("position-share", layers(lambda m, x: x * (torch.arange(x.shape[1]) / x.shape[1])[None, :, None]), (X,)),
    Case("size-returned", layers(lambda m, x: (x * 2, x.shape[1])), (X,)),
    Case("numel", layers(lambda m, x: m.first(x).sum(-1) / x.numel()), (X,)),
    Case("chunk", layers(lambda m, x: x.chunk(2, dim=1)[0]), (X,), sizes=((6, 8), (10, 12))),
    Case("split", layers(lambda m, x: x.split(3, dim=1)[0] * 2), (X,)),
    Case("pairs", layers(lambda m, x: x.view(2, x.shape[1] // 2, 2, WIDTH).sum(2)), (X,), sizes=((6, 8), (10, 12))),
    Case("every-other", layers(lambda m, x: x[:, ::2]), (X,)),
    Case("negative-index", layers(lambda m, x: x[:, -2:]), (X,)),
    Case("next-token", layers(lambda m, x: torch.cat([x[:, 1:], x[:, :1]], 1)), (X,)),
    Case("shift-right", layers(lambda m, x: F.pad(x, (0, 0, 1, 0))[:, :-1]), (X,)),
    Case("token-shift", layers(lambda m, x: x + torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)), (X,)),
    Case("cat-inputs", layers(lambda m, x, y: torch.cat([x, y], 1)), (X, Y)),
    Case("cat-features", layers(lambda m, x, y: torch.cat([x, y], -1)), (X, Y)),
    Case("stack-inputs", layers(lambda m, x, y: torch.stack([x, y], 1).mean(1)), (X, Y)),
    Case(
        "fold-view",
        layers(lambda m, x: m.head(x.view(x.shape[0] * x.shape[1], WIDTH)).view(x.shape[0], x.shape[1], -1)),
        (BX,),
    ),
    Case(
        "transpose-fold",
        layers(lambda m, x: m.first(x.transpose(0, 1).reshape(-1, WIDTH)).view(-1, 2, WIDTH).transpose(0, 1)),
        (X,),
    ),
    Case("outer", layers(lambda m, x, y: x[:, :, None] * y[:, None]), (X, Y)),
    Case("pair-sum", layers(lambda m, x: (m.first(x)[:, :, None] + m.second(x)[:, None]).tanh() @ m.scale), (X,)),
    Case("distance", layers(lambda m, x: torch.cdist(x, x)), (X,)),
    Case("distance-nearest", layers(lambda m, x, y: torch.cdist(x, y).min(-1)[0]), (X, Input("y", (2, 5, WIDTH)))),
    Case(
        "batched-product",
        layers(lambda m, x, y: torch.bmm(x.transpose(1, 2), y)),
        (Input("x", (2, "s", WIDTH), "float", 0), Input("y", (2, "s", WIDTH), "float", 0)),
    ),
    Case("batched-over-s", layers(lambda m, x: torch.bmm(x, x.transpose(1, 2))), (BATCH,)),
    Case("gram-batch", layers(lambda m, x: (x @ x.t()).softmax(-1)), (ROWS,)),
    Case("similarity", layers(lambda m, x: F.normalize(x, dim=-1) @ F.normalize(x, dim=-1).t()), (ROWS,)),
    Case("bag", layers(lambda m, ids: m.bag(ids)), (IDS,)),
    Case("bag-batch", layers(lambda m, ids: m.bag(ids)), (Input("ids", ("s", 5), "ids"),)),
    Case(
        "scatter-add",
        layers(lambda m, x, t: torch.zeros(2, CLASSES).scatter_add(1, t, x)),
        (Input("x", (2, "s"), "float", 0), Input("labels", (2, "s"), "labels")),
    ),
    Case(
        "bincount",
        layers(lambda m, ids: torch.zeros(VOCABULARY).index_add(0, ids, torch.ones_like(ids, dtype=torch.float))),
        (Input("ids", ("s",), "ids"),),
    ),
    Case("one-hot-counts", layers(lambda m, ids: F.one_hot(ids, VOCABULARY).sum(1)), (IDS,)),
    Case("integers", layers(lambda m, ids: (ids * 2 + 1).remainder(7)), (IDS,)),
    Case("integers-where", layers(lambda m, ids: m.embed(torch.where(ids > 20, ids - 20, ids))), (IDS,)),
    Case("select-rows", layers(lambda m, x: x.index_select(1, torch.tensor([0, 2, 1]))), (X,)),
    Case(
        "graph-mean", layers(lambda m, x: torch.zeros_like(x).index_add(0, torch.tensor([0, 1, 2]), x[:3]) + x), (ROWS,)
    ),
    # the rest
    Case("mixture", layers(mixture), (X,)),
    Case("mixture-load", layers(expert_load), (X,)),
    Case("recurrent", layers(recurrent), (BATCH,)),
    Case("lstm-cell", layers(lambda m, x: m.lstm_cell(x)), (ROWS,)),
    Case("in-place", layers(in_place), (X, MASK)),
    Case("dropout-eval", layers(lambda m, x: m.dropout(m.first(x))), (X,)),
    Case("dropout-train", layers(lambda m, x: m.dropout(m.first(x))), (X,), training=True),
    Case("prelu", layers(lambda m, x: F.glu(F.leaky_relu(m.prelu(F.elu(F.softplus(x)))), -1)), (X,)),
    Case("clamp-half", layers(lambda m, x: x.half().float().clamp(-1, 1).round().abs().sqrt()), (X,)),
    Case("several-outputs", layers(lambda m, x: {"first": x[:, 0], "all": x + 1, "mean": x.mean(-1)}), (X,)),
    Case("several-one-wrong", layers(lambda m, x: (x + 1, x.mean())), (X,)),
    Case("mlp-both", layers(lambda m, x: m.head(F.dropout(F.gelu(m.first(x)), 0.1, False))), (BX,)),
    Case(
        "autoencoder",
        layers(lambda m, x: F.mse_loss(m.second(F.relu(m.first(x))), x, reduction="none").mean(-1)),
        (ROWS,),
    ),
    Case("total-norm", layers(lambda m, x: x / x.norm()), (X,)),
    Case("softmax-batch", layers(lambda m, x: m.head(x).softmax(0)), (ROWS,)),
    Case("boolean-select", layers(lambda m, x, k: torch.where(k[..., None], x, m.scale)), (X, MASK)),
    Case("mask-multiply-max", layers(lambda m, x, k: (x - (~k[..., None]) * 1e4).max(1)[0]), (X, MASK)),
    Case("median", layers(lambda m, x: x.median(dim=1)[0]), (X,)),
    Case("prod", layers(lambda m, x: x.prod(1)), (Input("x", (2, "s", WIDTH), "float", 1),)),
    Case("triu-sum", layers(lambda m, x: torch.tril(x @ x.transpose(1, 2)).sum(-1)), (X,)),
    Case("causal-linear", layers(lambda m, x: torch.tril(m.first(x) @ m.second(x).transpose(1, 2)) @ m.third(x)), (X,)),
    Case("state-space", layers(lambda m, x: torch.einsum("bsd,bse->bsde", x, x).cumsum(1).mean(-1)), (X,)),
)
