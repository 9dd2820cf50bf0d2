import torch


def run(compile):
    compiled = compile(lambda x, kind: x * kind().value)

    def call():
        class Scale:
            value = 2

        return compiled(torch.ones(3), Scale)

    return [call() for _ in range(4)]


# action 1


class Scale:
    value = 2


def run(compile):
    compiled = compile(lambda x, kind: x * kind().value)
    return [compiled(torch.ones(3), Scale) for _ in range(4)]
