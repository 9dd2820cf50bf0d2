"""A third set of models: other people's encoders, pools, losses and caches, written before a verdict of them was seen.

Sizes: "s" varies, and "b" varies beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from padding_models import CLASSES, IGNORED, VOCABULARY, WIDTH, Body, Case, Input
from torch import Tensor, nn

LONGEST = 64
EXPERTS = 4


class Parts(Body):
    """Body with the layers that these models need."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Makes the layers."""
        super().__init__(function)
        self.expand = nn.Conv1d(WIDTH, 2 * WIDTH, 1)
        self.depthwise = nn.Conv1d(WIDTH, WIDTH, 5, padding=2, groups=WIDTH)
        self.dilated = nn.Conv1d(WIDTH, WIDTH, 3, dilation=2)
        self.kernels = nn.ModuleList([nn.Conv1d(WIDTH, WIDTH, size) for size in (2, 3)])
        self.down = nn.Conv2d(WIDTH, WIDTH, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(WIDTH, WIDTH, 2, stride=2)
        self.patches = nn.Conv2d(WIDTH, WIDTH, 2, stride=2)
        self.gate = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.router = nn.Linear(WIDTH, EXPERTS)
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(WIDTH, 4, 32, dropout=0.0, batch_first=True, norm_first=True),
            2,
            enable_nested_tensor=False,
        )
        self.cls = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.latents = nn.Parameter(torch.randn(3, WIDTH))
        self.codes = nn.Parameter(torch.randn(12, WIDTH))
        self.transitions = nn.Parameter(torch.randn(CLASSES, CLASSES))
        self.positions = nn.Embedding(LONGEST + 2, WIDTH, padding_idx=1)
        self.wide = nn.Linear(3 * WIDTH, WIDTH)
        angles = torch.outer(torch.arange(LONGEST).float(), 1.0 / 100 ** (torch.arange(0, WIDTH, 2) / WIDTH))
        self.register_buffer("cosines", torch.cat([angles, angles], -1).cos())
        self.register_buffer("sines", torch.cat([angles, angles], -1).sin())


def parts(function: Callable[..., object]) -> Callable[[], nn.Module]:
    """A maker of models whose forward is `function`."""
    return lambda: Parts(function)


