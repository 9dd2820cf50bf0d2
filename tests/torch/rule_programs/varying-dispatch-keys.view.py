import torch


def run(compile):
    compiled = compile(lambda x: x * 2)
    x = torch.ones(3, dtype=torch.complex64)
    return [compiled(x), compiled(x.conj())]


# action 4


def run(compile):
    compiled = compile(lambda x: x * 2)
    x = torch.ones(3, dtype=torch.complex64)
    return [compiled(x), compiled(x.conj().resolve_conj().resolve_neg())]
