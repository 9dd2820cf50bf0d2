import torch

# no program GB0129: has no CPU kernel
# no program GB0130: has no CPU kernel
# no program GB0241: torch 2.13 traces the calls that were tried
# no program GB0357: torch 2.13 does not print it
# no program GB2977: no small program shows it on torch 2.13

X = torch.ones(2, 3)

# program GB0072


def step(x):
    return torch.Tensor.t_(x) * 2


calls = [[X]]

# action 2


def step(x):
    y = x.t()
    return y * 2


# program GB0126


def step(x):
    y = x * 2
    y.resize_(1, 3)
    return y + 1


calls = [[X]]

# action 3


def step(x):
    y = (x * 2)[:1]
    return y + 1


# program GB0127


def step(x):
    y = x * 2
    y.resize_as_(x[0])
    return torch.ones_like(y)


calls = [[X]]

# action 3


def step(x):
    y = x.new_empty(x[0].shape)
    return torch.ones_like(y)


# program GB0208


def step(x):
    return x * 2, torch.random.fork_rng()


def run(compile):
    return compile(step)(X)[0]


# action 4


def run(compile):
    rng = torch.random.fork_rng()
    return compile(lambda x, rng: (x * 2, rng))(X, rng)[0]


# program GB0240


def step(x):
    values, order = torch.empty(0), torch.empty(0, dtype=torch.long)
    torch.sort(x, out=(values, order))
    return values


calls = [[X]]

# action 6


def step(x):
    values, order = torch.sort(x)
    return values


# program GB0242


def step(x):
    y = torch.empty(3, 2).t()
    torch.add(x, x, out=y)
    return y


calls = [[X]]

# action 6


def step(x):
    y = torch.add(x, x)
    return y


# program GB0247


def step(x):
    y = torch.empty(0)
    torch.add(x, x, out=y)
    return y


calls = [[X]]

# action 6


def step(x):
    y = torch.add(x, x)
    return y


# program GB4695


def run(compile):
    torch.manual_seed(0)
    model = torch.jit.script(torch.nn.Linear(3, 3))
    return compile(lambda x: model(x) * 2)(X)


# action 7


def run(compile):
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 3)
    return compile(lambda x: model(x) * 2)(X)


# program GB5976


def step(x, y):
    return x * (2 if x.data_ptr() == y.data_ptr() else 3)


def run(compile):
    return compile(step)(X, X + 1)


# action 9


def run(compile):
    y = X + 1
    is_same = X is y
    return compile(lambda x: x * (2 if is_same else 3))(X)


# program GB0102


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * (2 if grad.layout == torch.strided else 3)


def run(compile):
    x = X.clone().requires_grad_()
    compile(lambda x: F.apply(x).sum())(x).backward()
    return x.grad


# action 10


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.layout = x.layout
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * (2 if ctx.layout == torch.strided else 3)


# action 11
if "layout" in torch._dynamo.config._autograd_backward_strict_mode_banned_ops:
    torch._dynamo.config._autograd_backward_strict_mode_banned_ops.remove("layout")
