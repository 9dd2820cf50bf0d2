"""Models of other structure than transformers: windows, recurrences, caches, sets, loops over sizes, streams of sizes."""

from __future__ import annotations

import math

import torch
from predict_models import Inputs, Model
from torch import Tensor, nn
from torch.nn import functional

WIDTH = 8

# Streams of two sizes: what each means is up to the model.
LOADER = ((8, 30), (8, 30), (8, 30), (3, 30), (8, 30), (8, 30), (3, 30))  # a short last batch
GROWING = tuple((2, length) for length in range(5, 25, 2))
ALTERNATING = ((4, 16), (4, 32), (4, 16), (4, 32), (1, 16), (4, 32), (1, 32), (4, 16))
REQUESTS = ((1, 7), (1, 19), (3, 19), (2, 44), (1, 1), (5, 12), (2, 30), (1, 63), (4, 8), (2, 7))
MULTIPLES = ((2, 16), (2, 17), (2, 24), (3, 25), (3, 32), (1, 40), (2, 41), (2, 16))
SQUARE = ((6, 6), (9, 9), (6, 9), (9, 6), (12, 12), (5, 7), (6, 6))


class Windows(nn.Module):
    """Pads to a multiple of the window, attends inside of windows, and cuts the padding away."""

    def __init__(self, window: int = 8) -> None:
        super().__init__()
        self.window = window
        self.mix = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        missing = -length % self.window
        if missing:
            x = functional.pad(x, (0, 0, 0, missing))
        parts = x.view(batch, -1, self.window, width)
        weights = (self.mix(parts) @ parts.transpose(-1, -2)).softmax(-1)
        return (weights @ parts).reshape(batch, -1, width)[:, :length]


