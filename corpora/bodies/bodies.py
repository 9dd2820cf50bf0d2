"""Functions whose bodies ask different things of what they are given, probed once: TORCH_TRACE=/tmp/app/trace."""

import contextlib

import torch
from torch import nn


def heads(x):
    return x.view(x.shape[0], x.shape[1], 4, -1).sum(-1)


def branch(x):
    if x.shape[0] > 16:
        return x * 2
    return x + 1


def mode(x, how, scale, unread):
    return (x.sum() if how == "sum" else x.mean()) * scale


def rows(x):
    total = x[0] * 0
    for i in range(x.shape[0]):
        total = total + x[i]
    return total


def broken(x, n):
    y = torch.cat([x, x]) * n
    torch._dynamo.graph_break()
    return y[: x.shape[0]] + 1


def parts(xs, named):
    return torch.cat(xs) + sum(value.sum() for value in named.values())


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        return x * 2


def marked(*shape):
    x = torch.ones(shape)
    for dim in range(len(shape)):
        torch._dynamo.mark_dynamic(x, dim)
    return x


def probe(function, *calls):
    compiled = torch.compile(function, backend="eager", dynamic=True)
    for call in calls:
        with contextlib.suppress(Exception):
            compiled(*call)


def main():
    torch.fx.experimental._config.use_duck_shape = False
    probe(heads, [marked(13, 149, 28)])
    probe(branch, [marked(40, 7)], [marked(5, 7)])
    probe(mode, [marked(13, 7), "sum", 1.5, 3], [marked(17, 7), "mean", 2.5, 4])
    probe(rows, [marked(13, 7)], [torch.ones(13, 7)], [torch.ones(17, 7)], [torch.ones(19, 7)])
    probe(broken, [marked(13, 149), 43])
    probe(parts, [[marked(13, 7), marked(29, 7)], {"a": marked(31, 37)}], [[marked(13, 7)], {"a": marked(31, 37)}])
    probe(Counter(), [marked(13, 7)], [marked(13, 7)])


if __name__ == "__main__":
    main()
