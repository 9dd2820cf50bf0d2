import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 2
torch._dynamo.config.specialize_float = True

# program number


def run(compile):
    call = compile(lambda x, scale: x * scale)
    return [call(X, scale) for scale in (1.5, 0.25, 3.5, 2.25)]


# action 2


def run(compile):
    call = compile(lambda x, scale: x * scale)
    return [call(X, torch.tensor(scale)) for scale in (1.5, 0.25, 3.5, 2.25)]


# program text


def run(compile):
    call = compile(lambda x, name: x.sin() if name == "sin" else x.cos() if name == "cos" else x * 2)
    return [call(X, name) for name in ("sin", "double", "cos", "sin")]


# action 4


def run(compile):
    calls = {
        "sin": compile(lambda x: x.sin()),
        "double": compile(lambda x: x * 2),
        "cos": compile(lambda x: x.cos()),
    }
    return [calls[name](X) for name in ("sin", "double", "cos", "sin")]


# action 6
torch._dynamo.config.recompile_limit = 8
