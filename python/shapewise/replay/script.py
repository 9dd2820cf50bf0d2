"""The program that reproduces a policy by itself: with torch, and nothing of this package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .calls import History
from .errors import ReplayError
from .graph_program import program_of_graph
from .job import Job, NamedPolicy
from .padded_dims import PaddedDim
from .policy import Policy
from .policy_text import SHAPE_OPTIONS
from .sources import argument_name, place_of

__all__ = ["script_of"]

MOST_DISTINCT = 5000

HEAD = '''\
#!/usr/bin/env python3
"""{name} under the policy {policy!r}.

It makes the recorded calls from cold, then twice warm, and prints what Dynamo compiled and how
fast the warm ones were. It needs torch and nothing else. What belongs into your own program is
configure(), compile_target() and, before each call, prepare().
"""
'''

IMPORTS = """\
from __future__ import annotations

import importlib
import sys
import time
import types
from pathlib import Path as FilePath

"""

OWN_CODE = '''\
def with_own_code(target, number):
    """A function that calls `target` and has a code object, and so a cache, of its own."""

    def call(*arguments, **named):
        return target(*arguments, **named)

    code = call.__code__.replace(co_name=f"call_{number}")
    return types.FunctionType(code, call.__globals__, code.co_name, None, call.__closure__)'''

ISOLATED = """\
    arguments = {given!r}
    if "isolate_recompiles" not in inspect.signature(torch.compile).parameters:
        # Before 2.13, compiled functions with one code object share a cache.
        del arguments["isolate_recompiles"]
        target = with_own_code(target, number)
    return torch.compile(target, **arguments)"""

MAIN = '''\
def run(target, compiled, maker, signature):
    """One pass over the recorded calls; seconds without those of making inputs."""
    seconds = 0.0
    index = 0
    for number, times in ORDER:
        call = CALLS[number]
        for _ in range(times):
            values = maker.call(call["inputs"])
            if MAKE_INPUTS:
                values.update(named(MAKE_INPUTS)({"inputs": call["inputs"], "grad": call["grad"]}))
            if isinstance(target, torch.nn.Module):
                target.zero_grad()
            wait()
            begin = time.perf_counter()
            way = prepare(values, index)
            positional, by_name = bind(signature, values)
            if STANCES or call["stance"] != "default":
                torch.compiler.set_stance(STANCES.get(index, call["stance"]))
            with call_context(call["grad"], call["state"], DEVICE):
                results = compiled(call["wrapper"], way)(*positional, **by_name)
            if BACKWARD and call["grad"] == "on":
                backward(results)
            wait()
            seconds += time.perf_counter() - begin
            index += 1
    return seconds, index


def wait():
    """Until the device has done what it was given."""
    if DEVICE.startswith("cuda"):
        torch.cuda.synchronize(DEVICE)


def backward(results):
    """The gradient of the sum of all real results."""
    leaves = torch.utils._pytree.tree_leaves(results)
    real = [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]
    if real:
        sum(x.float().sum() for x in real if x.is_floating_point()).backward()


def main():
    """Prints one line a figure."""
    if THREADS:
        torch.set_num_threads(THREADS)
    torch.manual_seed(SEED)
    maker = ValueMaker(SEED, DEVICE, RANGES)
    target = uncompiled(make_target(maker))
    # What the import of the program compiled, and the options that it set, are no part of this.
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    configure()
    if isinstance(target, torch.nn.Module):
        target.to(DEVICE)
    is_module = isinstance(target, torch.nn.Module)
    signature = inspect.signature(target.forward if is_module else target)
    made = {}

    def compiled(wrapper, way):
        """The function that serves such calls; compiled when it is asked for first."""
        if way == "eager":
            return target
        if (wrapper, way) not in made:
            made[wrapper, way] = compile_target(target, len(made))
        return made[wrapper, way]

    cold, calls = run(target, compiled, maker, signature)
    counters = torch._dynamo.utils.counters
    print("calls", calls)
    print("compiles", counters["stats"].get("unique_graphs", 0))
    print(f"seconds from cold {cold:.3f}")
    run(target, compiled, maker, signature)
    warm, calls = run(target, compiled, maker, signature)
    print(f"steps per second {calls / warm:.4g}")


if __name__ == "__main__":
    main()
'''


def script_of(job: Job, named: NamedPolicy, history: History, device: str, factory: bool) -> str:
    """The program; `factory` is true if the subject's spec names a factory."""
    subject = job.subject
    values = (Path(__file__).parent / "values.py").read_text(encoding="utf-8")
    body = values[values.index("import contextlib") :]
    name = subject.spec or subject.path
    parts = [
        HEAD.format(name=Path(name).name, policy=named.name),
        IMPORTS + body,
        _data(job, named.policy, history, device),
        _named(),
        _configure(named.policy),
        _make_target(job, history, factory),
        _compile(named.policy),
        _prepare(named.policy, {argument_name(name) for name in history.distinct[0].inputs}),
        MAIN,
    ]
    return "\n\n\n".join(part.strip("\n") for part in parts) + "\n"


