import contextlib

import torch

X = torch.ones(3)

# program GB0045
torch._dynamo.config.fake_tensor_disable_inference_mode = True


def step(x):
    return x * (2 if x.is_inference() else 3)


calls = [[X]]

# action 1


def run(compile):
    is_inference = X.is_inference()
    return [compile(lambda x: x * (2 if is_inference else 3))(X)]


# program GB0046
torch._dynamo.config.fake_tensor_disable_inference_mode = True


def step(x):
    return x * (2 if torch.is_inference_mode_enabled() else 3)


calls = [[X]]

# action 1


def run(compile):
    is_inference = torch.is_inference_mode_enabled()
    return [compile(lambda x: x * (2 if is_inference else 3))(X)]


# program GB0221


@contextlib.contextmanager
def scaled():
    return iter([2])


def step(x):
    with scaled() as scale:
        return x * scale


calls = [[X]]

# action 2


@contextlib.contextmanager
def scaled():
    yield 2


# program GB0263
torch._dynamo.config.enable_trace_contextlib = False


@contextlib.contextmanager
def scaled():
    yield 2


def step(x):
    with scaled() as scale:
        return x * scale


calls = [[X]]

# action 4
torch._dynamo.config.enable_trace_contextlib = True
