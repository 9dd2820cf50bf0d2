import torch
from torch._dynamo.decorators import mark_dynamic, mark_static, mark_unbacked, maybe_mark_dynamic


def narrower(x):
    return x * 2


def renamed(x):
    return x * 3


def unnamed(x):
    return x * 4


def wider(x):
    return x * 5


def marked_late(x):
    return x * 6


def made_static(x):
    return x * 7


def call(function, *marks):
    compiled = torch.compile(function, backend="eager")
    for mark in marks:
        x = torch.ones(5, 9)
        mark(x)
        compiled(x)


call(narrower, lambda x: mark_unbacked(x, 0, min=2, max=64), lambda x: mark_unbacked(x, 0, min=2, max=32))
call(renamed, lambda x: mark_unbacked(x, 0, shape_id="a"), lambda x: mark_unbacked(x, 0, shape_id="b"))
call(unnamed, lambda x: mark_unbacked(x, 0, shape_id="b"), lambda x: mark_unbacked(x, 0))
call(wider, lambda x: mark_dynamic(x, 0), lambda x: mark_dynamic(x, [0, 1]))
call(marked_late, lambda x: None, lambda x: mark_dynamic(x, 0))
call(made_static, lambda x: maybe_mark_dynamic(x, 0), lambda x: mark_static(x, 0))
