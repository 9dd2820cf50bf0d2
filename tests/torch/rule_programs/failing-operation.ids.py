import torch

X = torch.ones(3)

# program leaf


def run(compile):
    p = torch.ones(3, requires_grad=True)

    def step(x):
        p.add_(x)
        return p * 2

    return compile(step)(X).detach()


# action 2


def run(compile):
    p = torch.ones(3, requires_grad=True)

    def step(x):
        with torch.no_grad():
            p.add_(x)
        return p * 2

    return compile(step)(X).detach()


# program real tensor
TABLE = torch.ones(3)


@torch.library.custom_op("mylib::shifted", mutates_args=())
def shifted(x: torch.Tensor) -> torch.Tensor:
    return x + TABLE


@shifted.register_fake
def _(x):
    return x + TABLE


def step(x):
    return shifted(x) * 2


calls = [[X]]

# action 3


@torch.library.custom_op("mylib::shifted_by", mutates_args=())
def shifted(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    return x + table


@shifted.register_fake
def _(x, table):
    return x + table


def step(x):
    return shifted(x, TABLE) * 2


# program dtypes
WEIGHT = torch.ones(1, 3, 3, dtype=torch.bfloat16)


def step(x):
    return torch.nn.functional.scaled_dot_product_attention(x, WEIGHT, WEIGHT)


calls = [[torch.ones(1, 3, 3)]]

# action 4


def step(x):
    x = x.to(WEIGHT.dtype)
    return torch.nn.functional.scaled_dot_product_attention(x, WEIGHT, WEIGHT)



# program symbolic bool


def attend(x, causal):
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=causal)


def step(x):
    return attend(x, x.shape[1] > 1) * 2


def run(compile):
    compiled = compile(step, dynamic=True)
    return [compiled(torch.ones(1, n, 3)) for n in (4, 5)]


# action 5


def step(x):
    return attend(x, True if x.shape[1] > 1 else False) * 2
