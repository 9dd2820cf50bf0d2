import torch


@torch.library.custom_op("shelf::rows", mutates_args=())
def rows(x: torch.Tensor, scale: float) -> torch.Tensor:
    return (x * scale).sum(1)


def step(x):
    return rows(x, 2.0) + 1


calls = [[torch.ones(3, 4)]]

# action 1


@torch.library.register_fake("shelf::rows")
def _(x, scale):
    return x.new_empty(x.shape[0])
