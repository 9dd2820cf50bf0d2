# for limit-by-constant: torch._dynamo.config.recompile_limit = 2
import torch

X = torch.ones(3)
DTYPES = [torch.float, torch.double, torch.half, torch.bfloat16]

# program dtype


def run(compile):
    call = compile(lambda x, dtype: (x * 2).to(dtype))
    return [call(X, dtype) for dtype in DTYPES]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X).to(dtype) for dtype in DTYPES]


# action 5, limit-by-constant 4


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X).to(dtype) for dtype in DTYPES]


# action 6


def run(compile):
    calls = {dtype: compile(eval("lambda x, dtype: (x * 2).to(dtype)", {})) for dtype in DTYPES}
    return [calls[dtype](X, dtype) for dtype in DTYPES]


# action limit-by-constant 5
torch._dynamo.config.recompile_limit = 16


# program complex


def run(compile):
    call = compile(lambda x, factor: torch.exp(factor * x).abs())
    return [call(X, complex(0.5, n)) for n in range(1, 5)]


# action 2, limit-by-constant 1


def run(compile):
    call = compile(lambda x, factor: torch.exp(factor * x).abs())
    return [call(X, torch.tensor(complex(0.5, n), dtype=torch.complex128)) for n in range(1, 5)]


# program set


def lowered(scores, seen):
    for token in seen:
        scores = scores.index_fill(0, torch.tensor([token]), -1.0)
    return scores


def run(compile):
    call = compile(lowered)
    return [call(torch.ones(6), frozenset(range(n))) for n in range(1, 5)]


# action 3, limit-by-constant 2


def run(compile):
    call = compile(lambda scores, mask: torch.where(mask, -1.0, scores))
    results = []
    for n in range(1, 5):
        mask = torch.zeros(6, dtype=torch.bool)
        mask[list(range(n))] = True
        results.append(call(torch.ones(6), mask))
    return results


# program names
OPTIONS = ({"a"}, {"long"}, {"a", "be"}, {"be", "long"})


def shifted(x, names):
    for name in names:
        x = x + len(name)
    return x


def run(compile):
    call = compile(shifted)
    return [call(X, frozenset(names)) for names in OPTIONS]


# action 4, limit-by-constant 3


def run(compile):
    call = compile(lambda x, shift: x + shift)
    return [call(X, torch.tensor(sum(len(name) for name in names))) for names in OPTIONS]
