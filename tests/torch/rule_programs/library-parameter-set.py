# for limit-by-parameter-set: torch._dynamo.config.recompile_limit = 2
import colorsys

import torch

torch._dynamo.config.specialize_float = True
X = torch.ones(3)
VALUES = (0.5, 0.25, 0.75, 0.125)

# program float


def run(compile):
    luminance = compile(colorsys.rgb_to_yiq)
    return [luminance(X, value, 0.5) for value in VALUES]


# action 3, limit-by-parameter-set 4


def run(compile):
    luminance = compile(colorsys.rgb_to_yiq)
    return [luminance(X, torch.tensor(value), 0.5) for value in VALUES]


# action 4, limit-by-parameter-set 5


def run(compile):
    model = compile(lambda x: [colorsys.rgb_to_yiq(x, value, 0.5) for value in VALUES])
    return model(X)


# action 5, limit-by-parameter-set 6


def run(compile):
    return [compile(colorsys.rgb_to_yiq, isolate_recompiles=True)(X, value, 0.5) for value in VALUES]


# action limit-by-parameter-set 7
torch._dynamo.config.recompile_limit = 16

# program object


def make():
    return type("Weight", (), {"__rmul__": lambda self, other: other * 2})()


def run(compile):
    luminance = compile(colorsys.rgb_to_yiq)
    return [luminance(X, weight, 0.5)[0] for weight in [make() for _ in range(4)]]


# action 2, limit-by-parameter-set 3


def run(compile):
    luminance = compile(colorsys.rgb_to_yiq)
    weight = make()
    return [luminance(X, weight, 0.5)[0] for _ in range(4)]
