import torch


def run(compile):
    layer = torch.nn.LSTM(4, 4)
    compiled = compile(lambda x: layer(x)[0] + 1)
    return [compiled(torch.ones(3, 1, 4)).detach()]


# action 2: its code
