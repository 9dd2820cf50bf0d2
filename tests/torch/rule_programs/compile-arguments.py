# program mode

import torch

options = {"mode": "reduce-overheads"}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 1

options = {"mode": "reduce-overhead"}

# program mode and options

import torch

options = {"mode": "max-autotune", "options": {"epilogue_fusion": True}}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 2

options = {"options": torch._inductor.list_mode_options("max-autotune")}

# program option

import torch

options = {"options": {"epilogue_fusions": True}}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 3

options = {"options": {"epilogue_fusion": True}}

# program setting

import torch


def step(x):
    return x * 2


def call(x):
    torch._dynamo.config.recompile_limits = 16
    return step(x)


calls = [[torch.ones(3)]]
