#!/usr/bin/env python3
"""Padding verdicts against real numbers.

    tests/torch/check_padding.py PROGRAM [CASE ...]

Every model of padding_models*.py is captured by torch.export and by torch.compile, and its dump is given to
`shapewise graph --format json`. Then the model is run with the real inputs and with padded ones. A model that is
called safe must give the same results at the real positions whatever the padding holds; one that is called masked,
when the inputs that the verdict names are extended as it says. Of the models that a careful user can pad without
harm at least 80 % must be called so, over the sets that were written without the rules.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
TRIALS = 3
WORKERS = 2
LEAST_SHARE = 0.8
RANKS = ("safe", "masked", "unknown", "unsafe")

try:
    import torch
    from padding_models import CASES, COUNTED, Case, Extension, Input
    from padding_models_foreign import FOREIGN
    from padding_models_later import LATER
    from padding_models_single import SINGLE
    from padding_models_unseen import UNSEEN
    from torch import Tensor, nn
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)


SETS = {
    "written with the rules in mind": CASES,
    "for single rules": SINGLE,
    "foreign": FOREIGN,
    "unseen": UNSEEN,
    "later": LATER,
}
INDEPENDENT = ("foreign", "unseen", "later")


@dataclass
class Tally:
    """What is counted of one set."""

    captures: int = 0
    harmless: int = 0
    found: int = 0
    wrong: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)  # one a capture

    def add(self, other: Tally) -> None:
        """Counts what `other` counted as well."""
        self.captures += other.captures
        self.harmless += other.harmless
        self.found += other.found
        self.wrong += other.wrong

    @property
    def share(self) -> float:
        """Of the captures that can be padded without harm: those that are called so."""
        return self.found / max(1, self.harmless)


@dataclass(frozen=True)
class Verdict:
    """What shapewise says of one capture."""

    verdict: str
    fills: dict[str, Extension]  # by input: what it must be extended with
    why: str


def exported(case: Case, model: nn.Module, inputs: list[Tensor]) -> str:
    """The text of an ExportedProgram."""
    shapes = tuple(dict.fromkeys(given.padded_dims, torch.export.Dim.AUTO) for given in case.inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(torch.export.export(model, tuple(inputs), dynamic_shapes=(shapes,)))


def compiled(case: Case, model: nn.Module, inputs: list[Tensor]) -> str:
    """What print_readable() prints of the graph that Dynamo captures."""
    printed: list[str] = []

    def backend(graph: torch.fx.GraphModule, _: list[Tensor]) -> object:
        printed.append(graph.print_readable(print_output=False, include_stride=True, include_device=True))
        return graph.forward

    torch._dynamo.reset()
    for given, tensor in zip(case.inputs, inputs, strict=True):
        for dim in given.padded_dims:
            torch._dynamo.maybe_mark_dynamic(tensor, dim)
    torch.compile(model, backend=backend, fullgraph=True)(*inputs)
    return "\n".join(printed)


CAPTURES = {"export": exported, "compile": compiled}


def fill_of(text: str) -> Extension | None:
    """The number in "-inf at padded positions"."""
    if text.startswith("positions that are counted on"):
        return COUNTED
    found = re.match(r"(\S+) at padded positions", text)
    return None if found is None else float({"False": "0", "True": "1"}.get(found[1], found[1]))


def judge(program: str, dump: str, names: dict[str, str]) -> Verdict:
    """Asks shapewise; `names` gives the input for each placeholder."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "dump.txt"
        path.write_text(dump)
        done = subprocess.run(
            [program, "graph", "--format", "json", str(path)], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        return Verdict("failed", {}, done.stderr.strip())
    graphs = json.loads(done.stdout)["graphs"]
    symbols = [entry for graph in graphs for entry in graph["padding"]]
    if not symbols:
        return Verdict("none", {}, "the capture has no size that varies")
    # If the capture does not show that two inputs grow together, both are padded here.
    because = [reason for symbol in symbols for reason in symbol["because"]]
    worst = max((symbol["verdict"] for symbol in symbols), key=RANKS.index)
    fills: dict[str, Extension] = {}
    for reason in because:
        fill = fill_of(reason["why"])
        if fill is not None and reason["node"] in names:
            fills[names[reason["node"]]] = fill
    why = "; ".join(f"{reason['node']}: {reason['why']}" for reason in because)
    return Verdict(worst, fills, why)


def padded(given: Input, real: Tensor, size: int, fill: Extension | None, generator: torch.Generator) -> Tensor:
    """`real` extended to `size`, with garbage or with `fill` behind the real positions."""
    if not given.padded_dims:
        return real
    if fill is None or fill == COUNTED:
        extended = given.at(size, generator)
        if given.kind == "attention":
            extended = torch.randint(0, 2, extended.shape, generator=generator)
        if given.kind == "positions" and fill is None:
            extended = torch.randint(0, extended.shape[-1], extended.shape, generator=generator)
        if given.kind == "float":
            extended = extended * 5 + 1
        if given.kind == "additive":
            extended = torch.randn(extended.shape, generator=generator)
    else:
        extended = torch.full(given.sizes(size), float(fill)).to(real.dtype)
    extended[tuple(slice(0, length) for length in real.shape)] = real
    return extended


def flat(result: object) -> list[Tensor]:
    """All tensors of a result, in order."""
    if isinstance(result, Tensor):
        return [result]
    if isinstance(result, dict):
        return flat(list(result.values()))
    if isinstance(result, int):
        return [torch.tensor(result)]
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in flat(part)]
    return []


