import torch

options = {"backend": "aot_eager"}


def run(compile):
    x = torch.linspace(0, 1, 5).requires_grad_()
    y = compile(lambda x: (x.sin() * x.exp()).tanh())(x)
    y.sum().backward(retain_graph=True)
    y.square().sum().backward()
    return x.grad


# action 2: its code
