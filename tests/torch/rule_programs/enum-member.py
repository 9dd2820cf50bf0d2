import dataclasses
import enum

import torch


class Mode(enum.Enum):
    DOUBLE = 1
    ADD = 2
    SUBTRACT = 3


@dataclasses.dataclass
class Config:
    mode: Mode


def step(x, config):
    if config.mode is Mode.DOUBLE:
        return x * 2
    return x + 1 if config.mode is Mode.ADD else x - 1


calls = [[torch.ones(3), Config(mode)] for mode in Mode]

# action 1


def run(compile):
    double, add, subtract = compile(lambda x: x * 2), compile(torch.Tensor.add), compile(lambda x: x - 1)
    return [double(torch.ones(3)), add(torch.ones(3), 1), subtract(torch.ones(3))]
