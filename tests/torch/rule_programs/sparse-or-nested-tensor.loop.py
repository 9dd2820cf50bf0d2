import torch


def step(a, b):
    x = torch.zeros_like(b)
    for _ in range(20):
        residual = b - torch.sparse.mm(a, x)
        if residual.norm() < 1e-3:
            break
        x = x + residual * 0.5
    return x


calls = [[torch.eye(3).to_sparse(), torch.ones(3, 1)]]

# action 2


def run(compile):
    update = compile(lambda x, residual: x + residual * 0.5)

    def solve(a, b):
        x = torch.zeros_like(b)
        for _ in range(20):
            residual = b - torch.sparse.mm(a, x)
            if residual.norm() < 1e-3:
                break
            x = update(x, residual)
        return x

    return [solve(*arguments) for arguments in calls]
