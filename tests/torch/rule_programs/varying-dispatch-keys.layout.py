import torch


def run(compile):
    compiled = compile(lambda x: torch.sparse.sum(x) if x.is_sparse else x.sum())
    x = torch.eye(3)
    return [compiled(x), compiled(x.to_sparse())]


# action 3


def run(compile):
    compiled = compile(lambda x: torch.sparse.sum(x) if x.is_sparse else x.sum())
    x = torch.eye(3)
    return [compiled(x), compiled(x.to_sparse().to_dense())]
