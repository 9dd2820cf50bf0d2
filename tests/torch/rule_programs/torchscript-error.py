import torch


class Net(torch.nn.Module):
    def forward(self, *rows):
        return rows[0] * 2


example = torch.ones(3)


def run(compile):
    return [torch.jit.script(Net())(example)]


# action 1


def run(compile):
    program = torch.export.export(Net(), (example,))
    return [program.module()(example)]
