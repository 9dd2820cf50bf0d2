import torch

X = torch.ones(3)
READY = False

# program fatal
torch._dynamo.config.error_on_recompile = True


def f(x, flag):
    return x * 2 if flag else x


def run(compile):
    call = compile(f)
    return [call(X, True), call(X, False)]


# action 1


def run(compile):
    on = compile(lambda x: f(x, True))
    off = compile(lambda x: f(x, False))
    return [on(X), off(X)]


# program global


def step(x):
    global READY
    if not READY:
        READY = True
    return x * 2


def run(compile):
    call = compile(step)
    return [call(X), call(X)]


# action 3


READY = True

# program flag


def run(compile):
    call = compile(lambda x, flag: x * 2 if flag else x)
    return [call(X, True), call(X, False)]


# action 4


def run(compile):
    flag = True
    call = compile(lambda x: x * 2 if flag else x)
    return [call(X), X]
