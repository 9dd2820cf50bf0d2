"""Two functions of one name, with torch._dynamo.reset() in between: both are frame 0."""
import torch


def free():
    def step(x):
        return x.sin()

    return step


def asking():
    def step(x):
        return x.cos() if x.shape[0] > 8 else x.sin()

    return step


for make, sizes in ((free, (5, 12)), (asking, (5, 12))):
    compiled = torch.compile(make(), backend="eager")
    for size in sizes:
        x = torch.ones(size, 4)
        torch._dynamo.mark_dynamic(x, 0)
        compiled(x)
    torch._dynamo.reset()
