import torch

# program GB0092
options = {"fullgraph": True}
import re


def step(x):
    return x * 2, re.match("a", "a")


def run(compile):
    return compile(step)(torch.ones(3))[0]


# action 1


def step(x):
    return x * 2, bool(re.match("a", "a"))
