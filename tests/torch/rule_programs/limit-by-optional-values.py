import types

import torch

torch._dynamo.config.recompile_limit = 2
X = torch.arange(4.0)
STYLES = [
    types.SimpleNamespace(gain=gain, offset=offset, limit=limit)
    for gain in (None, 2.0)
    for offset in (None, 0.5)
    for limit in (None, 1.0)
]


def step(x, style):
    x = x * 3
    if style.gain is not None:
        x = x * style.gain
    if style.offset is not None:
        x = x + style.offset
    if style.limit is not None:
        x = x.clamp(max=style.limit)
    return x


def run(compile):
    compiled = compile(step)
    return [compiled(X, style) for style in STYLES]


# action 1


def step(x, gain, offset, limit):
    return torch.minimum(x * 3 * gain + offset, limit)


def run(compile):
    compiled = compile(step)
    results = []
    for style in STYLES:
        gain = torch.tensor(1.0 if style.gain is None else style.gain)
        offset = torch.tensor(0.0 if style.offset is None else style.offset)
        limit = torch.tensor(torch.inf if style.limit is None else style.limit)
        results.append(compiled(X, gain, offset, limit))
    return results
