import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 1

# program threads


def run(compile):
    call = compile(lambda x: x * 2)
    torch.set_num_threads(1)
    results = [call(X)]
    torch.set_num_threads(2)
    return [*results, call(X)]


# action 2


def run(compile):
    call = compile(lambda x: x * 2)
    torch.set_num_threads(2)
    return [call(X), call(X)]


# program dtype


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    torch.set_default_dtype(torch.double)
    results.append(call(X))
    torch.set_default_dtype(torch.float)
    return results


# action 4


def run(compile):
    call = compile(lambda x: x * 2)
    torch.set_default_dtype(torch.double)
    results = [call(X), call(X)]
    torch.set_default_dtype(torch.float)
    return results


# program tf32


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    torch.set_float32_matmul_precision("high")
    results.append(call(X))
    torch.set_float32_matmul_precision("highest")
    return results


# action 1


def run(compile):
    torch.set_float32_matmul_precision("high")
    call = compile(lambda x: x * 2)
    results = [call(X), call(X)]
    torch.set_float32_matmul_precision("highest")
    return results


# program deterministic


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    torch.use_deterministic_algorithms(True)
    results.append(call(X))
    torch.use_deterministic_algorithms(False)
    return results


# action 3


def run(compile):
    torch.use_deterministic_algorithms(True)
    call = compile(lambda x: x * 2)
    results = [call(X), call(X)]
    torch.use_deterministic_algorithms(False)
    return results


# program autocast


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    with torch.autocast("cpu"):
        return [*results, call(X)]


# action 5


def run(compile):
    call = compile(lambda x: x * 2)
    with torch.autocast("cpu"):
        return [call(X), call(X)]


# program grad mode


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    with torch.no_grad():
        return [*results, call(X)]


# action 9


def run(compile):
    train_step, eval_step = compile(lambda x: x * 2), compile(lambda x: x * 2)
    results = [train_step(X)]
    with torch.no_grad():
        return [*results, eval_step(X)]
