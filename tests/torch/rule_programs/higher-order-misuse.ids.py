import torch
from torch.utils.checkpoint import checkpoint

# no program GB1177: torch 2.13 prints it only for the modules of an export

X = torch.ones(3)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.linear = torch.nn.Linear(3, 3)


# program GB0067


class Logging(Model):
    def __init__(self):
        super().__init__()
        self.sums = []

    def block(self, x):
        self.sums.append(x.sum())
        return torch.sin(x)

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False) * 2


def run(compile):
    model = Logging()
    return compile(model)(X), model.sums


# action 2


class Logging(Model):
    def __init__(self):
        super().__init__()
        self.sums = []

    def block(self, x):
        return torch.sin(x), x.sum()

    def forward(self, x):
        y, total = checkpoint(self.block, x, use_reentrant=False)
        self.sums.append(total)
        return y * 2


# action 3: its code

# program GB4413


class Counting(Model):
    def forward(self, x):
        def block(x):
            self.training = False
            return torch.sin(x)

        return torch.cond(x.sum() > 0, block, torch.cos, (x,)) * 2


def run(compile):
    model = Counting()
    return compile(model)(X), model.training


# action 2


class Counting(Model):
    def forward(self, x):
        y = torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)) * 2
        self.training = False
        return y


# program GB0040


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x, torch.cos, (x,)) * 2


calls = [[X]]

# action 4


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x.clone(), torch.cos, (x,)) * 2


# program GB0041


def block(x):
    x.add_(1)
    return x.sin()


def step(x):
    return torch.cond(x.sum() > 0, block, torch.cos, (x * 1,)) * 2


calls = [[X]]

# action 5


def block(x):
    y = x.clone()
    y.add_(1)
    return y.sin()


# program GB0017


def step(x):
    return torch._higher_order_ops.invoke_subgraph(lambda x: x.sin(), "block", x)


def run(compile):
    return compile(lambda x: x * 2 if torch._higher_order_ops.invoke_subgraph else x)(X)


# action 6


@torch.compiler.nested_compile_region
def block(x):
    return x * 2


def run(compile):
    return compile(block)(X)


# program GB0302

def step(x):
    return torch.cond(x.sum() > 0, 1, torch.cos, (x,))


calls = [[X]]

# action 9


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, torch.cos, (x,))


