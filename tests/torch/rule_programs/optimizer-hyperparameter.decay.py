# for limit-by-optimizer-number: torch._dynamo.config.recompile_limit = 2; torch._dynamo.config.specialize_float = True
import torch


def train(compile, compiles_step):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([parameter], lr=torch.tensor(0.1), weight_decay=0.5)
    loss = compile(lambda: (parameter * parameter).sum())
    step = compile(lambda: optimizer.step()) if compiles_step else optimizer.step
    for _ in range(5):
        optimizer.zero_grad()
        loss().backward()
        step()
        optimizer.param_groups[0]["weight_decay"] *= 0.5
    return [parameter.detach()]


def run(compile):
    return train(compile, True)


# action 3, limit-by-optimizer-number 3


def run(compile):
    return train(compile, False)
