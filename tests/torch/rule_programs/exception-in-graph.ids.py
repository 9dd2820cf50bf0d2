import torch

# no program GB0095: torch 2.13 does not print it
# no program GB1273: added after torch 2.13

X = torch.ones(3)

# program GB0135


def step(x):
    try:
        raise ValueError("no")
    except ValueError as error:
        error.scale = 2
        return x * error.scale


calls = [[X]]

# action 2


def step(x):
    try:
        raise ValueError("no")
    except ValueError:
        scale = 2
        return x * scale


# program GB9625


def step(x):
    try:
        raise ValueError("no")
    except ValueError as error:
        return x * (2 if error.__traceback__.tb_lasti else 3)


calls = [[X]]

# action 2


def step(x):
    try:
        raise ValueError("no")
    except ValueError:
        return x * 2
