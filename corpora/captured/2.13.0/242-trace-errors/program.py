import torch


def caught(function, *inputs):
    try:
        function(*inputs)
    except Exception as error:
        print(type(error).__name__)


@torch.compile(backend="eager", fullgraph=True)
def loud(x):
    y = x + 1
    print("loud")
    return y * 2


@torch.compile(backend="eager")
def wrong(x, y):
    return x @ y


def bad_backend(graph, inputs):
    raise ValueError("no kernel for this")


@torch.compile(backend=bad_backend)
def fine(x):
    return x + 1


@torch.compile(backend="eager")
def pinned(x):
    if x.size(0) == 6:
        return x + 1
    return x * 2


caught(loud, torch.randn(3))
caught(wrong, torch.randn(3, 4), torch.randn(3, 4))
caught(fine, torch.randn(3))
x = torch.randn(6, 2)
torch._dynamo.mark_dynamic(x, 0)
caught(pinned, x)
torch._dynamo.config.suppress_errors = True


@torch.compile(backend=bad_backend)
def dropped(x):
    return x + 2


dropped(torch.randn(3))
