import torch


class Named(torch.Tensor):
    pass


original = torch.Tensor.__repr__


def shape_and_values(self):
    return f"{tuple(self.shape)}:{original(self)}"


def backend(graph, inputs):
    """Prints a tensor with shape_and_values() in place of PyTorch's function."""
    torch.Tensor.__repr__ = shape_and_values
    try:
        repr(torch.ones(1).as_subclass(Named))
    finally:
        torch.Tensor.__repr__ = original
    return graph.forward


options = {"backend": backend}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 4


def shape_and_values(self, *args, **kwargs):
    return f"{tuple(self.shape)}:{original(self, *args, **kwargs)}"