def _data(job: Job, policy: Policy, history: History, device: str) -> str:
    order: list[list[int]] = []
    most = 0
    for number in history.order:
        if number >= MOST_DISTINCT:
            break
        if order and order[-1][0] == number:
            order[-1][1] += 1
        else:
            order.append([number, 1])
        most = max(most, number)
    calls = [
        {
            "inputs": {argument_name(name): given for name, given in call.inputs.items()},
            "grad": call.grad,
            "state": call.state,
            "stance": "force_eager" if policy.eager else call.stance,
            "wrapper": call.wrapper,
        }
        for call in history.distinct[: most + 1]
    ]
    data = {
        "DEVICE": device,
        "SEED": job.seed,
        "THREADS": job.threads,
        "BACKWARD": job.backward,
        "RANGES": job.subject.ranges,
        "MAKE_INPUTS": _absolute(job.subject.make_inputs),
        "STANCES": policy.stance,
        "CALLS": calls,
        "ORDER": [tuple(pair) for pair in order],
    }
    comments = {"CALLS": "# What distinct calls brought.\n", "ORDER": "# (call, times in a row)\n"}
    return "\n".join(
        comments.get(name, "") + f"{name} = {_written(value)}" for name, value in data.items()
    )


def _written(value: Any) -> str:
    """A value as Python; an item of a long list a line."""
    text = repr(value)
    if not isinstance(value, list) or len(text) < 90:
        return text
    return "[\n" + "".join(f"    {item!r},\n" for item in value) + "]"


def _absolute(spec: str) -> str:
    place, _, name = spec.rpartition(":")
    return f"{Path(place).resolve()}:{name}" if place.endswith(".py") else spec


def _named() -> str:
    return '''\
def named(spec):
    """What FILE.py:NAME or MODULE:NAME names."""
    place, _, name = spec.rpartition(":")
    if place.endswith(".py"):
        sys.path.insert(0, str(FilePath(place).parent))
        place = FilePath(place).stem
    value = importlib.import_module(place)
    for part in name.split("."):
        value = getattr(value, part)
    return value
'''


def _configure(policy: Policy) -> str:
    lines = ["import torch.fx.experimental._config"]
    for name, value in {**policy.config, **policy.shape_config}.items():
        is_shape = name in policy.shape_config or name in SHAPE_OPTIONS
        module = "torch.fx.experimental._config" if is_shape else "torch._dynamo.config"
        lines.append(f"{module}.{name} = {value!r}")
    for name in ("dynamic_sources", "unbacked_sources"):
        if getattr(policy, name):
            lines.append("import torch.compiler.config")
            lines.append(f"torch.compiler.config.{name} = {getattr(policy, name)!r}")
    if policy.inductor:
        lines.append("import torch._inductor.config")
    lines += [
        f"torch._inductor.config.{name} = {value!r}" for name, value in policy.inductor.items()
    ]
    if policy.float32_matmul_precision:
        lines.append(f"torch.set_float32_matmul_precision({policy.float32_matmul_precision!r})")
    is_plain = len(lines) == 1
    body = ["pass"] if is_plain else lines
    return "\n".join(
        ["def configure():", '    """Options of torch, before anything is compiled."""']
        + [f"    {line}" for line in body]
    )


