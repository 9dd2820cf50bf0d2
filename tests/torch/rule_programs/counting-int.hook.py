# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


class Tap:
    def __init__(self):
        self.calls = 0
        self.outputs = {}

    def hook(self, name):
        def keep(module, args, output):
            self.calls += 1
            self.outputs[f"{name}/{self.calls}"] = output
            return output + 1

        return keep


def run(compile):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
    net[1].register_forward_hook(Tap().hook("relu"))
    compiled = compile(net)
    return [compiled(torch.ones(2, 3)).detach() for _ in range(5)]


# action 13, limit-by-counter 13


class Tap:
    def __init__(self):
        self.outputs = {}

    def hook(self, name):
        def keep(module, args, output):
            self.outputs[name] = output
            return output + 1

        return keep
