import torch
from torch.nn.modules.module import register_module_forward_hook

calls_of_hook = []


class Net(torch.nn.Module):
    def forward(self, x):
        return x * 2


def run(compile):
    handle = register_module_forward_hook(lambda *_: calls_of_hook.append(1))
    compiled = compile(Net())
    result = compiled(torch.ones(3))
    handle.remove()
    return [result]


# action 1


def run(compile):
    net = Net()
    handle = register_module_forward_hook(lambda *_: calls_of_hook.append(1))
    net.compile(backend="eager")
    result = net(torch.ones(3))
    handle.remove()
    assert len(calls_of_hook) == 1
    return [result]
