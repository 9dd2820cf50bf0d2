import torch
import torch._functorch.config

torch._functorch.config.donated_buffer = False
options = {"backend": "aot_eager"}


def penalty(model, x):
    slope = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0]
    return (slope.square().sum(-1) - 1).square().mean()


def run(compile):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x = torch.linspace(0, 1, 6).reshape(2, 3).requires_grad_()
    loss = penalty(compile(model), x)
    loss.backward()
    return [parameter.grad for parameter in model.parameters() if parameter.grad is not None]


# action 1


def penalty(model, x):
    slope = torch.autograd.grad(getattr(model, "_orig_mod", model)(x).sum(), x, create_graph=True)[0]
    return (slope.square().sum(-1) - 1).square().mean()
