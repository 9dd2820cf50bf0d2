import torch


def step(score, mask):
    if mask.any().item():
        score = score.masked_fill(mask, -torch.inf)
    return score.softmax(0)


calls = [[torch.ones(3), torch.tensor([True, False, False])], [torch.ones(3), torch.zeros(3).bool()]]

# action 6


def step(score, mask):
    score = score.masked_fill(mask, -torch.inf)
    return score.softmax(0)
