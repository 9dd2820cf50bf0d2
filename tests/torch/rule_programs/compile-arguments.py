# program mode

import torch

options = {"backend": "inductor", "mode": "reduce-overheads"}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 1

options = {"backend": "inductor", "mode": "reduce-overhead"}

# program mode and options

import torch

options = {"backend": "inductor", "mode": "max-autotune", "options": {"epilogue_fusion": True}}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 2

options = {"backend": "inductor", "options": torch._inductor.list_mode_options("max-autotune")}

# program option

import torch

options = {"backend": "inductor", "options": {"epilogue_fusions": True}}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 3

options = {"backend": "inductor", "options": {"epilogue_fusion": True}}

# program setting

import torch


def step(x):
    return x * 2


def run(compile):
    torch._dynamo.config.recompile_limits = 16
    return [compile(step)(torch.ones(3))]


# action 4


def run(compile):
    if hasattr(torch._dynamo.config, "recompile_limit"):
        torch._dynamo.config.recompile_limit = 16
    return [compile(step)(torch.ones(3))]