def conformer(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """The convolution module of a Conformer."""
    h = m.norm(x).transpose(1, 2)
    h = h.masked_fill(~mask.unsqueeze(1), 0.0)
    h = F.glu(m.expand(h), dim=1)
    h = h.masked_fill(~mask.unsqueeze(1), 0.0)
    return x + F.silu(m.depthwise(h)).transpose(1, 2)


def text_cnn(m: Parts, ids: Tensor, lengths: Tensor) -> Tensor:
    """Convolutions of several widths and a maximum over the windows that end within each text."""
    x = m.embed(ids).permute(0, 2, 1)
    pooled = []
    for kernel in m.kernels:
        h = torch.relu(kernel(x))
        last = lengths[:, None, None] - kernel.kernel_size[0]
        outside = torch.arange(h.shape[-1])[None, None, :] > last
        pooled.append(h.masked_fill(outside, 0.0).amax(dim=-1))
    return m.head(torch.cat(pooled, dim=1)[:, :WIDTH])


def statistics_pool(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """Weighted mean and deviation, as for speakers."""
    scores = m.head(torch.tanh(m.first(x)))[..., :1]
    scores = scores.masked_fill(mask.unsqueeze(-1) == 0, float("-inf"))
    alpha = torch.softmax(scores, dim=1)
    mean = torch.sum(alpha * x, dim=1)
    variance = torch.sum(alpha * x**2, dim=1) - mean**2
    return torch.cat([mean, torch.sqrt(variance.clamp(min=1e-9))], dim=1)


def sentence_mean(m: Parts, ids: Tensor, mask: Tensor) -> Tensor:
    """Mean pooling as sentence encoders have it."""
    tokens = m.first(m.embed(ids))
    expanded = mask.unsqueeze(-1).expand(tokens.size()).float()
    mean = torch.sum(tokens * expanded, 1) / torch.clamp(expanded.sum(1), min=1e-9)
    return F.normalize(mean, p=2, dim=1)


def roberta_positions(m: Parts, ids: Tensor, mask: Tensor) -> Tensor:
    """Position numbers that count kept positions only."""
    kept = mask.int()
    numbers = (torch.cumsum(kept, dim=1).type_as(kept) * kept).long() + 1
    return m.norm(m.embed(ids) + m.positions(numbers))


def rotated(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Rotary embedding from tables."""
    left, right = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-right, left), dim=-1) * sines


def rotary_attention(m: Parts, x: Tensor) -> Tensor:
    """One head, tables cut at the length, causal by hand."""
    length = x.size(1)
    cosines, sines = m.cosines[:length].unsqueeze(0), m.sines[:length].unsqueeze(0)
    q, k = rotated(m.first(x), cosines, sines), rotated(m.second(x), cosines, sines)
    scores = torch.einsum("bid,bjd->bij", q, k) / WIDTH**0.5
    future = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
    return torch.einsum("bij,bjd->bid", (scores + future).softmax(-1), m.third(x))


def sliding_window(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """A window of three and a mask of keys, one boolean mask."""
    length = x.shape[1]
    rows, columns = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    seen = (columns <= rows) & (rows - columns < 3)
    seen = seen[None] & mask[:, None, :]
    bias = torch.zeros(seen.shape).masked_fill(seen.logical_not(), torch.finfo(torch.float32).min)
    return F.scaled_dot_product_attention(m.first(x), m.second(x), m.third(x), attn_mask=bias)


def cache_lengths(m: Parts, x: Tensor, keys: Tensor, values: Tensor, lengths: Tensor) -> Tensor:
    """A new position against a cache whose rows are filled to different lengths."""
    q = m.first(x).unsqueeze(1)
    scores = torch.bmm(q, keys.transpose(1, 2)).squeeze(1) / math.sqrt(WIDTH)
    free = torch.arange(keys.size(1)).expand(scores.shape) >= lengths.unsqueeze(1)
    weights = scores.masked_fill(free, -1e30).softmax(dim=-1)
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1)


def wavenet(m: Parts, x: Tensor) -> Tensor:
    """A gated causal convolution with a residual."""
    h = m.dilated(F.pad(x, (4, 0)))
    return x + torch.tanh(h) * torch.sigmoid(h)


def routed(m: Parts, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Two of four experts, and the balance of kept tokens."""
    chances = torch.softmax(m.gate(x), dim=-1)
    best, index = torch.topk(chances, 2, dim=-1)
    best = best / best.sum(dim=-1, keepdim=True)
    output = torch.zeros_like(x)
    for expert, layer in enumerate((m.first, m.second, m.third)):
        weight = torch.where(index == expert, best, 0.0).sum(-1, keepdim=True)
        output = output + weight * layer(x)
    kept = mask.unsqueeze(-1).float()
    load = (F.one_hot(index[..., 0], EXPERTS) * kept).sum((0, 1)) / kept.sum()
    return output, EXPERTS * torch.sum(load * (chances * kept).sum((0, 1)) / kept.sum())


def capacity(m: Parts, x: Tensor) -> Tensor:
    """First come, first served: a token's place in its expert's queue."""
    choice = F.one_hot(m.router(x).argmax(dim=-1), EXPERTS)
    place = (torch.cumsum(choice, dim=0) * choice).sum(-1) - 1
    return x * (place < 3).unsqueeze(-1).to(x.dtype)


def collapsed(m: Parts, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Best path of a CTC head: repeats and blanks marked, and how many are left."""
    best = m.head(x).log_softmax(-1).argmax(-1)
    before = F.pad(best[:, :-1], (1, 0), value=-1)
    keep = (best != before) & (best != 0) & mask
    return torch.where(keep, best, torch.full_like(best, -1)), keep.long().sum(dim=1)


def path_score(m: Parts, x: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
    """Score of a path in a linear-chain CRF."""
    kept = mask.float()
    emissions = m.head(x).gather(2, tags.unsqueeze(2)).squeeze(2)
    moves = m.transitions[tags[:, :-1], tags[:, 1:]]
    return (emissions * kept).sum(1) + (moves * kept[:, 1:]).sum(1)


def linear_attention(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """Attention without softmax."""
    q, k = F.elu(m.first(x)) + 1, F.elu(m.second(x)) + 1
    k = k * mask[:, :, None]
    state = torch.einsum("bnd,bne->bde", k, m.third(x))
    scale = 1 / (torch.einsum("bnd,bd->bn", q, k.sum(dim=1)) + 1e-6)
    return torch.einsum("bnd,bde,bn->bne", q, state, scale)


def retention(m: Parts, x: Tensor) -> Tensor:
    """Scores that decay with distance, causal."""
    index = torch.arange(x.shape[1])
    distance = index[:, None] - index[None, :]
    decay = torch.where(distance >= 0, 0.9 ** distance.clamp(min=0).float(), 0.0)
    return (m.first(x) @ m.second(x).transpose(-1, -2) * decay) @ m.third(x)


def reconstruction(m: Parts, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
    """Loss at masked patches."""
    loss = ((m.second(F.gelu(m.first(x))) - y) ** 2).mean(dim=-1)
    return (loss * mask).sum() / mask.sum()


def focal(m: Parts, x: Tensor, labels: Tensor) -> Tensor:
    """Focal loss over what is not ignored."""
    losses = F.cross_entropy(m.head(x).view(-1, CLASSES), labels.view(-1), ignore_index=IGNORED, reduction="none")
    hit = torch.exp(-losses)
    return ((1 - hit) ** 2 * losses).sum() / (labels != IGNORED).sum()


def dice(m: Parts, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
    """Soft Dice of kept positions."""
    guess = torch.sigmoid(m.head(x)[..., 0]) * mask
    truth = y * mask
    return 1 - (2 * (guess * truth).sum() + 1) / (guess.sum() + truth.sum() + 1)


def policy(m: Parts, ids: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities of the tokens that were drawn, summed for each answer."""
    logits = m.norm(m.embed(ids)) @ m.embed.weight.T
    chances = logits[:, :-1].log_softmax(-1)
    taken = torch.gather(chances, dim=2, index=ids[:, 1:].unsqueeze(2)).squeeze(2)
    return (taken * mask[:, 1:]).sum(-1)


def distilled(m: Parts, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
    """A student beside a teacher."""
    student, teacher = F.log_softmax(m.head(x) / 2, -1), F.softmax(m.head(y) / 2, -1)
    apart = F.kl_div(student, teacher, reduction="none").sum(-1)
    return (apart * mask).sum() / mask.sum() * 4


def returns(m: Parts, rewards: Tensor) -> Tensor:
    """What is still to come."""
    return torch.flip(torch.cumsum(torch.flip(rewards, [1]), 1), [1])


def quantized(m: Parts, x: Tensor) -> tuple[Tensor, Tensor]:
    """Nearest code of a book, straight through."""
    rows = x.reshape(-1, WIDTH)
    far = rows.pow(2).sum(1, keepdim=True) - 2 * rows @ m.codes.t() + m.codes.pow(2).sum(1)
    index = far.argmin(1)
    codes = F.embedding(index, m.codes).view(x.shape)
    return x + (codes - x).detach(), index.view(x.shape[:-1])


def perceiver(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """Latents that look at a sequence."""
    q = m.first(m.latents).expand(x.size(0), -1, -1)
    scores = q @ m.second(x).mT / math.sqrt(WIDTH)
    scores = torch.where(mask[:, None, :], scores, torch.finfo(scores.dtype).min)
    return m.norm(F.softmax(scores, dim=-1) @ m.third(x) + m.latents)


def graph_attention(m: Parts, x: Tensor, edges: Tensor) -> Tensor:
    """Dense graph attention."""
    h = m.first(x)
    scores = F.leaky_relu((h @ m.scale).unsqueeze(1) + (h @ m.norm.weight).unsqueeze(0), 0.2)
    scores = torch.where(edges, scores, torch.full_like(scores, -9e15))
    return F.elu(torch.matmul(F.softmax(scores, dim=1), h))


def graph_convolution(m: Parts, x: Tensor, edges: Tensor) -> Tensor:
    """Neighbours, normalized on both sides."""
    near = edges.float() + torch.eye(x.shape[0])
    scale = near.sum(1).pow(-0.5)
    return torch.relu((scale[:, None] * near * scale[None, :]) @ m.first(x))


def interactions(m: Parts, x: Tensor, ids: Tensor) -> Tensor:
    """Products of features in pairs, as recommenders have them."""
    rows = torch.cat([m.first(x).unsqueeze(1), m.embed(ids)], dim=1)
    products = torch.bmm(rows, rows.transpose(1, 2))
    i, j = torch.triu_indices(6, 6, offset=1)
    return torch.cat([x, products[:, i, j]], dim=1)


def unet(m: Parts, x: Tensor) -> Tensor:
    """Down, up, and across."""
    low = F.relu(m.down(x))
    return torch.cat([x, m.up(low)], dim=1)


def vision(m: Parts, x: Tensor) -> Tensor:
    """Patches, a token in front, an encoder."""
    rows = m.patches(x).flatten(2).transpose(1, 2)
    rows = torch.cat([m.cls.expand(rows.shape[0], -1, -1), rows], dim=1)
    return m.head(m.encoder(rows)[:, 0])


def nucleus(m: Parts, x: Tensor) -> Tensor:
    """Logits outside the most likely nine tenths removed."""
    logits = m.head(x)
    ordered, places = torch.sort(logits, descending=True)
    total = torch.cumsum(F.softmax(ordered, dim=-1), dim=-1)
    remove = total > 0.9
    remove[..., 1:] = remove[..., :-1].clone()
    remove[..., 0] = False
    return logits.masked_fill(remove.scatter(1, places, remove), -float("inf"))


def timestep(m: Parts, x: Tensor, t: Tensor) -> Tensor:
    """A diffusion step's embedding, added."""
    rates = torch.exp(-math.log(1000) * torch.arange(WIDTH // 2) / (WIDTH // 2))
    angles = t[:, None].float() * rates[None]
    return m.second(F.silu(m.first(x) + torch.cat([angles.cos(), angles.sin()], dim=-1)))


def whitened(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """Advantages with mean 0 and variance 1 where a mask keeps them."""
    count = mask.sum()
    mean = (x * mask).sum() / count
    variance = ((x - mean) ** 2 * mask).sum() / count
    return (x - mean) * torch.rsqrt(variance + 1e-8)


def hand_softmax(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """A softmax in steps, masked by a product."""
    scores = m.first(x).sum(-1)
    scores = scores - torch.where(mask, scores, -1e30).max(dim=1, keepdim=True).values
    weights = scores.clamp(max=0).exp() * mask
    return ((weights / weights.sum(1, keepdim=True)).unsqueeze(2) * x).sum(1)


def triangle(m: Parts, x: Tensor, mask: Tensor) -> Tensor:
    """A triangle update of pairs."""
    pairs = m.first(x)[:, :, None] * m.second(x)[:, None, :]
    pairs = pairs * (mask[:, :, None] & mask[:, None, :]).unsqueeze(-1)
    return m.norm(torch.einsum("bikd,bjkd->bijd", pairs.sigmoid() * pairs, pairs))


X = Input("x", (2, "s", WIDTH))
Y = Input("y", (2, "s", WIDTH))
ROWS = Input("x", ("s", WIDTH))
IDS = Input("ids", (2, "s"), "ids")
MASK = Input("mask", (2, "s"), "mask", 0)
LABELS = Input("labels", (2, "s"), "labels", IGNORED)
LENGTHS = Input("lengths", (2,), "lengths")
NUMBERS = Input("x", (2, "s"))
CHANNELS = Input("x", (2, WIDTH, "s"))
IMAGES = Input("x", ("s", WIDTH, 6, 6))
EDGES = Input("edges", ("s", "s"), "mask", 0)

UNSEEN: tuple[Case, ...] = (
    Case("conformer", parts(conformer), (X, MASK)),
    Case("text-cnn", parts(text_cnn), (IDS, LENGTHS)),
    Case("statistics-pool", parts(statistics_pool), (X, MASK)),
    Case("sentence-mean", parts(sentence_mean), (IDS, MASK)),
    Case("roberta-positions", parts(roberta_positions), (IDS, MASK)),
    Case("rotary-tables", parts(rotary_attention), (X,)),
    Case("sliding-window", parts(sliding_window), (X, MASK)),
    Case(
        "cache-lengths",
        parts(cache_lengths),
        (Input("x", (2, WIDTH)), Input("keys", (2, "s", WIDTH)), Input("values", (2, "s", WIDTH)), LENGTHS),
    ),
    Case("wavenet", parts(wavenet), (CHANNELS,)),
    Case("routed", parts(routed), (X, MASK)),
    Case("capacity", parts(capacity), (ROWS,)),
    Case("ctc-collapsed", parts(collapsed), (X, MASK)),
    Case("crf-path", parts(path_score), (X, Input("tags", (2, "s"), "labels", 0), MASK)),
    Case("kernel-attention", parts(linear_attention), (X, MASK)),
    Case("retention", parts(retention), (X,)),
    Case("reconstruction", parts(reconstruction), (X, Y, MASK)),
    Case("focal", parts(focal), (X, LABELS)),
    Case("dice", parts(dice), (X, Input("y", (2, "s"), "positive"), MASK)),
    Case("policy", parts(policy), (IDS, MASK)),
    Case("distilled", parts(distilled), (X, Y, MASK)),
    Case("returns", parts(returns), (Input("x", (2, "s"), "float", 0),)),
    Case("quantized", parts(quantized), (X,)),
    Case("perceiver", parts(perceiver), (X, MASK)),
    Case("graph-attention", parts(graph_attention), (ROWS, EDGES)),
    Case("graph-convolution", parts(graph_convolution), (ROWS, EDGES)),
    Case("interactions", parts(interactions), (ROWS, Input("ids", ("s", 5), "ids"))),
    Case("unet-batch", parts(unet), (IMAGES,)),
    Case("vision-batch", parts(vision), (IMAGES,)),
    Case("nucleus-batch", parts(nucleus), (ROWS,)),
    Case("timestep-batch", parts(timestep), (ROWS, Input("t", ("s",), "ids"))),
    Case("whitened", parts(whitened), (NUMBERS, MASK)),
    Case("hand-softmax", parts(hand_softmax), (X, MASK)),
    Case("triangle", parts(triangle), (X, MASK)),
    Case("lstm-batch", parts(lambda m, x: m.head(m.lstm(x)[0][:, -1])), (Input("x", ("s", 5, WIDTH)),)),
    # harmful whatever the inputs are extended with
    Case("pooled-max-mean", parts(lambda m, x: m.head(torch.cat([x.amax(1), x.mean(1)], 1)[:, :WIDTH])), (X,)),
    Case("last-logits", parts(lambda m, ids: m.head(m.norm(m.embed(ids)))[:, -1].argmax(-1)), (IDS,)),
    Case("vocabulary-cut", parts(lambda m, ids: m.embed(ids.remainder(ids.shape[1]) % VOCABULARY)), (IDS,)),
    Case("normalized-length", parts(lambda m, x: x * torch.linspace(0, 1, x.shape[1])[None, :, None]), (X,)),
)
