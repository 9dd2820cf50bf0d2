"""Functions that pin sizes in many ways; each is called with sizes that vary."""
import torch


def free_rows(x):
    return torch.relu(x) + 1


def equal_constant(x):
    if x.shape[0] == 6:
        return x * 2
    return x + 1


def rows_by_eight(x):
    if x.shape[0] % 8 == 0:
        return x * 2
    return x + 1


def fold_rows(x):
    return x.view(4, -1, 3) + 1


def join_pairs(x, y):
    return torch.cat([x, y], dim=1) + 1


def add_rows(x, y):
    return x + y


def same_rows(x, y):
    if x.shape[0] == y.shape[0]:
        return x * 2 + y.sum()
    return x + y.sum()


def pinned_together(a, b):
    if a.shape[0] <= b.shape[0] and a.shape[0] >= b.shape[0]:
        if a.shape[0] + b.shape[0] == 10:
            return a + 1
    return a - 1


def short_rows(x):
    if x.shape[0] <= 64:
        return x * 2
    return x * 3


def heads(x, num_heads: int):
    return x.view(x.shape[0], num_heads, -1) * 2


def stacked(parts):
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def matrix(x, w):
    return x @ w + 1


def constant_rows(x):
    return x + torch.ones(10, 3)


def run(function, *calls, **options):
    compiled = torch.compile(function, backend="eager", **options)
    for call in calls:
        compiled(*call)


def rows(*sizes):
    return [(torch.ones(size, 3),) for size in sizes]


def pairs(*sizes):
    return [(torch.ones(a, 3), torch.ones(b, 3)) for a, b in sizes]


if __name__ == "__main__":
    run(free_rows, *rows(4, 5, 6, 1, 7))
    run(equal_constant, *rows(4, 6, 5, 7, 6))
    run(rows_by_eight, *rows(8, 16, 12, 24, 13))
    run(fold_rows, *rows(4, 8, 12, 16))
    run(join_pairs, *pairs((4, 4), (5, 5), (6, 6)))
    run(add_rows, *pairs((4, 4), (5, 5), (6, 6), (7, 1)))
    run(same_rows, *pairs((4, 4), (5, 5), (6, 7), (7, 7)))
    run(pinned_together, *pairs((4, 4), (5, 5), (6, 6), (4, 6)))
    run(short_rows, *rows(4, 8, 128, 32, 256))
    run(heads, (torch.ones(4, 24), 2), (torch.ones(5, 24), 4), (torch.ones(6, 24), 8))
    run(stacked, ([torch.ones(4, 3)] * 2,), ([torch.ones(5, 3)] * 2,), ([torch.ones(5, 3)] * 3,))
    run(matrix, (torch.ones(4, 8), torch.ones(8, 2)), (torch.ones(5, 9), torch.ones(9, 2)),
        (torch.ones(6, 10), torch.ones(10, 2)))
    run(constant_rows, *rows(10, 10))
    marked = torch.ones(4, 3)
    torch._dynamo.maybe_mark_dynamic(marked, 0)
    run(equal_constant, (marked,))
