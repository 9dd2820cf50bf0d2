import torch

options = {"backend": "aot_eager"}


def run(compile):
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 3)
    layer.register_full_backward_hook(lambda module, before, after: (before[0] * 2,))

    def step(x):
        layer(x).sum().backward()

    x = torch.ones(1, 3, requires_grad=True)
    compile(step)(x)
    return [x.grad]


# action 2


torch._dynamo.config.compiled_autograd = True
