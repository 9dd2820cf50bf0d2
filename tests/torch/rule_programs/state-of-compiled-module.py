import torch


def run(compile):
    torch.manual_seed(0)
    state = torch.nn.Linear(3, 3).state_dict()
    model = compile(torch.nn.Linear(3, 3))
    model.load_state_dict(state)
    return model(torch.ones(3))


# action 1


def run(compile):
    torch.manual_seed(0)
    state = torch.nn.Linear(3, 3).state_dict()
    model = compile(torch.nn.Linear(3, 3))
    getattr(model, "_orig_mod", model).load_state_dict(state)
    return model(torch.ones(3))
