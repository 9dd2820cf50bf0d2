import torch


class Point:
    def __init__(self, scale):
        self.scale = scale

    def __eq__(self, other):
        return self.scale == other.scale

    def __hash__(self):
        return hash(self.scale)


point = Point(2)


@torch._dynamo.nonstrict_trace
def scaled(x, point):
    return x * point.scale


def step(x):
    return scaled(x, point) + 1


calls = [[torch.ones(3)]]

# action 9


torch.utils._pytree.register_constant(Point)
