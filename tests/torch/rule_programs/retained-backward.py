import torch

options = {"backend": "aot_eager"}


def make_model():
    return torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))


def derivative(u, t):
    return torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), create_graph=True)[0]


def residual(model, t):
    du = derivative(model(t), t)
    return derivative(du, t) + du


def run(compile):
    model = compile(make_model())
    with torch.no_grad():
        model(torch.rand(11, 1))  # another size: the next graph is dynamic, and has buffers to give away
    return residual(model, torch.rand(64, 1).requires_grad_())


# action 1


def residual(model, t):
    du = derivative(getattr(model, "_orig_mod", model)(t), t)
    return derivative(du, t) + du