def same(real: object, other: object) -> bool:
    """Whether results are equal at the real positions, but for rounding."""
    for expected, got in zip(flat(real), flat(other), strict=True):
        cut = got[tuple(slice(0, length) for length in expected.shape)]
        if cut.shape != expected.shape:
            return False
        if not torch.allclose(cut.double(), expected.double(), rtol=1e-4, atol=1e-5, equal_nan=True):
            return False
    return True


def survives(case: Case, model: nn.Module, fills: dict[str, Extension]) -> bool:
    """Whether padding leaves the real positions right when inputs are extended with `fills`."""
    for trial in range(TRIALS):
        for size, larger in case.sizes:
            generator = torch.Generator().manual_seed(1000 * trial + size)
            inputs = [given.at(size, generator) for given in case.inputs]
            others = [
                padded(given, tensor, larger, fills.get(given.name), generator)
                for given, tensor in zip(case.inputs, inputs, strict=True)
            ]
            torch.manual_seed(trial)
            real = model(*inputs)
            torch.manual_seed(trial)
            if not same(real, model(*others)):
                return False
    return True


def placeholder_names(case: Case, dump: str) -> dict[str, str]:
    """Which input each placeholder of a dump is: the function is called with *inputs, so they are numbered."""
    header = next(line for line in dump.splitlines() if "def forward(self" in line)
    names: dict[str, str] = {}
    for index, given in enumerate(case.inputs):
        for name in re.findall(r"(\w+): \"", header):
            if re.search(rf"(?:^|_)inputs_{index}_?$", name):
                names[name] = given.name
                names[name.lower()] = given.name
    return names


def truth_of(case: Case) -> str:
    """What padding does to the model, whatever shapewise says of it."""
    torch.manual_seed(0)
    model = case.build()
    model.train(case.training)
    with torch.no_grad():
        if survives(case, model, {}):
            return "safe"
        extended = {given.name: given.extended_with for given in case.inputs if given.extended_with is not None}
        return "masked" if extended and survives(case, model, extended) else "unsafe"


def check(program: str, case: Case, capture: str, truth: str, tally: Tally) -> None:
    """Captures a model, asks for the verdict, and holds it against real numbers."""
    torch.manual_seed(0)
    model = case.build()
    model.train(case.training)
    generator = torch.Generator().manual_seed(5)
    try:
        with torch.no_grad():
            dump = CAPTURES[capture](case, model, [given.at(8, generator) for given in case.inputs])
    except torch._dynamo.exc.TorchDynamoException as error:
        tally.lines.append(f"{case.name:24} {capture:8} cannot be captured: {str(error).splitlines()[0]}")
        return
    verdict = judge(program, dump, placeholder_names(case, dump))
    if verdict.verdict == "none":
        tally.lines.append(f"{case.name:24} {capture:8} left out: {verdict.why}")
        return
    held = True
    if verdict.verdict in ("safe", "masked"):
        with torch.no_grad():
            held = survives(case, model, verdict.fills if verdict.verdict == "masked" else {})
    tally.captures += 1
    if verdict.verdict == "failed" or not held:
        tally.wrong.append(f"{case.name} ({capture}): {verdict.verdict}, but results differ; {verdict.why}")
    if truth != "unsafe":
        tally.harmless += 1
        tally.found += verdict.verdict in ("safe", "masked") and held
    mark = "wrong" if not held else "" if verdict.verdict == truth else "differs"
    tally.lines.append(
        f"{case.name:24} {capture:8} is {truth:7} called {verdict.verdict:8} {mark:8} {verdict.why}"
    )


def check_case(program: str, name: str, index: int) -> Tally:
    """Case `index` of the set `name`."""
    torch.set_num_threads(1)
    tally = Tally()
    case = SETS[name][index]
    truth = truth_of(case)
    for capture in case.captures:
        check(program, case, capture, truth, tally)
    return tally


def main() -> int:
    """Runs all cases, prints one line for each capture, and sums up."""
    program, wanted = sys.argv[1], set(sys.argv[2:])
    jobs = [
        (name, index)
        for name, cases in SETS.items()
        for index, case in enumerate(cases)
        if not wanted or case.name in wanted
    ]
    jobs = list(sampled(jobs))
    totals = {name: Tally() for name, _ in jobs}
    with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
        done = pool.map(check_case, [program] * len(jobs), *zip(*jobs, strict=True), chunksize=8)
        for (name, _), tally in zip(jobs, done, strict=True):
            print(*tally.lines, sep="\n", flush=True)
            totals[name].add(tally)
    held, independent = True, Tally()
    for name, tally in totals.items():
        print(
            f"{name}: {tally.captures} captures; {tally.harmless} can be padded without harm, "
            f"{tally.found} of them are called so ({tally.share:.0%})"
        )
        for line in tally.wrong:
            print("WRONG", line)
        held &= not tally.wrong
        independent.add(tally if name in INDEPENDENT else Tally())
    print(f"sets that were written without the rules: {independent.share:.0%}")
    return 0 if held and (wanted or not is_whole() or independent.share >= LEAST_SHARE) else 1


if __name__ == "__main__":
    sys.exit(main())
