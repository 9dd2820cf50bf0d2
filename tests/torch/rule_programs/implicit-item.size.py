import torch


def step(x, lengths):
    longest = lengths.sum(1).max()
    return torch.zeros((x.shape[0], longest)) + x.sum()


calls = [[torch.ones(2, 3), torch.tensor([[2, 1], [1, n]])] for n in (1, 5, 3)]

# action 6: its code

# action 10


def run(compile):
    def padded(x, longest):
        return torch.zeros((x.shape[0], longest)) + x.sum()

    compiled = compile(padded)
    return [compiled(x, int(lengths.sum(1).max())) for x, lengths in calls]
