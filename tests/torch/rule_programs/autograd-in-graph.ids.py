import torch

# no program GB0139: torch 2.13 traces the methods that were tried
# no program GB0138: no small program shows it on torch 2.13
# no program GB0348: torch 2.13 prints GB0346 for it
# no program GB0352: torch 2.13 prints GB0346 for it

X = torch.ones(3)
LEAF = torch.ones(3, requires_grad=True)

# program GB0104


def step(x):
    return x * 2 if x.grad_fn is None else x + x


def run(compile):
    return compile(step)(LEAF * 2).detach()


# action 1


def run(compile):
    x = LEAF * 2
    x = x.detach().requires_grad_()
    return compile(step)(x).detach()


# program GB0108


def run(compile):
    def step(x):
        y = x * 2
        y.retain_grad()
        return y, y.sum()

    y, loss = compile(step)(LEAF)
    loss.backward()
    return y.grad


# action 2


def run(compile):
    def step(x):
        y = x * 2
        return y, y.sum()

    y, loss = compile(step)(LEAF)
    return torch.autograd.grad(loss, y)[0]


# program GB0144


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, grad):
        return grad * 2


def step(x):
    return F.apply(x) + 1


calls = [[LEAF]]

# action 3


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


# program GB0145


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2


def step(x):
    return F.apply(x) + 1


calls = [[LEAF]]

# action 3


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


# program GB0140


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    def scale(x):
        return x * 3


def step(x):
    return F.apply(F.scale(x)) + 1


calls = [[LEAF]]

# action 4


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def scale(x):
        return x * 3


# program GB0085


class Doubling:
    def __call__(self, ctx, x):
        return x * 2


class F(torch.autograd.Function):
    forward = Doubling()

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def step(x):
    return F.apply(x) + 1


calls = [[X]]

# action 4


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


# program GB0346


class Doubling:
    def __call__(self, ctx, grad):
        return grad * 2


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    backward = Doubling()


def step(x):
    return F.apply(x) + 1


calls = [[LEAF]]

# action 4


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


# program GB2019


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def step(x):
    return F.apply(x * 1) + 1


calls = [[X]]

# action 4


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


# program GB0225


def step(x):
    y = torch.zeros(3, requires_grad=True)
    return x + y


calls = [[X]]

# action 5
Y = torch.zeros(3, requires_grad=True)


def step(x):
    return x + Y


# program GB0358


def optimized():
    p = torch.ones(3, requires_grad=True)
    return p, torch.optim.SGD([p], lr=0.1)


def run(compile):
    p, optimizer = optimized()

    def closure():
        p.grad = (p * 2).detach()

    def step():
        optimizer.step(closure)

    compile(step)()
    return p.detach()


# action 6


def run(compile):
    p, optimizer = optimized()

    def closure():
        p.grad = (p * 2).detach()

    def step():
        closure()
        optimizer.step()

    compile(step)()
    return p.detach()


# program GB4927
torch._dynamo.config.trace_autograd_ops = True


def step(x):
    loss = (x * x).sum()
    (grad,) = torch.autograd.grad(loss, x)
    return loss, grad


calls = [[LEAF]]

# action 7


def step(x):
    loss = (x * x).sum()
    (grad,) = torch.autograd.grad(loss, x)
    return loss.detach(), grad


# program GB0372
torch._dynamo.config.trace_autograd_ops = True
W = torch.ones(3, requires_grad=True)


def step(x):
    return torch.autograd.grad((x * W).sum(), W)[0]


def run(compile):
    return compile(step)(LEAF * 2)


# action 8


def run(compile):
    x = LEAF * 2
    x = x.detach().requires_grad_(True)
    return compile(step)(x)


# program GB5748
torch._dynamo.config.trace_autograd_ops = True


def step(edge, x):
    return torch.autograd.grad((x * 2).sum(), edge)[0]


def run(compile):
    x = LEAF * 2
    return compile(step)(torch.autograd.graph.get_gradient_edge(x), x)


# action 8


def run(compile):
    x = LEAF * 2
    return torch.autograd.grad((x * 2).sum(), torch.autograd.graph.get_gradient_edge(x))[0]


# program GB0373
torch._dynamo.config.trace_autograd_ops = True
torch._dynamo.config.compiled_autograd = True


def step(x):
    return torch.autograd.grad((x * x).sum(), x)[0]


calls = [[LEAF]]

# action 9
torch._dynamo.config.compiled_autograd = False


# program GB1381
torch._dynamo.config.trace_autograd_ops = True


def step(x):
    loss = (x * 2).sum()
    (first,) = torch.autograd.grad(loss, x)
    (second,) = torch.autograd.grad(loss, x)
    return first + second


calls = [[LEAF]]

# action 10


def step(x):
    loss = (x * 2).sum()
    (first,) = torch.autograd.grad(loss, x, retain_graph=True)
    (second,) = torch.autograd.grad(loss, x)
    return first + second


# program GB0442
torch._dynamo.config.trace_autograd_ops = True


def run(compile):
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3)

    def step():
        (x * y).sum().backward(inputs=[y])

    compile(step)()
    return x.grad


# action 11


def run(compile):
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3)

    def step():
        (x * y).sum().backward(inputs=[x])

    compile(step)()
    return x.grad


# program GB1042
torch._dynamo.config.trace_autograd_ops = True


def run(compile):
    x = torch.ones(3, requires_grad=True)

    def step():
        y = torch.ones(3).requires_grad_()
        (x * y).sum().backward(inputs=[x, y])

    compile(step)()
    return x.grad


# action 11


def run(compile):
    x = torch.ones(3, requires_grad=True)

    def step():
        y = torch.ones(3).requires_grad_()
        (x * y).sum().backward(inputs=[x])

    compile(step)()
    return x.grad


# program GB7054
torch._dynamo.config.trace_autograd_ops = True


def run(compile):
    x = torch.ones(3, requires_grad=True)

    def step():
        y = x * 2
        (y * y).sum().backward(inputs=[x, y])

    compile(step)()
    return x.grad


# action 11


def run(compile):
    x = torch.ones(3, requires_grad=True)

    def step():
        y = x * 2
        (y * y).sum().backward(inputs=[x])

    compile(step)()
    return x.grad


# program GB7299


def run(compile):
    _, vjp = torch.func.vjp(torch.sin, X)
    return compile(vjp)(X)[0]


# action 12


def run(compile):
    return compile(lambda x: torch.func.vjp(torch.sin, x)[1](X)[0])(X)


# program GB4372


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *, scale):
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def step(x):
    return F.apply(x, scale=2) + 1


calls = [[LEAF]]

# action 13


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


def step(x):
    return F.apply(x, 2) + 1


# program GB6297


class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


def step(x):
    return F.apply(x, x) + 1


calls = [[LEAF]]

# action 14


def step(x):
    return F.apply(x, x.clone()) + 1
