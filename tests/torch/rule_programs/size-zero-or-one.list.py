# for limit-by-size-relation: torch._dynamo.config.recompile_limit = 6
import torch

SIZES = ((4, 5), (6, 3), (1, 7), (0, 2), (3, 1), (5, 0), (1, 1))


def loss(boxes):
    if boxes.shape[0] == 0:
        return boxes.new_zeros(())
    return (boxes * 2).sum()


def step(images):
    return torch.stack([loss(boxes) for boxes in images]).mean()


def run(compile):
    compiled = compile(step)
    return [compiled([torch.ones(n, 4) for n in sizes]) for sizes in SIZES]


# action 2, limit-by-size-relation 1: fewer compiles


def run(compile):
    compiled = compile(loss)
    return [torch.stack([compiled(torch.ones(n, 4)) for n in sizes]).mean() for sizes in SIZES]
