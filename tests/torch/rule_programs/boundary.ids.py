import torch

X = torch.ones(3)

# program GB0223


def step(x):
    @torch.compile(dynamic=True)
    def double(x):
        return x * 2

    return double(x) + 1


calls = [[X]]

# action 1


@torch.compile(dynamic=True, backend="eager")
def double(x):
    return x * 2


def step(x):
    return double(x) + 1


# program GB2520


@torch._dynamo.assume_constant_result
def scale(tensors):
    return len(tensors)


def step(x):
    return x * scale({"x": x})


calls = [[X]]

# action 2


@torch._dynamo.assume_constant_result
def scale(n):
    return n


def step(x):
    return x * scale(1)
