from dataclasses import dataclass

import torch


@dataclass
class Batch:
    x: torch.Tensor


class Double(torch.nn.Module):
    def forward(self, batch):
        return batch.x * 2


def run(compile):
    batch = Batch(torch.ones(3))
    torch.export.export(Double(), (batch,), strict=True)
    return [Double()(batch)]


# action 2

torch.export.register_dataclass(Batch)
