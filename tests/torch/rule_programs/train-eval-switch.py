import torch


def run(compile):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.0))
    compiled = compile(lambda x: model(x))
    results = []
    for mode in (True, False, True):
        model.train(mode)
        results.append(compiled(torch.ones(1, 3)).detach())
    return results


# action 1


def run(compile):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.0))

    def train_step(x):
        return model(x)

    def eval_step(x):
        return model(x) * 1

    steps = {True: compile(train_step), False: compile(eval_step)}
    results = []
    for mode in (True, False, True):
        model.train(mode)
        results.append(steps[mode](torch.ones(1, 3)).detach())
    return results
