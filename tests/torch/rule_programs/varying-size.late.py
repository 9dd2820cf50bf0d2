import torch


def step(x, mask=None):
    return x * 2 if mask is None else x * mask[:, None]


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3), torch.ones(n) if n > 7 else None) for n in (6, 9, 12, 7, 15)]


# action 4


def run(compile):
    compiled = compile(step)
    results = []
    for n in (6, 9, 12, 7, 15):
        x = torch.ones(n, 3)
        mask = torch.ones(n) if n > 7 else None
        torch._dynamo.maybe_mark_dynamic(x, 0)
        if isinstance(mask, torch.Tensor):
            torch._dynamo.maybe_mark_dynamic(mask, list(range(mask.dim())))
        results.append(compiled(x, mask))
    return results
