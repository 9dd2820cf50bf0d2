# for limit-by-global-state: torch._dynamo.config.recompile_limit = 1
import torch

X = torch.ones(3)


def step(x):
    return x * 2


# program tf32


def run(compile):
    call = compile(step)
    results = [call(X)]
    torch.set_float32_matmul_precision("high")
    results.append(call(X))
    torch.set_float32_matmul_precision("highest")
    return results


# action 1, limit-by-global-state 1


def run(compile):
    torch.set_float32_matmul_precision("high")
    call = compile(step)
    results = [call(X), call(X)]
    torch.set_float32_matmul_precision("highest")
    return results
# program autocast


def run(compile):
    call = compile(step)
    results = [call(X)]
    with torch.autocast("cpu"):
        return [*results, call(X)]


# action 2, limit-by-global-state 5


def run(compile):
    call = compile(step)
    with torch.autocast("cpu"):
        return [call(X), call(X)]


# program grad mode


def run(compile):
    call = compile(step)
    results = [call(X)]
    with torch.no_grad():
        return [*results, call(X)]


# action 5, limit-by-global-state 8


def run(compile):
    train_step = compile(step)
    eval_step = compile(lambda x: x * 2)
    results = [train_step(X)]
    with torch.no_grad():
        return [*results, eval_step(X)]
