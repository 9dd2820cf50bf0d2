# for limit-by-length: torch._dynamo.config.recompile_limit = 2
import torch

torch.manual_seed(0)
STATES = [{i: torch.randn(3) for i in ids} for ids in ([0, 1], [1, 5], [2, 5, 9], [2, 5, 9, 11])]


def total(states):
    result = torch.zeros(3)
    for i, state in states.items():
        result = result + torch.tanh(state)
    return result


def run(compile):
    compiled = compile(total)
    return [compiled(states) for states in STATES]


# action 10, limit-by-length 10


def stacked_total(x):
    return torch.tanh(x).sum(0)


def run(compile):
    compiled = compile(stacked_total)
    results = []
    for states in STATES:
        ids = list(states)
        x = torch.stack([states[i] for i in ids])
        torch._dynamo.maybe_mark_dynamic(x, 0)
        results.append(compiled(x))
    return results
