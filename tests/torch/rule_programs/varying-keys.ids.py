# for limit-by-keys: torch._dynamo.config.recompile_limit = 2
import torch

torch.manual_seed(0)
STATES = [{i: torch.randn(3) for i in ids} for ids in ([0, 1, 2], [1, 2, 5], [2, 5, 9], [5, 9, 11])]


def total(states):
    result = torch.zeros(3)
    for key, state in states.items():
        result = result + torch.tanh(state)
    return result


def run(compile):
    compiled = compile(total)
    return [compiled(states) for states in STATES]


# action 6, limit-by-keys 7


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
