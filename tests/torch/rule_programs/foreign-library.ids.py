import torch

# program GB3383
import pydantic.dataclasses


@pydantic.dataclasses.dataclass
class Options:
    scale: int = 2


def step(x):
    return x * Options(3).scale


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    options = Options(3)
    return [compile(lambda x: x * options.scale)(torch.ones(3))]
