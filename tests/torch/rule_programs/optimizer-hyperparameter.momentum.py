# for limit-by-optimizer-number: torch._dynamo.config.recompile_limit = 2; torch._dynamo.config.specialize_float = True
import torch


def train(compile, cycle_momentum):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([parameter], lr=torch.tensor(0.1), weight_decay=0.0, foreach=False)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=8, cycle_momentum=cycle_momentum)
    compiled = compile(lambda: optimizer.step())
    for _ in range(5):
        parameter.grad = torch.zeros(3)
        compiled()
        scheduler.step()
    return [parameter.detach()]


def run(compile):
    return train(compile, True)


# action 2, limit-by-optimizer-number 2


def run(compile):
    return train(compile, False)
