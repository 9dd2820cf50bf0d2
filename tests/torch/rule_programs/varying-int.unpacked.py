# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, counts):
    (rounds,) = counts
    for _ in range(rounds):
        x = x.sin()
    return x


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), [rounds]) for rounds in (4, 2, 7, 3, 6, 5)]


# action 4, limit-by-value 7


def run(compile):
    compiled = compile(torch.sin)

    def step(x, rounds):
        for _ in range(rounds):
            x = compiled(x)
        return x

    return [step(torch.ones(3), rounds) for rounds in (4, 2, 7, 3, 6, 5)]
