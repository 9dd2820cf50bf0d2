import torch


def train(compile, cycle_momentum):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([parameter], lr=torch.tensor(0.1), weight_decay=0.0, foreach=False)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=8, cycle_momentum=cycle_momentum)

    def step():
        optimizer.step()
        return optimizer.param_groups[0]["betas"][0] * torch.ones(1)

    compiled = compile(step)
    for _ in range(5):
        parameter.grad = torch.zeros(3)
        compiled()
        scheduler.step()
    return [parameter.detach()]


def run(compile):
    return train(compile, True)


# action 3


def run(compile):
    return train(compile, False)
