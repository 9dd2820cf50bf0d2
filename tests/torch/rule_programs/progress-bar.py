import torch
from tqdm import tqdm


def step(x):
    for _ in tqdm(range(3)):
        x = x * 2
    return x


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    body = compile(lambda x: x * 2)
    results = []
    for (x,) in calls:
        for _ in tqdm(range(3)):
            x = body(x)
        results.append(x)
    return results
