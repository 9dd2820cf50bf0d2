import torch

torch._dynamo.config.recompile_limit = 1
CALLS = (torch.ones(1, 2, 3), torch.ones(2, 3))


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(x).reshape(2, 3) for x in CALLS]


# action 17


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(x if x.dim() == 3 else x.unsqueeze(0)).reshape(2, 3) for x in CALLS]


# action 18


def run(compile):
    torch._dynamo.config.recompile_limit = 4
    call = compile(lambda x: x * 2)
    return [call(x).reshape(2, 3) for x in CALLS]
