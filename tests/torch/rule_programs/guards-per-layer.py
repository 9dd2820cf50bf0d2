import torch

logs = {"guards": True, "recompiles": True}


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.scale = 2

    def forward(self, x):
        return self.layer(x) * self.scale


def run(compile):
    torch.manual_seed(0)
    with torch.no_grad():
        return [compile(torch.nn.Sequential(*(Block() for _ in range(300))))(torch.ones(1, 4))]


# action 1
options = {"options": {"guard_filter_fn": torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe}}

# action 2
options = {"options": {"guard_filter_fn": torch.compiler.skip_guard_on_all_nn_modules_unsafe}}
