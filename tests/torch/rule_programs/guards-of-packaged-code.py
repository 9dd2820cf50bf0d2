import torch

X, Y = torch.ones(3), torch.ones(4)


def packaged(compile, arguments):
    compiled = compile(lambda x: x * 2, fullgraph=True)
    return compiled.aot_compile((arguments, {})) if hasattr(compiled, "aot_compile") else compiled


def run(compile):
    compiled = packaged(compile, (X,))
    return [compiled(X), compiled(Y)]


# action 1


def run(compile):
    x = X.clone()
    torch._dynamo.mark_dynamic(x, 0)
    compiled = packaged(compile, (x,))
    return [compiled(X), compiled(Y)]
