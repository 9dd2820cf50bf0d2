import torch


def net():
    torch.manual_seed(0)
    return torch.nn.Linear(3, 3)


def run(compile):
    compiled = compile(net())
    plain = net()
    state = compiled.state_dict()
    plain.load_state_dict(state)
    return [compiled(torch.ones(1, 3)), plain(torch.ones(1, 3))]


# action 1


def run(compile):
    compiled = compile(net())
    plain = net()
    state = compiled.state_dict()
    state = {name.replace("_orig_mod.", ""): value for name, value in state.items()}
    plain.load_state_dict(state)
    return [compiled(torch.ones(1, 3)), plain(torch.ones(1, 3))]
