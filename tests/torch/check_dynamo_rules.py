#!/usr/bin/env python3
"""Runs the cases of Dynamo's rules (tests/unit/dynamo/rules/*.md) under PyTorch and compares what they say with what happens.

    check_dynamo_rules.py [--print] [FILE.md ...]

A case is a block of a Markdown file: a function, what is known of its body (ignored here), a policy, and calls with what each
of them does: "compile", "compile 2" (graphs), "hit", "eager", "limit", "error CLASS". The unit test of the simulator reads the same
files, so a case that both accept is a rule of PyTorch that the simulator follows. --print shows what PyTorch does in each call.
Exit status: 0 all agree, 1 some do not, 77 there is no torch (2.13 or later) to run them with.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import logging
import math
import re
import sys
import tempfile
import warnings
from pathlib import Path

try:
    import torch
    import torch._dynamo
    import torch.compiler.config as compiler_config
    import torch.fx.experimental._config as shape_config
except ImportError:
    torch = None

FOLDER = Path(__file__).resolve().parents[1] / "unit" / "dynamo" / "rules"
WORD = re.compile(r"(?:[^\s\[\](]|\[[^\]]*\]|\([^)]*\))+")


def read_cases(path: Path):
    """(title, code, policy, [(call, outcome)]) of every block of `path`."""
    title, block = "", None
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            title = line[3:]
        if line == "```case":
            block = []
        elif line == "```" and block is not None:
            yield title, *split_block(block)
            block = None
        elif block is not None:
            block.append(line)


def split_block(lines: list[str]):
    facts = next(i for i, line in enumerate(lines) if line.startswith("facts:"))
    first_call = lines.index("calls:") + 1
    policy = next((line[7:].strip() for line in lines if line.startswith("policy:")), "")
    calls = []
    for line in lines[first_call:]:
        if line.strip():
            call, _, outcome = line.partition("->")
            calls.append((call.strip(), outcome.strip().lstrip("?").strip()))
    return "\n".join(lines[:facts]) + "\n", policy, calls


def make_tensor(sizes: str, options: str, shared: dict):
    """The tensor "[5, 4]:grad:dynamic(0, 2, 64)"."""
    shape = [int(size) for size in sizes.split(",") if size.strip()]
    given = [(name, [int(n) for n in numbers.split(",") if n.strip()]) for name, _, numbers in
             (part.rstrip(")").partition("(") for part in options.split(":") if part)]
    values = dict(given)
    if "same" in values and values["same"][0] in shared:
        return shared[values["same"][0]]
    dtype = torch.float64 if "float64" in values else torch.float32
    strides = values.get("strides")
    offset = values.get("offset", [0])[0]
    if strides is not None:
        length = offset + 1 + sum((size - 1) * stride for size, stride in zip(shape, strides) if size > 0)
        base = torch.ones(max(length, 1), dtype=dtype)
        # Not as_strided: the result must not be a view, whose base would have guards of its own.
        tensor = torch.empty(0, dtype=dtype).set_(base.untyped_storage(), offset, shape, strides)
    else:
        tensor = torch.ones(shape, dtype=dtype)
    if "grad" in values:
        tensor.requires_grad_(True)
    if "param" in values:
        tensor = torch.nn.Parameter(tensor)
    for name, numbers in given:
        bounds = {key: n for key, n in zip(("min", "max"), numbers[1:]) if n >= 0}
        if name == "dynamic":
            torch._dynamo.mark_dynamic(tensor, numbers[0], **bounds)
        elif name == "unbacked":
            torch._dynamo.decorators.mark_unbacked(tensor, numbers[0], **bounds)
        elif name == "maybe":
            torch._dynamo.maybe_mark_dynamic(tensor, numbers[0])
        elif name == "static":
            torch._dynamo.mark_static(tensor, numbers[0])
    if "same" in values:
        shared[values["same"][0]] = tensor
    return tensor


def make_value(text: str):
    words = {"True": True, "False": False, "None": None, "nan": math.nan, "inf": math.inf, "?": 0}
    if text in words:
        return words[text]
    if text.startswith("'"):
        return text.strip("'")
    if text.startswith(("list(", "tuple(")):
        return []
    if text.startswith("keys("):
        return {}
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def make_call(text: str):
    """Arguments by name, and what stands behind '@'."""
    arguments, settings, shared, tuples = {}, {}, {}, []
    for word in WORD.findall(text):
        if word.startswith("@"):
            name, _, value = word[1:].partition("=")
            settings[name] = value
            continue
        name, value = re.match(r"([\w.]+)(.*)", word).groups()
        if value.startswith("="):
            made = make_value(value[1:])
            if value.startswith("=tuple("):
                tuples.append(name)
        else:
            sizes, _, options = value[1:].partition("]")
            made = make_tensor(sizes, options, shared)
        holder, _, key = name.partition(".")
        if not key:
            arguments[holder] = made
        elif isinstance(arguments[holder], list):
            arguments[holder].append(made)
        else:
            arguments[holder][key] = made
    for name in tuples:
        arguments[name] = tuple(arguments[name])
    return arguments, settings


def read_policy(text: str):
    """Arguments of torch.compile, and one patch a configuration module."""
    compile_arguments, patches = {}, {"dynamo": {}, "shapes": {}, "compiler": {}}
    for part in text.split(" + "):
        name, _, value = part.strip().partition("=")
        if not name:
            continue
        words = {"True": True, "False": False, "None": None}
        value = words[value] if value in words else int(value) if value.isdigit() else value
        if name in ("dynamic", "fullgraph", "isolate_recompiles"):
            compile_arguments[name] = value
        elif name in ("use_duck_shape", "backed_size_oblivious"):
            patches["shapes"][name] = value
        elif name in ("dynamic_sources", "unbacked_sources"):
            patches["compiler"][name] = value
        else:
            patches["dynamo"][name] = value
    return compile_arguments, patches


class LimitCounter(logging.Handler):
    hits = 0

    def emit(self, record):
        self.hits += "torch._dynamo hit config." in record.getMessage()


class Recorder:
    """A backend that counts what it compiles and what runs."""

    def __init__(self):
        self.compiled = self.ran = 0

    def __call__(self, graph, _inputs):
        self.compiled += 1

        def run(*arguments):
            self.ran += 1
            return graph.forward(*arguments)

        return run


def load(code: str, folder: Path, number: int):
    path = folder / f"case_{number}.py"
    path.write_text("import torch\n" + code)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.f


def run_call(function, text: str, recorder: Recorder, limits: LimitCounter) -> str:
    arguments, settings = make_call(text)
    recorder.compiled = recorder.ran = limits.hits = 0
    modes = {"nograd": torch.no_grad, "inference": torch.inference_mode}
    error = ""
    with contextlib.ExitStack() as stack:
        if "stance" in settings:
            stack.enter_context(torch.compiler.set_stance(settings["stance"]))
        for name in set(modes) & set(settings):
            stack.enter_context(modes[name]())
        try:
            function[int(settings.get("wrapper", 0))](**arguments)
        except Exception as exception:  # the class of any failure is part of the answer
            error = type(exception).__name__
    parts = []
    if recorder.compiled:
        parts.append("compile" if recorder.compiled == 1 else f"compile {recorder.compiled}")
    elif recorder.ran:
        parts.append("hit")
    parts += ["limit"] * limits.hits
    if not recorder.ran and not error:
        parts.append("eager")
    if error:
        parts.append("error " + error)
    return ", ".join(parts)


def run_case(code: str, policy: str, calls, folder: Path, number: int, limits: LimitCounter) -> list[str]:
    torch._dynamo.reset()
    torch._dynamo.eval_frame._EXAMPLE_INPUTS = None
    recorder = Recorder()
    compile_arguments, patches = read_policy(policy)
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        for module, patch in ((torch._dynamo.config, patches["dynamo"]), (shape_config, patches["shapes"]),
                              (compiler_config, patches["compiler"])):
            if patch:
                stack.enter_context(module.patch(**patch))
        function = load(code, folder, number)
        wrappers = [torch.compile(function, backend=recorder, **compile_arguments) for _ in range(3)]
        return [run_call(wrappers, call, recorder, limits) for call, _ in calls]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--print", action="store_true", dest="shows")
    arguments = parser.parse_args()
    if torch is None or tuple(int(n) for n in torch.__version__.split(".")[:2]) < (2, 13):
        print("no torch 2.13 or later to run the cases with")
        return 77
    limits = LimitCounter()
    logging.getLogger("torch._dynamo.convert_frame").addHandler(limits)
    for name in ("torch", "torch._dynamo"):
        logging.getLogger(name).propagate = False
        for handler in logging.getLogger(name).handlers:
            handler.setLevel(logging.CRITICAL)
    cases = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in arguments.files or sorted(FOLDER.glob("*.md")):
            for title, code, policy, calls in read_cases(path):
                cases += 1
                found = run_case(code, policy, calls, Path(folder), cases, limits)
                is_wrong = found != [outcome for _, outcome in calls]
                wrong += is_wrong
                if is_wrong or arguments.shows:
                    print(f"{path.name}: {title}" + (" (differs)" if is_wrong else ""))
                    for (call, outcome), real in zip(calls, found):
                        print(f"  {call} -> {real}" + (f"      says: {outcome}" if real != outcome else ""))
    print(f"{cases} cases, {wrong} differ")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
