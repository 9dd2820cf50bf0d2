import torch


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def step(x):
    with Quiet():
        assert x.shape[0] == 4, "expected four rows"
        return x + 1


calls = [[torch.ones(3)]]

# action 1
calls = [[torch.ones(4)]]
