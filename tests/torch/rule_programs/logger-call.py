import logging

import torch

log = logging.getLogger("app")


def step(x):
    h = x * 2
    log.info("sum of %d", 3)
    return h + 1


calls = [[torch.ones(3)]]

# action 3


def step(x):
    h = x * 2
    if not torch.compiler.is_compiling():
        log.info("sum of %d", 3)
    return h + 1


# action 4


torch._dynamo.config.ignore_logger_methods.add(log.info)
