import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 2

# program dtype


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X.to(dtype)).float() for dtype in (torch.float, torch.double, torch.half)]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X.to(dtype).float()) for dtype in (torch.float, torch.double, torch.half)]


# action 6
torch._dynamo.config.recompile_limit = 8

# program requires grad
torch._dynamo.config.recompile_limit = 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X), call(X.clone().requires_grad_()).detach()]


# action 3


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X.clone().requires_grad_()).detach() for _ in range(2)]


# action 4


def run(compile):
    train_step, eval_step = compile(lambda x: x * 2), compile(lambda x: x * 2)
    return [eval_step(X), train_step(X.clone().requires_grad_()).detach()]
