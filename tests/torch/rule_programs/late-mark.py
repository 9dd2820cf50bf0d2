import torch


def run(compile):
    call = compile(lambda x: x * 2)
    x = torch.ones(3)
    results = [call(x)]
    torch._dynamo.mark_dynamic(x, 0)
    return [*results, call(x)]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    x = torch.ones(3)
    torch._dynamo.mark_dynamic(x, 0)
    return [call(x), call(x)]
