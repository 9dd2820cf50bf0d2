import torch

options = {"backend": "aot_eager"}


def make_model():
    return torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))


def run(compile):
    model = compile(make_model())
    with torch.no_grad():
        model(torch.rand(11, 1))  # another size: the next graph is dynamic, and has buffers to give away
    x = torch.rand(64, 1).requires_grad_()
    y = model(x)
    y.sum().backward(retain_graph=True)
    y.square().sum().backward()
    return x.grad


# action 2: its code
