import torch


def step(x):
    for i in range(3):
        x = x * 2
        print("layer", i)
    return x + 1


calls = [[torch.ones(3)]]

# action 1


def step(x):
    for _ in range(3):
        x = x * 2
    return x + 1


# action 2


def run(compile):
    body = compile(lambda x: x * 2)
    results = []
    for (x,) in calls:
        for i in range(3):
            x = body(x)
            print("layer", i)
        results.append(x + 1)
    return results
