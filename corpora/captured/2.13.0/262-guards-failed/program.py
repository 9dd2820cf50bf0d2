"""A function whose sizes are static by order: one graph a size."""
import torch


def step(x):
    return torch.relu(x) + 1


if __name__ == "__main__":
    compiled = torch.compile(step, backend="eager", dynamic=False)
    for size in (4, 5, 6, 4, 7):
        compiled(torch.ones(size, 3))
