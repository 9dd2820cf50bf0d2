# for limit-by-object: torch._dynamo.config.recompile_limit = 2
import torch


def run(compile):
    compiled = compile(lambda x, scale: x * scale.value)

    def call():
        class Scale:
            value = 2

        return compiled(torch.ones(3), Scale())

    return [call() for _ in range(4)]


# action 3, limit-by-object 2


class Scale:
    value = 2


def run(compile):
    compiled = compile(lambda x, scale: x * scale.value)

    def call():
        return compiled(torch.ones(3), Scale())

    return [call() for _ in range(4)]
