# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


class Adapters(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = torch.nn.ModuleDict({name: torch.nn.Linear(3, 3) for name in ("law", "news")})

    def set_adapter(self, active):
        for name, layer in self.layers.items():
            layer.requires_grad_(name == active)

    def forward(self, x):
        return x + self.layers["law"](x) + self.layers["news"](x)


def run(compile):
    model = Adapters()
    compiled = compile(model)
    results = []
    with torch.no_grad():
        for name in ("law", "news", "law", "news"):
            model.set_adapter(name)
            results.append(compiled(torch.ones(2, 3)))
    return results


# action 1


def run(compile):
    model = Adapters()
    model.set_adapter("law")
    compiled = compile(model)
    with torch.no_grad():
        return [compiled(torch.ones(2, 3)) for _ in range(4)]


# action limit-by-tensor-kind 7
torch._dynamo.config.recompile_limit = 4
