"""Small models whose graphs break, each called with batches and lengths that vary."""

from __future__ import annotations

import torch
from predict_models import TEXTS, Inputs, Model
from torch import Tensor, nn


class Body(nn.Module):
    """Layers that the models share."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8)
        self.calls = 0


class Printing(Body):
    """Prints between two layers."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        print("layer", end=" ")
        return self.second(y).relu()


class Branching(Body):
    """A branch on data."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x).sin()
        if y.abs().mean() > 1000:
            return y
        return self.second(y) + 1


class Item(Body):
    """A number of a tensor."""

    def forward(self, x: Tensor) -> Tensor:
        scale = x.abs().max().item()
        return self.second(self.first(x) / (scale + 1))


class Explicit(Body):
    """A break that the code asks for, then a comparison of sizes."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        torch._dynamo.graph_break()
        return self.second(y) if x.shape[1] > 20 else y.sin()


class Longer(Body):
    """A tensor of other sizes after the break."""

    def forward(self, x: Tensor) -> Tensor:
        y = torch.cat([self.first(x), x], 1).flatten(0, 1)
        torch._dynamo.graph_break()
        return self.second(y).view(x.shape[0], -1, 8)


class Callee(Body):
    """A callee that breaks, compiled separately."""

    def forward(self, x: Tensor) -> Tensor:
        return self.second(self.inner(self.first(x)))

    def inner(self, x: Tensor) -> Tensor:
        y = x.relu()
        torch._dynamo.graph_break()
        return y * 2


class Twice(Body):
    """Two breaks."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        torch._dynamo.graph_break()
        y = self.second(y)
        torch._dynamo.graph_break()
        return y.softmax(1)


class Renamed(Body):
    """The input under another name after the break."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x).sum()
        z = x
        torch._dynamo.graph_break()
        return self.second(z) + y


class Replaced(Body):
    """Another tensor under the name of the input."""

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        torch._dynamo.graph_break()
        return self.second(x).relu()


class Swapped(Body):
    """The input under the name of a new tensor, which has another name."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        z = y
        y = x
        torch._dynamo.graph_break()
        return self.second(z) + y.sum(1, keepdim=True)


class Chosen(Body):
    """The input or a new tensor of its sizes, by the length."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x)
        z = x if x.shape[1] > 20 else y
        torch._dynamo.graph_break()
        return self.second(z)


def _inputs(batch: int, length: int) -> Inputs:
    return {"x": torch.rand(batch, length, 8)}


BROKEN = {
    f"broken/{kind.__name__.lower()}": Model(kind, TEXTS, _inputs)
    for kind in (Printing, Branching, Item, Explicit, Longer, Callee, Twice, Renamed, Replaced, Swapped, Chosen)
}
