import torch

# no program GB0044: torch 2.13 prints GB0016 for it
# no program GB0233: torch 2.13 prints GB0016 for it

XS = [torch.ones(2), torch.ones(3)]

# program GB0016


def run(compile):
    return compile(lambda nested: nested.sin())(torch.nested.nested_tensor(XS)).to_padded_tensor(0.0)


# action 1


def run(compile):
    return compile(lambda nested: nested.sin())(torch.nested.nested_tensor(XS, layout=torch.jagged)).to_padded_tensor(0.0)
