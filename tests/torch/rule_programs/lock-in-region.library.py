import threading

import torch

# The function that fills a table once belongs to a package.
SOURCE = """
def table(kept):
    if not kept:
        with lock:
            kept.append(torch.arange(3.0))
    return kept[0]
"""
package = {"torch": torch, "lock": threading.Lock()}
exec(compile(SOURCE, "/srv/lib/python3.11/site-packages/tables/table.py", "exec"), package)
table = package["table"]


def step(x, kept):
    return x * table(kept) + 1


def run(compile):
    kept = []
    compiled = compile(step)
    return [compiled(torch.ones(3), kept), compiled(torch.ones(3), kept)]


# action 2


def run(compile):
    kept = []
    compiled = compile(step)
    return [step(torch.ones(3), kept), compiled(torch.ones(3), kept)]
