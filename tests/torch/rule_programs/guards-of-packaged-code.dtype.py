import torch

X, Y = torch.ones(3), torch.ones(3, dtype=torch.double)


def packaged(compile, arguments):
    compiled = compile(lambda x: x * 2, fullgraph=True)
    return compiled.aot_compile((arguments, {})) if hasattr(compiled, "aot_compile") else compiled


def run(compile):
    compiled = packaged(compile, (X,))
    return [compiled(X), compiled(Y).float()]


# action 2


def run(compile):
    compiled = packaged(compile, (X,))
    return [compiled(X), compiled(Y.float())]
