import torch

library = torch.library.Library("mylib", "FRAGMENT")
if not hasattr(torch.ops.mylib, "op"):
    library.define("op(Tensor x) -> Tensor")
    library.impl("op", lambda x: x * 2, "CPU")


def step(x):
    return torch.ops.mylib.op(x + 1) + 1


calls = [[torch.ones(3)]]

# action 2
import contextlib

with contextlib.suppress(RuntimeError):

    @torch.library.register_fake("mylib::op")
    def _(x):
        return torch.empty_like(x)
