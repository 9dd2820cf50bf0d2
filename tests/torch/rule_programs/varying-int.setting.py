# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


class Frames:
    def __init__(self, hop):
        self.hop = hop


def step(frames, x):
    return x.unfold(-1, frames.hop, frames.hop).sum(-1)


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(Frames(hop), torch.arange(16.0)) for hop in (4, 8, 2, 16)]


# action limit-by-value 11
torch._dynamo.config.recompile_limit = 32