def _make_target(job: Job, history: History, factory: bool) -> str:
    subject = job.subject
    head = 'def make_target(maker):\n    """What is compiled."""\n'
    if subject.kind == "callable":
        call = "()" if factory else ""
        return f"{head}    return uncompiled(named({_absolute(subject.spec)!r})){call}"
    if subject.kind == "pt2":
        path = str(Path(subject.path).resolve())
        return f"{head}    return torch.export.load({path!r}).module()"
    try:
        text = Path(subject.path).read_text(encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"{subject.path}: {error}") from None
    program = program_of_graph(text, subject.inputs, history.distinct[0].inputs)
    return f"{program.source}\n\n{head}    return Step(maker)"


def _compile(policy: Policy) -> str:
    lines = [
        "def compile_target(target, number=0):",
        '    """The policy\'s torch.compile; each compiled function has another number."""',
    ]
    given = policy.compile_arguments()
    arguments = "".join(f", {name}={value!r}" for name, value in given.items())
    if policy.eager:
        return "\n".join([*lines, "    return target"])
    if policy.regions is None and "isolate_recompiles" in given:
        return OWN_CODE + "\n\n\n" + "\n".join([*lines, ISOLATED.format(given=given)])
    if policy.regions is None:
        return "\n".join([*lines, f"    return torch.compile(target{arguments})"])
    is_nested = policy.regions.way == "nested"
    lines += [
        "    import fnmatch",
        "",
        *(["    marked = {}  # a class holds its region, not its objects"] * is_nested),
        "    owners = [target]",
        "    if not isinstance(target, torch.nn.Module):  # a function that uses one",
        "        used = [uncompiled(value) for value in target.__globals__.values()]",
        "        owners = [value for value in used if isinstance(value, torch.nn.Module)]",
        "    named = [pair for owner in owners for pair in owner.named_modules()]",
        "    for name, module in named:",
        f"        if not any(fnmatch.fnmatchcase(name, p) for p in {policy.regions.modules!r}):",
        "            continue",
    ]
    if is_nested:
        lines += [
            "        known = type(module)",
            "        if known not in marked:",
            "            region = torch.compiler.nested_compile_region(known.forward)",
            "            marked[known] = type(known.__name__, (known,), {'forward': region})",
            "        module.__class__ = marked[known]",
            f"    return torch.compile(target{arguments})",
        ]
    else:
        lines.append(f"        module.forward = torch.compile(module.forward{arguments})")
        lines.append("    return target")
    return "\n".join(lines)


def _dims(
    dims: Sequence[PaddedDim], arguments: set[str]
) -> list[tuple[tuple[str | int, ...], int, float]]:
    return [(place_of(dim.source, arguments), dim.dim, dim.fill) for dim in dims]


def _prepare(policy: Policy, arguments: set[str]) -> str:
    lines = [
        "def prepare(values, index):",
        '    """What the policy does before each call; the way that the call is served."""',
    ]
    for mask in policy.masks:
        path, like = place_of(mask.source, arguments), place_of(mask.like, arguments)
        given = f"{mask.dim}, {policy.sizes_like(mask)!r}"
        lines.append(f"    mask_part(values, {path!r}, {like!r}, {given})")
    if policy.shapes is not None:
        dims = _dims(policy.shapes.dims, arguments)
        lines.append(f"    pad_shapes(values, {dims!r}, {policy.shapes.sizes!r})")
    lines.append('    way = ""')
    if policy.serving is not None:
        dims = _dims(policy.serving.dims, arguments)
        lines.append(f"    way, _ = serve_part(values, {dims!r}, {policy.serving.given()!r})")
    for bucket in policy.buckets:
        path = place_of(bucket.source, arguments)
        given = f"{bucket.dim}, {bucket.sizes!r}, {bucket.fill!r}"
        lines.append(f"    pad_part(values, {path!r}, {given})")
        if bucket.mark_static:
            lines.append(f"    mark_part(values, {path!r}, {bucket.dim}, 'static', None, None)")
    for mark in policy.marks:
        given = f"{mark.dim}, {mark.kind!r}, {mark.min!r}, {mark.max!r}"
        line = f"mark_part(values, {place_of(mark.source, arguments)!r}, {given})"
        condition = "" if mark.calls is None else f"if index in {mark.calls!r}: "
        lines.append(f"    {condition}{line}")
    return "\n".join([*lines, "    return way"])
