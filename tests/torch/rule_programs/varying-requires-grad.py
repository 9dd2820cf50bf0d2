# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2


calls = [[torch.ones(3)], [torch.ones(3, requires_grad=True)]]


def run(compile):
    compiled = compile(step)
    return [compiled(x).detach() for (x,) in calls]


# action 2, limit-by-tensor-kind 5


def run(compile):
    compiled = compile(step)
    return [compiled(x.detach()) for (x,) in calls]


# action limit-by-tensor-kind 9


def run(compile):
    eval_step, train_step = compile(step), compile(lambda x: x * 2)
    return [(train_step if x.requires_grad else eval_step)(x).detach() for (x,) in calls]


# action 1


def run(compile):
    compiled = compile(step)
    return [compiled(x.requires_grad_()).detach() for (x,) in calls]
