import torch

options = {"backend": "aot_eager"}


def run(compile):
    x = torch.ones(3, requires_grad=True)
    handle = x.register_hook(lambda gradient: gradient * 3)

    def step(x):
        handle.remove()
        return (x * x).sum()

    compile(step)(x).backward()
    return [x.grad]


# action 1


def run(compile):
    x = torch.ones(3, requires_grad=True)
    handle = x.register_hook(lambda gradient: gradient * 3)
    handle.remove()
    compile(lambda x: (x * x).sum())(x).backward()
    return [x.grad]
