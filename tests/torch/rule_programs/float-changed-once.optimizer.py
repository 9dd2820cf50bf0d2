import torch


def train(compile, rate):
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.SGD([parameter], lr=rate)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    penalty = compile(lambda: (parameter * optimizer.param_groups[0]["lr"]).sum())
    results = []
    for _ in range(2):
        results.append(penalty().detach())
        optimizer.step()
        scheduler.step()
    return results


def run(compile):
    return train(compile, 0.5)


# action 4


def run(compile):
    return train(compile, torch.tensor(0.5))
