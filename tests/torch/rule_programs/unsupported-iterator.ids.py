import itertools

import torch

# no program GB0024: no small program shows it on torch 2.13
# no program GB7151: added after torch 2.13
# no program GB0094: no small program shows it on torch 2.13
# no program GB0115: torch 2.13 prints GB0152 first
# no program GB0133: torch 2.13 does not print it
# no program GB0114: torch 2.13 does not print it

X = torch.ones(3)

# program GB0003
options = {"fullgraph": True}


def make(x):
    yield x * 2
    yield x * 3


def run(compile):
    return list(compile(make)(X))


# action 1


def run(compile):
    return compile(lambda x: list(make(x)))(X)


# program GB0253


def run(compile):
    numbers = (i for i in [2])
    return compile(lambda x: x * numbers.send(None))(X)


# action 3


def run(compile):
    numbers = [2]
    return compile(lambda x: x * numbers[0])(X)


# program GB8335


def run(compile):
    seen = []

    def step(x):
        def make():
            for scale in (2, 3):
                seen.append(scale)
                yield x * scale

        return x * 2, make()

    return list(compile(step)(X)[1]), seen


# action 3


def run(compile):
    seen = []

    def step(x):
        xs = []
        for scale in (2, 3):
            seen.append(scale)
            xs.append(x * scale)
        return x * 2, xs

    return compile(step)(X)[1], seen


# program GB0134


def step(x):
    return x * len([key for key, _ in itertools.groupby([1, 1, 2], lambda i: i > 1)])


calls = [[X]]

# action 4


def step(x):
    keys = []
    for i in [1, 1, 2]:
        if not keys or keys[-1] != (i > 1):
            keys.append(i > 1)
    return x * len(keys)


# program GB0152


class Key:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value


def step(x):
    return x * len([key for key, _ in itertools.groupby([1, 1, 2], key=Key)])


calls = [[X]]

# action 4


def step(x):
    keys = []
    for i in [1, 1, 2]:
        if not keys or keys[-1] != i:
            keys.append(i)
    return x * len(keys)


