import torch


@torch.compile(backend="aot_eager", dynamic=True)
def f(x, y, n):
    if x.size(0) > 10:
        x = x + n
    return (x.reshape(-1, 2) @ y).sum()


f(torch.randn(4, 2), torch.randn(2, 3), 3)
f(torch.randn(12, 2), torch.randn(2, 3), 3)


@torch.compile(backend="eager")
def u(x):
    n = x.sum().item()
    torch._check(n > 2)
    return torch.zeros(n) + 1


torch._dynamo.config.capture_scalar_outputs = True
u(torch.tensor([1, 4]))
