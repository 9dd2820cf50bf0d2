# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch

torch._dynamo.config.specialize_float = True


class SignDescent(torch.optim.Optimizer):
    def __init__(self, groups):
        super().__init__(groups, {"lr": 0.1})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.sub_(parameter.grad.sign() * group["lr"])


def make_optimizer():
    groups = [{"params": [torch.nn.Parameter(torch.ones(3))], "lr": rate} for rate in (0.5, 0.25)]
    return SignDescent(groups)


def train(compile, optimizer, change):
    step = compile(lambda: optimizer.step())
    parameters = [group["params"][0] for group in optimizer.param_groups]
    for _ in range(4):
        for parameter in parameters:
            parameter.grad = torch.ones(3)
        step()
        for group in optimizer.param_groups:
            change(group)
    return [parameter.detach() for parameter in parameters]


def halve(group):
    group["lr"] = group["lr"] * 0.5


def run(compile):
    return train(compile, make_optimizer(), halve)


# action 2, limit-by-value 5


def run(compile):
    optimizer = make_optimizer()
    for group in optimizer.param_groups:
        group["lr"] = torch.tensor(group["lr"])
    return train(compile, optimizer, lambda group: group["lr"].fill_(group["lr"] * 0.5))
