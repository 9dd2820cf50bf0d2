#!/usr/bin/env python3
"""Hostile input for the native replay: nothing is written, nothing runs that is not allowed, nothing breaks.

    tests/torch/check_replay_safety.py SHAPEWISE_REPLAY

TorchScript archives whose methods, functions, hooks and __setstate__ write files, and programs that name such
operators, must be refused with status 2 and a message that names the operator, and leave no file. Harmless archives run.
The process must be confined while it serves. Sizes out of range and deep nesting are errors, not crashes.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

SKIPPED = 77
NEEDED_TORCH = "2.13"
PATIENCE_SECONDS = 120

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    print(
        f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0"
    )
    sys.exit(SKIPPED)


def write(x: Tensor) -> Tensor:
    """What a hostile archive does where it can."""
    torch.save(x, "written.pt")
    return x


class InForward(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        torch.save(x, "written.pt")
        return x


class InBranch(nn.Module):
    """Behind a condition that does not hold with these inputs."""

    def forward(self, x: Tensor) -> Tensor:
        if bool(x.sum() > 1e30):
            for _ in range(3):
                torch.save(x, "written.pt")
        return x


class InFunction(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return write(x)


class InFork(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        future = torch.jit.fork(write, x)
        return torch.jit.wait(future)


class InOtherMethod(nn.Module):
    """In a method that forward does not call."""

    def forward(self, x: Tensor) -> Tensor:
        return x

    @torch.jit.export
    def other(self, x: Tensor) -> Tensor:
        torch.save(x, "written.pt")
        return x


class InSetState(nn.Module):
    """While it is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.n = 1

    @torch.jit.export
    def __getstate__(self) -> tuple[int, bool]:
        return (self.n, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[int, bool]) -> None:
        self.n = state[0]
        self.training = state[1]
        torch.save(torch.ones(2), "written.pt")

    def forward(self, x: Tensor) -> Tensor:
        return x + self.n


