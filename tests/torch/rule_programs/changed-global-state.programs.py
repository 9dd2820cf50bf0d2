# for limit-by-global-state: torch._dynamo.config.recompile_limit = 1
import torch

X = torch.ones(3)


def step(x):
    return x * 2


# program threads


def run(compile):
    call = compile(step)
    torch.set_num_threads(1)
    results = [call(X)]
    torch.set_num_threads(2)
    return [*results, call(X)]


# action 2, limit-by-global-state 2


def run(compile):
    call = compile(step)
    torch.set_num_threads(2)
    return [call(X), call(X)]


# program dtype


def run(compile):
    call = compile(step)
    results = [call(X)]
    torch.set_default_dtype(torch.double)
    results.append(call(X))
    torch.set_default_dtype(torch.float)
    return results


# action 3, limit-by-global-state 4


def run(compile):
    call = compile(step)
    torch.set_default_dtype(torch.double)
    results = [call(X), call(X)]
    torch.set_default_dtype(torch.float)
    return results


# program hooks
HOOKS = [torch.fx.symbolic_trace(lambda x: x * 1) for _ in range(2)]


def run(compile):
    call = compile(step)
    results = [call(X)]
    with torch.autograd.graph.saved_tensors_hooks(*HOOKS):
        return [*results, call(X)]


# action 7, limit-by-global-state 7


def run(compile):
    call = compile(step)
    with torch.autograd.graph.saved_tensors_hooks(*HOOKS):
        return [call(X), call(X)]


# program torch function


def run(compile):
    call = compile(step)
    results = [call(X)]
    with torch._C.DisableTorchFunctionSubclass():
        return [*results, call(X)]


# action limit-by-global-state 10


def run(compile):
    call = compile(step)
    with torch._C.DisableTorchFunctionSubclass():
        return [call(X), call(X)]
