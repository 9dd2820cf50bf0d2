"""What check_replay.py replays. Run as a program under TORCH_TRACE, it writes calls of each, and probes each.

    TORCH_TRACE=FOLDER replay_subjects.py FOLDER
"""

from __future__ import annotations

import contextlib
import inspect
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch._logging._internal as torch_logging
from torch import nn

# Lengths of the calls of every subject: one repeats, none is 0 or 1.
LENGTHS = (5, 6, 7, 9, 16, 5, 24, 12, 30, 3, 31, 20)


@torch._dynamo.register_backend  # type: ignore[misc, unused-ignore]
def counting(graph: torch.fx.GraphModule, _: Any) -> Callable[..., Any]:
    """Runs graphs as they are, and leaves a line for each in a file: a count that is not Dynamo's."""
    path = os.environ.get("COUNT_FILE")
    if path:
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write("graph\n")
    return graph.forward


def weighted(x: torch.Tensor, n: int) -> torch.Tensor:
    """Asks nothing of sizes; n is always the same."""
    return torch.softmax(x * n, -1).cumsum(-1)


def branching(x: torch.Tensor) -> torch.Tensor:
    """Another graph above 16."""
    if x.shape[1] > 16:
        return x * 2
    return x + 1


class Pooled(nn.Module):
    """The mean over what is real: with a mask, padding changes nothing."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.embedding = nn.Embedding(50, 8)
        self.out = nn.Linear(8, 4)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> Any:
        hidden = self.embedding(ids)
        if mask is None:
            return self.out(hidden.mean(1))
        weight = mask.to(hidden.dtype).unsqueeze(-1)
        return self.out((hidden * weight).sum(1) / weight.sum(1))


class Leaky(nn.Module):
    """Statistics over rows: rows of padding change those of the others."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(2)
        self.linear = nn.Linear(6, 6)
        self.norm = nn.BatchNorm1d(6)

    def forward(self, x: torch.Tensor) -> Any:
        return self.norm(self.linear(x) + 3)


class Rows(nn.Module):
    """Each row by itself, two layers of one class."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.layers = nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


def dropping(x: torch.Tensor) -> torch.Tensor:
    """Draws random numbers."""
    return nn.functional.dropout(x, 0.5) + 1


def writing(x: torch.Tensor) -> None:
    """Gives nothing: what it does is in its input."""
    x.mul_(2)


def silent(x: torch.Tensor) -> None:
    """Gives nothing and changes nothing."""
    x.sum()


def miscompiled(x: torch.Tensor) -> torch.Tensor:
    """Does another thing when it is compiled."""
    return x + 2 if torch.compiler.is_compiling() else x + 1


def dying(x: torch.Tensor) -> torch.Tensor:
    """Ends its process at one size."""
    if x.shape[1] == 9:
        os.kill(os.getpid(), signal.SIGKILL)
    return x + 1


def hanging(x: torch.Tensor) -> torch.Tensor:
    """Never comes back from one size, and says which process it is."""
    if x.shape[1] == 9:
        Path(os.environ["PID_FILE"]).write_text(str(os.getpid()), encoding="ascii")
        time.sleep(600)
    return x + 1


def no_inputs(_: Any) -> dict[str, Any]:
    """Adds nothing to what a record tells."""
    return {}


def make_rows() -> nn.Module:
    """A factory."""
    return Rows()


@dataclass(frozen=True)
class Probed:
    """A subject, and the inputs of a call of some length."""

    target: Callable[..., Any]
    inputs: Callable[[int], dict[str, Any]]
    lengths: tuple[int, ...] = LENGTHS
    dims: dict[str, list[int]] = field(default_factory=lambda: {"x": [0, 1]})


def floats(*size: int, **told: Any) -> dict[str, Any]:
    """The record of a tensor of float32."""
    return {"size": list(size), "dtype": "torch.float32", "device": "cpu", **told}


def subjects() -> dict[str, Probed]:
    """All subjects by the names of their call files."""
    ids = {"dtype": "torch.int64", "device": "cpu"}
    return {
        "weighted": Probed(weighted, lambda n: {"x": floats(4, n), "n": 3}),
        "branching": Probed(branching, lambda n: {"x": floats(4, n)}),
        "pooled": Probed(
            Pooled(), lambda n: {"ids": {"size": [3, n], **ids}, "mask": None}, dims={"ids": [0, 1]}
        ),
        "leaky": Probed(Leaky(), lambda n: {"x": floats(n, 6)}, dims={"x": [0]}),
        "rows": Probed(Rows(), lambda n: {"x": floats(n, 6, requires_grad=True)}, dims={"x": [0]}),
        "dropping": Probed(dropping, lambda n: {"x": floats(4, n)}, LENGTHS[:4]),
    }


def write_calls(name: str, probed: Probed, folder: Path) -> None:
    """Writes what a recorder would have written."""
    target = probed.target
    code = inspect.unwrap(target.forward if isinstance(target, nn.Module) else target).__code__
    place = {"function": code.co_name, "file": code.co_filename, "line": code.co_firstlineno}
    records = [{**place, "inputs": probed.inputs(length)} for length in probed.lengths]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def probe(job: tuple[str, Path]) -> None:
    """Calls a subject with its sizes marked; the trace lies in a folder of its name."""
    name, folder = job
    probed = subjects()[name]
    handler: Any = torch_logging.LOG_TRACE_HANDLER
    handler.close()
    handler.stream = None
    handler.root_dir = str(folder / name)
    shape_config: Any = torch.fx.experimental._config
    torch._dynamo.reset()
    with shape_config.patch(use_duck_shape=False):
        compiled = torch.compile(probed.target, backend="eager", dynamic=True)
        for length in (41, 11):
            values = {key: made(told, length) for key, told in probed.inputs(length).items()}
            for key, dims in probed.dims.items():
                for dim in dims:
                    torch._dynamo.mark_dynamic(values[key], dim)
            with contextlib.suppress(Exception):
                compiled(**values)
    handler.close()


def main() -> None:
    """Writes calls and traces of all subjects."""
    folder = Path(sys.argv[1])
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))  # its imports are done once
    for name, probed in subjects().items():
        write_calls(name, probed, folder)
        (folder / name).mkdir()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        pool.map(probe, [(name, folder) for name in subjects()], chunksize=1)


def made(told: Any, length: int) -> Any:
    """A value for the probe: sizes that do not vary in calls are made unlike all others, too."""
    if not isinstance(told, dict):
        return told
    size = [other if other in (length, 6) else other + 10 for other in told["size"]]
    dtype = getattr(torch, told["dtype"].removeprefix("torch."))
    return torch.zeros(size, dtype=dtype, requires_grad=told.get("requires_grad", False))


if __name__ == "__main__":
    main()