class Outer(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


class MapsFile(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.from_file("written.pt", shared=True, size=4)


class Quantized(nn.Module):
    """Uses a class of C++ and operators of another namespace."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x)


class Prints(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        print("\x1b[31mhostile", x.shape)
        return x


class Harmless(nn.Module):
    """Much of what the language has."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.parts = nn.ModuleList([nn.Linear(3, 3), nn.BatchNorm1d(3)])

    def forward(self, x: Tensor) -> tuple[Tensor, int]:
        y = torch.relu(self.linear(x))
        for part in self.parts:
            y = part(y)
        total = 0
        for i in range(int(y.size(0))):
            if i % 2 == 0:
                total += i
        found = {"y": torch.nn.functional.interpolate(y[None], scale_factor=2.0)}
        assert total >= 0, f"{total} is negative"
        return found["y"], total


def hook(module: nn.Module, inputs: tuple[Tensor]) -> None:
    """A hook that writes before forward runs."""
    torch.save(inputs[0], "written.pt")


def with_hook() -> nn.Module:
    module = Outer(nn.Identity())
    module.register_forward_pre_hook(hook)
    return module


def quantized() -> nn.Module:
    return torch.ao.quantization.quantize_dynamic(Quantized(), {nn.Linear}, dtype=torch.qint8)


REFUSED = {
    "forward": (InForward, "aten::save"),
    "branch": (InBranch, "aten::save"),
    "function": (InFunction, "aten::save"),
    "fork": (InFork, "aten::save"),
    "other_method": (InOtherMethod, "aten::save"),
    "setstate": (InSetState, "aten::save"),
    "inner_setstate": (lambda: Outer(InSetState()), "aten::save"),
    "hook": (with_hook, "aten::save"),
    "mapped_file": (MapsFile, "aten::from_file"),
    "quantized": (quantized, "torch.classes.quantized"),
}

FLOAT = {"const": "torch.float32"}
TARGETS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "aten.from_file.default": ([{"str": "written.pt"}, True, 4], {}),
    "torch.from_file": ([{"str": "written.pt"}, True, 4], {"dtype": FLOAT}),
    "aten.save.default": ([{"value": "x"}, {"str": "written.pt"}], {}),
    "aten._print.default": ([{"str": "hostile"}], {}),
    "c10d.barrier.default": ([{"value": "x"}], {}),
    "profiler._record_function_enter.default": ([{"str": "x"}], {}),
}


def program(
    nodes: list[dict[str, Any]], shape: list[Any], symbols: list[Any], result: str = "x"
) -> str:
    """A program with one input, x."""
    tensor = {"kind": "tensor", "dtype": "torch.float32", "device": "cpu", "shape": shape}
    return json.dumps(
        {
            "schema": "shapewise.program/1",
            "graph": 0,
            "name": "g",
            "symbols": symbols,
            "inputs": [{"name": "x", "kind": "input", "source": "", "type": tensor}],
            "nodes": nodes,
            "outputs": {"tuple": [{"value": result}]},
        }
    )


def node(target: str, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    return {
        "op": "call_function",
        "target": target,
        "args": args,
        "kwargs": kwargs,
        "outputs": ["y"],
        "types": [None],
    }


class Checker:
    """Runs the replay in an empty folder."""

    def __init__(self, replay: str, scratch: Path) -> None:
        self.replay = replay
        self.scratch = scratch
        self.folder = scratch / "empty"
        self.folder.mkdir()
        self.faults: list[str] = []

    def need(self, condition: bool, what: str) -> None:
        if not condition:
            self.faults.append(what)

    def call(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.replay, *arguments],
            check=False,
            capture_output=True,
            text=True,
            input=stdin,
            cwd=self.folder,
            timeout=PATIENCE_SECONDS,
        )

    def need_empty(self, what: str) -> None:
        written = sorted(path.name for path in self.folder.iterdir())
        self.need(not written, f"{what}: wrote {written}")
        for path in self.folder.iterdir():
            path.unlink()

    def archive(self, name: str, module: nn.Module) -> str:
        path = self.scratch / f"{name}.pt"
        torch.jit.save(torch.jit.script(module.eval()), str(path))
        return str(path)

    def check_archives(self) -> None:
        """Archives that must not run, and those that must."""
        for name, (make, operator) in REFUSED.items():
            path = self.archive(name, make())
            for command in ("info", "run"):
                done = self.call(command, path, "--type", "x=f32[4,4]")
                self.need(done.returncode == 2, f"{name}: {command} ended with {done.returncode}")
                self.need("allowed operators" in done.stderr, f"{name}: {command}: {done.stderr}")
                self.need(
                    operator in done.stderr, f"{name}: {operator} is not named: {done.stderr}"
                )
                self.need(done.stdout == "", f"{name}: printed {done.stdout}")
                self.need_empty(f"{name}: {command}")
        for name, module in (("prints", Prints()), ("harmless", Harmless())):
            done = self.call("run", self.archive(name, module), "--type", "x=f32[4,4]")
            self.need(done.returncode == 0, f"{name}: {done.stderr}")
            self.need(
                "\x1b" not in done.stdout + done.stderr, f"{name}: an escape sequence was printed"
            )
            self.need(len(done.stdout.splitlines()) == 1, f"{name}: printed {done.stdout}")

    def check_targets(self) -> None:
        """Programs that name what is not allowed."""
        path = self.scratch / "target.json"
        for target, (args, kwargs) in TARGETS.items():
            path.write_text(program([node(target, args, kwargs)], [4, 4], []), encoding="utf-8")
            done = self.call("run", str(path))
            self.need(done.returncode == 2, f"{target}: status {done.returncode}")
            self.need("allowed operators" in done.stderr, f"{target}: {done.stderr}")
            self.need_empty(target)

    def check_outputs(self) -> None:
        """A confined process writes its results where it is told to, and nothing if it has none."""
        path = self.scratch / "good.json"
        path.write_text(
            program([node("aten.relu.default", [{"value": "x"}], {})], [4], [], "y"),
            encoding="utf-8",
        )
        result, inputs = self.scratch / "result.pt", self.scratch / "inputs.pt"
        result.write_bytes(b"longer than what is written, so that the rest of it must go" * 100)
        done = self.call("run", str(path), "--outputs", str(result), "--save-inputs", str(inputs))
        self.need(done.returncode == 0, f"--outputs: {done.stderr}")
        given = dict(torch.load(inputs, weights_only=False))
        self.need(
            torch.equal(torch.load(result, weights_only=False)[0], given["x"].relu()),
            "--outputs: another result",
        )
        absent = self.scratch / "absent.pt"
        done = self.call("run", str(self.scratch / "forward.pt"), "--outputs", str(absent))
        self.need(
            done.returncode == 2 and not absent.exists(), "--outputs of what was not run exists"
        )
        done = self.call("run", str(path), "--outputs", str(self.scratch / "no" / "folder.pt"))
        self.need(
            done.returncode == 2 and "No such file" in done.stderr,
            f"--outputs without a folder: {done.stderr}",
        )

    def check_confinement(self) -> None:
        """What the kernel says of the process while it serves."""
        status = Path("/proc/self/status")
        if not status.exists():
            return
        path = self.scratch / "good.json"
        with subprocess.Popen(
            [self.replay, "serve", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        ) as process:
            assert process.stdin and process.stdout
            process.stdin.write('{"what": 1}\n')
            process.stdin.flush()
            self.need("error" in process.stdout.readline(), "serve does not answer")
            told = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            fields = dict(line.split(":\t", 1) for line in told.splitlines() if ":\t" in line)
            self.need(fields.get("NoNewPrivs") == "1", "the process may gain privileges")
            self.need(fields.get("Seccomp") == "2", "no filter of system calls")
            process.stdin.close()

    def check_sizes(self) -> None:
        """Sizes out of range: a message, whatever the build does with overflows."""
        symbols = [{"name": "s0", "hint": 4, "lower": 2, "upper": None}]
        size = {"sym": "s0"}
        path = self.scratch / "sizes.json"
        path.write_text(program([], [size], symbols), encoding="utf-8")
        for value in ("1e300", "-1e300", "inf", "nan", "0.5", "9223372036854775808", "-1"):
            done = self.call("run", str(path), "--bind", f"s0={value}")
            self.need(
                done.returncode == 2 and "has no value" in done.stderr,
                f"--bind s0={value}: {done.stderr}",
            )
        least = -(2**63)
        for op, a, b in (
            ("ceildiv", least, 2),
            ("ceildiv", least, -1),
            ("//", least, -1),
            ("%", 7, 0),
            ("**", 2, 64),
            ("*", 2**62, 4),
        ):
            path.write_text(program([], [{"op": op, "args": [a, b]}], []), encoding="utf-8")
            done = self.call("run", str(path))
            self.need(
                done.returncode == 2 and "has no value" in done.stderr,
                f"{a} {op} {b}: {done.stderr}",
            )
        for target, args in (
            ("operator.neg", [least]),
            ("operator.abs", [least]),
            ("operator.floordiv", [least, -1]),
            ("operator.mod", [7, 0]),
            ("operator.pow", [3, 64]),
            ("math.floor", [1e300]),
            ("math.ceil", [-1e300]),
            ("int", [1e300]),
            ("round", [1e19]),
        ):
            path.write_text(program([node(target, args, {})], [4], []), encoding="utf-8")
            done = self.call("run", str(path))
            self.need(
                done.returncode == 2 and "overflows" in done.stderr,
                f"{target}{args}: {done.stderr}",
            )

    def check_depth(self) -> None:
        """Deep nesting."""
        depth = 100_000
        path = self.scratch / "deep.json"
        expression = '{"op":"+","args":[' * depth + "1" + ",1]}" * depth
        path.write_text(program([], ["@"], []).replace('"@"', expression), encoding="utf-8")
        done = self.call("run", str(path))
        self.need(
            done.returncode == 2 and "too deep" in done.stderr, f"a deep size: {done.stderr[:200]}"
        )
        text = '{"time": {"s0": ' + "[" * depth + "]" * depth + "}}\n"
        done = self.call("serve", str(self.scratch / "good.json"), stdin=text)
        self.need(
            done.returncode == 0 and "error" in done.stdout, f"a deep question: {done.returncode}"
        )


def main() -> int:
    """Runs all checks and prints what did not hold."""
    warnings.simplefilter("ignore")
    replay = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        checker = Checker(replay, Path(scratch))
        checker.check_archives()
        checker.check_targets()
        checker.check_outputs()
        checker.check_confinement()
        checker.check_sizes()
        checker.check_depth()
    for fault in checker.faults:
        print(f"FAULT: {fault}")
    print(
        f"{len(REFUSED)} archives and {len(TARGETS)} programs refused, {len(checker.faults)} faults"
    )
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
