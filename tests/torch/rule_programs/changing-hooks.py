# for limit-by-hooks: torch._dynamo.config.recompile_limit = 1
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3, bias=False)

    def forward(self, x):
        return self.inner(x)


def hook(module, arguments, output):
    return output + 1


def run(compile):
    torch._dynamo.config.skip_nnmodule_hook_guards = False
    torch.manual_seed(0)
    model = Model()
    compiled = compile(model)
    results = [compiled(torch.ones(1, 3)).detach()]
    handle = model.inner.register_forward_hook(hook)
    results.append(compiled(torch.ones(1, 3)).detach())
    handle.remove()
    return results


# action 1, limit-by-hooks 1


def run(compile):
    torch._dynamo.config.skip_nnmodule_hook_guards = False
    torch.manual_seed(0)
    model = Model()
    compiled = compile(model)
    handle = model.inner.register_forward_hook(hook)
    results = [compiled(torch.ones(1, 3)).detach() - 1]
    results.append(compiled(torch.ones(1, 3)).detach())
    handle.remove()
    return results