class Steps(nn.Module):
    """A recurrence in Python: one step for each position."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        state = x.new_zeros(x.shape[0], WIDTH)
        for position in range(x.shape[1]):
            state = self.cell(x[:, position], state)
        return state


class Cache(nn.Module):
    """Positions that are computed anew when a longer sequence comes."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", self.make(12), persistent=False)
        self.out = nn.Linear(WIDTH, WIDTH)

    @staticmethod
    def make(length: int) -> Tensor:
        """Positions up to `length`."""
        at = torch.arange(length).float()[:, None] / 10 ** torch.linspace(0, 1, WIDTH // 2)
        return torch.cat([at.sin(), at.cos()], 1)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > self.table.shape[0]:
            self.table = self.make(x.shape[1])
        return self.out(x + self.table[: x.shape[1]])


class Pyramid(nn.Module):
    """Down and up again, with a skip that has to fit."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.inner = nn.Conv2d(8, 8, 3, padding=1)
        self.skip = nn.Conv2d(3, 8, 1)

    def forward(self, image: Tensor) -> Tensor:
        low = self.inner(self.down(image).relu())
        up = functional.interpolate(low, size=image.shape[-2:], mode="bilinear")
        return (up + self.skip(image)).mean(1)


class Routed(nn.Module):
    """Experts that get the tokens routed to them."""

    def __init__(self, experts: int = 3) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, experts)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(experts))

    def forward(self, x: Tensor) -> Tensor:
        flat = x.flatten(0, 1)
        choice = self.gate(flat).argmax(-1)
        result = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            chosen = (choice == number).to(flat.dtype)[:, None]
            result = result + chosen * expert(flat)
        return result.view_as(x)


class Pointer(nn.Module):
    """The best few of a set, at most five, and their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Linear(WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        best = self.score(x).squeeze(-1).topk(min(5, x.shape[1]), dim=1).indices
        return x.gather(1, best[..., None].expand(-1, -1, WIDTH)).mean(1)


class Sound(nn.Module):
    """A spectrum over frames, then convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.window = nn.Parameter(torch.hann_window(16), requires_grad=False)
        self.conv = nn.Conv1d(9, 8, 3, padding=1)

    def forward(self, wave: Tensor) -> Tensor:
        frames = wave.unfold(1, 16, 8) * self.window
        spectrum = torch.fft.rfft(frames).abs().transpose(1, 2)
        return self.conv((spectrum + 1).log()).amax(-1)


class Normed(nn.Module):
    """A classifier in training, with statistics of batches."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(30, WIDTH), nn.BatchNorm1d(WIDTH), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(WIDTH, 4)

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(self.head(self.body(x)), target)


class Crossed(nn.Module):
    """Two sets that attend to each other; equal sizes happen."""

    def __init__(self) -> None:
        super().__init__()
        self.left = nn.Linear(WIDTH, WIDTH)
        self.right = nn.Linear(WIDTH, WIDTH)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        scores = self.left(left) @ self.right(right).transpose(-1, -2) / math.sqrt(WIDTH)
        if left.shape[1] == right.shape[1]:
            scores = scores + scores.transpose(-1, -2)
        return scores.logsumexp(-1)


class Long(nn.Module):
    """Short sequences at once, long ones in two halves."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] <= 24:
            return self.layer(x).cumsum(1)
        first, second = x.chunk(2, dim=1)
        begun = self.layer(first).cumsum(1)
        return torch.cat([begun, self.layer(second).cumsum(1) + begun[:, -1:]], 1)


class Printed(nn.Module):
    """Writes between its layers, and goes on with a cut sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        half = self.first(x)[:, : x.shape[1] // 2 + 1]
        print(".", end="")
        return self.second(half).tanh().sum(1)


class Counted(nn.Module):
    """Reads the longest length out of a tensor of lengths."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        y = self.layer(x)
        longest = int(lengths.max())
        return y[:, :longest].relu().mean(1)


class Recurrent(nn.Module):
    """A module of PyTorch that Dynamo leaves out of graphs."""

    def __init__(self) -> None:
        super().__init__()
        self.before = nn.Linear(WIDTH, WIDTH)
        self.recurrence = nn.LSTM(WIDTH, WIDTH, batch_first=True)
        self.after = nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.after(self.recurrence(self.before(x).relu())[0])


def _sequence(batch: int, length: int) -> Inputs:
    return {"x": torch.rand(batch, length, WIDTH)}


def _image(height: int, width: int) -> Inputs:
    return {"image": torch.rand(2, 3, height, width)}


def _wave(batch: int, length: int) -> Inputs:
    return {"wave": torch.rand(batch, 64 + length * 5)}


def _rows(batch: int, width: int) -> Inputs:
    return {"x": torch.rand(batch, width), "target": torch.randint(0, 4, (batch,))}


def _pair(left: int, right: int) -> Inputs:
    return {"left": torch.rand(2, left, WIDTH), "right": torch.rand(2, right, WIDTH)}


def _with_lengths(batch: int, length: int) -> Inputs:
    return {"x": torch.rand(batch, length, WIDTH), "lengths": torch.randint(1, length + 1, (batch,))}


FOREIGN = {
    "foreign/windows": Model(Windows, MULTIPLES, _sequence),
    "foreign/steps": Model(Steps, GROWING[:5], _sequence),
    "foreign/cache": Model(Cache, GROWING, _sequence),
    "foreign/pyramid": Model(Pyramid, SQUARE, _image),
    "foreign/routed": Model(Routed, REQUESTS, _sequence),
    "foreign/pointer": Model(Pointer, REQUESTS, _sequence),
    "foreign/sound": Model(Sound, ALTERNATING, _wave),
    "foreign/normed": Model(Normed, LOADER, _rows, is_trained=True),
    "foreign/crossed": Model(Crossed, SQUARE, _pair),
    "foreign/long": Model(Long, REQUESTS, _sequence),
    "foreign/printed": Model(Printed, ALTERNATING, _sequence),
    "foreign/counted": Model(Counted, MULTIPLES, _with_lengths),
    "foreign/recurrent": Model(Recurrent, REQUESTS, _sequence),
}
