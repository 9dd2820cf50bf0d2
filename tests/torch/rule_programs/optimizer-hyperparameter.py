# for limit-by-optimizer-number: torch._dynamo.config.recompile_limit = 2; torch._dynamo.config.specialize_float = True
import torch


def run(compile):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    compiled = compile(lambda: optimizer.step())
    for i in range(4):
        parameter.grad = torch.ones(3)
        compiled()
        optimizer.param_groups[0]["lr"] *= 0.5
    return [parameter.detach()]


# action 1, limit-by-optimizer-number 1


def run(compile):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([parameter], lr=torch.tensor(0.1))
    compiled = compile(lambda: optimizer.step())
    for i in range(4):
        parameter.grad = torch.ones(3)
        compiled()
        optimizer.param_groups[0]["lr"] *= 0.5
    return [parameter.detach()]
