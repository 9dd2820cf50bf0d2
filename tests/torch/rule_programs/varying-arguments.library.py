# for limit-by-arguments: torch._dynamo.config.recompile_limit = 2
import torch

# The wrapper belongs to a package.
SOURCE = """
def announced(forward):
    def wrapper(*args):
        name = args[0].__class__.__name__
        return forward(*args) * (2 if name else 1)

    return wrapper
"""
package = {}
exec(compile(SOURCE, "/srv/lib/python3.11/site-packages/announce/wrap.py", "exec"), package)
announced = package["announced"]
interrupt = torch._dynamo.graph_break


class Embed(torch.nn.Module):
    @announced
    def forward(self, x):
        interrupt()
        return x + 1


class Shift(torch.nn.Module):
    @announced
    def forward(self, x):
        interrupt()
        return x - 2


class Mix(torch.nn.Module):
    @announced
    def forward(self, x, y):
        interrupt()
        return x * y


class Gate(torch.nn.Module):
    @announced
    def forward(self, x, y, z):
        interrupt()
        return torch.where(x > 0, y, z)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.shift, self.mix, self.gate = Embed(), Shift(), Mix(), Gate()

    def forward(self, x):
        interrupt()
        y = self.shift(self.embed(x))
        y = self.mix(x, y)
        return self.gate(x, y, x)


def run(compile):
    return compile(Model())(torch.ones(3))


# action 1, limit-by-arguments 1


def interrupt():
    pass
