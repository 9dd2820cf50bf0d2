"""Inputs in which one thing is repeated n times, and the commands that read them.

Each generator takes n and returns a file, or several files by name, in which one thing occurs n times: a line, a record, a
piece of a line, a nesting level, a key, a rank, a function. PAIRS lists which command reads the output of which generator.
growth.py measures them; `inputs` yields them as bytes for other programs.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from growth_code import GENERATORS as CODE_GENERATORS

CODE = "code: "  # before the name of a generator of growth_code.py

Files = dict[str, bytes]
Generator = Callable[[int], "bytes | Files"]

PREFIX = "V0304 12:{:02}:{:02}.000000 4711 torch/_dynamo/{}] [{}] "


def prefixed(lines: list[str], compile_id: str = "0/0", module: str = "guards.py:5396", second: int = 0) -> str:
    """Lines of a torch log with a prefix each."""
    prefix = PREFIX.format(second // 60 % 60, second % 60, module, compile_id)
    return "".join(f"{prefix}{line}\n" for line in lines)


def recompile(function: str, line: int, number: int, reasons: list[str], frame: int = 0, second: int = 0) -> str:
    """A record of a recompilation."""
    texts = [
        f"Recompiling function {function} in /srv/app/model.py:{line}",
        "    triggered by the following guard failure(s):",
    ]
    texts += [f"    - {reason}" for reason in reasons]
    return prefixed([f"[__recompiles] {text}" for text in texts], f"{frame}/{number}", second=second)


def size_reason(entry: str, tensor: str, expected: int, actual: int) -> str:
    return f"{entry}: tensor '{tensor}' size mismatch at index 0. expected {expected}, actual {actual}"


def graph_break(function: str, line: int, extra: list[str] | None = None, frames: int = 1, frame: int = 0) -> str:
    """A record of a graph break; `extra` are lines of its explanation."""
    texts = [
        f"Graph break in user code at /srv/app/model.py:{line}",
        "Graph Break Reason: Call to `torch._dynamo.graph_break()`",
        "  Explanation: User-inserted graph break. Message: None",
        *(extra or []),
        "  Hint: Remove the `torch._dynamo.graph_break()` call.",
        "",
        "  Developer debug context: Called `torch._dynamo.graph_break()` with args `[]`, kwargs `{}`",
        "",
        " For more details about this graph break, please visit: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0025.html",
        "",
        "User code traceback:",
    ]
    for depth in range(frames):
        own = line if depth + 1 == frames else 100_000 + depth
        texts += [f'  File "/srv/app/model.py", line {own}, in {function}', "    torch._dynamo.graph_break()"]
    texts.append("")
    return prefixed([f"[__graph_breaks] {text}" for text in texts], f"{frame}/0", "symbolic_convert.py:5124")


def joined(make: Callable[[int], str], count: int) -> bytes:
    return "".join(make(number) for number in range(count)).encode()


# Logs.


def log_lines(n: int) -> bytes:
    return joined(lambda i: f"step {i} loss 0.{i}\n", n)


def log_blank_lines(n: int) -> bytes:
    return b"torch._dynamo.exc.Unsupported: x" + b"\n" * n + b"foo\n"


def log_blank_prefixed_lines(n: int) -> bytes:
    return (
        prefixed(["[__graph_breaks] Graph break in user code at /srv/app/model.py:3"])
        + prefixed(["[__graph_breaks] "] * n)
    ).encode()


def log_long_line(n: int) -> bytes:
    return b"torch._dynamo.exc.Unsupported: " + b"a" * n + b"\nfoo\n"


def log_limit_pieces(n: int) -> bytes:
    lines = [
        "torch._dynamo hit config.recompile_limit (8)",
        "   function: 'f' (/srv/app/model.py:1)",
        "   reasons: " * n,
    ]
    return prefixed(lines, "0/8", "convert_frame.py:964").encode()


def log_limits(n: int) -> bytes:
    return joined(
        lambda i: prefixed(
            [
                "torch._dynamo hit config.recompile_limit (8)",
                f"   function: 'f{i}' (/srv/app/model.py:{i + 1})",
                f"   last reason: {i}/7: self.pos == 7",
            ],
            f"{i}/8",
            "convert_frame.py:964",
        ),
        n,
    )


def log_resume_pieces(n: int) -> bytes:
    return prefixed(["torch_dynamo_resume_in_a " * n]).encode()


def log_resume_names(n: int) -> bytes:
    return joined(
        lambda i: prefixed([f"code torch_dynamo_resume_in_f{i}_at_{i + 3} /srv/app/model.py line {i + 3}"], f"{i}/0"), n
    )


def log_recompiles(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, i + 1, [size_reason(f"0/{i}", "x", i + 2, i + 3)], second=i), n)


def log_functions(n: int) -> bytes:
    return joined(lambda i: recompile(f"f{i}", i + 1, 1, [size_reason(f"{i}/0", "x", 4, 5)], i, i), n)


def log_functions_and_recompiles(n: int) -> bytes:
    """As many functions as recompilations of each."""
    side = max(1, int(n**0.5))
    return joined(
        lambda i: recompile(
            f"f{i // side}",
            i // side + 1,
            i % side + 1,
            [size_reason(f"{i // side}/{i % side}", "x", i % side + 2, i % side + 3)],
            i // side,
            i,
        ),
        side * side,
    )


def log_reasons(n: int) -> bytes:
    return recompile("step", 3, n, [size_reason(f"0/{n - 1 - i}", "x", i + 2, n + 9) for i in range(n)]).encode()


def log_reasons_of_each(n: int) -> bytes:
    """The i-th recompilation of a function has i reasons; n reasons in all."""
    side = max(1, int((2 * n) ** 0.5))
    return joined(
        lambda i: recompile(
            "step", 3, i + 1, [size_reason(f"0/{k}", "x", k + 2, i + 3) for k in range(i, -1, -1)], second=i
        ),
        side,
    )


def log_tensors(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, i + 1, [size_reason(f"0/{i}", f"x{i}", 4, 5)]), n)


def log_list_items(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, i + 1, [size_reason(f"0/{i}", f"xs[{i}]", 4, 5)]), n)


def log_compared_symbols(n: int) -> bytes:
    """Tensors that change one after another; each graph has symbols, which are compared with a number."""

    def graph(i: int) -> str:
        texts = []
        for k in range(8):
            texts.append(f"create_symbol s{k} = 18 for L['x{i + k}'].size()[0] [2, int_oo] y = x  # rv/app/model.py:9 in step")
            texts.append(f"eval s{k} < 16 [guard added] y = conv(x)  # rv/app/model.py:9 in step")
        return prefixed(texts, f"0/{i + 1}", "symbolic_shapes.py:5743")

    return joined(lambda i: recompile("step", 3, i + 1, [size_reason(f"0/{i}", f"x{i}", 14, 18)]) + graph(i), n)


def log_missing_tensors(n: int) -> bytes:
    """Arguments that are sometimes None, each with a line that asks for it."""

    def reason(i: int) -> str:
        return f"0/{i}: x{i} is None  # if x{i} is not None:  # app/model.py:{i + 9} in step"

    return joined(lambda i: recompile("step", 3, i + 1, [reason(i)]), n)


def log_lengths(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, i + 1, [f"0/{i}: len(xs{i}) == {i + 2}"]), n)


def log_pinned_sizes(n: int) -> bytes:
    """Sizes that vary one after another, each made a constant by a line of its own."""

    def graph(i: int) -> str:
        texts = [
            f"create_symbol s0 = 18 for L['x{i}'].size()[0] [2, int_oo] y = x  # rv/app/model.py:9 in step",
            f"eval Eq(s0, 18) [guard added] for t in range(T):  # rv/app/model.py:{i + 9} in step",
            "set_replacement s0 = 18 (range_refined_to_singleton) VR[18, 18]",
        ]
        return prefixed(texts, f"0/{i + 1}", "symbolic_shapes.py:5743")

    return joined(lambda i: recompile("step", 3, i + 1, [size_reason(f"0/{i}", f"x{i}", 14, 18)]) + graph(i), n)


def log_reason_pieces(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: " + " and ".join(f"L['x'].size()[{i}] == {i}" for i in range(n))]).encode()


def log_reason_brackets(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: " + "(" * n + "L['x'].size()[0]" + ")" * n + " == 3"]).encode()


def log_reason_brackets_open(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: " + "L['x'][" * n]).encode()


def log_reason_operators(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: L['x'].size()[0] == " + "1 + " * n + "L['y'].size()[0]"]).encode()


def log_keys(n: int) -> bytes:
    return recompile(
        "step", 3, 1, ["0/0: list(dict.keys(L['d'])) == [" + ", ".join(f"'key{i}'" for i in range(n)) + "]"]
    ).encode()


def log_quotes(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: L['x'] == " + "'" * n]).encode()


def log_values(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, i + 1, [f"0/{i}: L['n'] == {i}"]), n)


def log_breaks(n: int) -> bytes:
    return joined(lambda i: graph_break("step", i + 3), n)


def log_library_breaks(n: int) -> bytes:
    """Breaks in one package, each with a line of the user's that leads to it."""

    def library_break(i: int) -> str:
        texts = [
            f"Graph break in user code at /srv/venv/lib/python3.11/site-packages/shapes/ops.py:{i + 3}",
            "Graph Break Reason: Data-dependent branching",
            "User code traceback:",
            f'  File "/srv/app/model.py", line {i + 3}, in step',
            f"    y = self.ops[{i}](x)",
            f'  File "/srv/venv/lib/python3.11/site-packages/shapes/ops.py", line {i + 3}, in torch_dynamo_resume_in_op_at_{i + 2}',
            "    if x.any():",
            "",
        ]
        return prefixed([f"[__graph_breaks] {text}" for text in texts], f"{i}/0", "symbolic_convert.py:5124")

    return joined(library_break, n)


def log_equal_breaks(n: int) -> bytes:
    return joined(lambda i: graph_break("step", 3), n)


def log_break_frames(n: int) -> bytes:
    return graph_break("step", 3, frames=n).encode()


def log_break_explanation(n: int) -> bytes:
    return graph_break("step", 3, [f"    and then {i}" for i in range(n)]).encode()


def log_duplicate_breaks(n: int) -> bytes:
    line = "[__graph_breaks] Graph break (user stack suppressed due to duplicate graph break) in user code at /srv/app/model.py:3"
    return (graph_break("step", 3) + prefixed([line] * n)).encode()


def log_distant_errors(n: int) -> bytes:
    """One error again and again, more than a minute apart."""

    def error(i: int) -> str:
        day, rest = divmod(i * 70, 86_400)
        time = f"V{1 + day // 28 % 12:02}{1 + day % 28:02} {rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.000000"
        prefix = f"{time} 4711 torch/_dynamo/convert_frame.py:1] [0/0] "
        return prefix + "torch._dynamo.exc.Unsupported: x\n" + prefix + "\n"

    return joined(error, n)


def log_tracebacks(n: int) -> bytes:
    return joined(
        lambda i: (
            f'Traceback (most recent call last):\n  File "/srv/app/model.py", line {i + 1}, in f{i}\n    step()\n'
            f"torch._dynamo.exc.Unsupported: call of f{i}\n\nfrom user code:\n"
            f'   File "/srv/app/model.py", line {i + 1}, in f{i}\n    step()\n\n\n'
        ),
        n,
    )


def log_traceback_frames(n: int) -> bytes:
    frames = "".join(f'  File "/srv/app/model.py", line {i + 1}, in f{i}\n    step()\n' for i in range(n))
    return f"Traceback (most recent call last):\n{frames}torch._dynamo.exc.Unsupported: x\n\nfrom user code:\n{frames.replace('  File', '   File')}\n\n".encode()


def log_ranks(n: int) -> bytes:
    return joined(
        lambda i: "".join(
            f"[rank{i}]:{line}"
            for line in recompile("step", 3, 1, [size_reason("0/0", "x", 4, i + 5)]).splitlines(True)
        ),
        n,
    )


def log_interleaved_ranks(n: int) -> bytes:
    """Eight ranks whose lines take turns."""
    lines = [
        line
        for i in range(n)
        for line in recompile("step", 3, i + 1, [size_reason(f"0/{i}", "x", i + 2, i + 3)]).splitlines(True)
    ]
    return "".join(f"[rank{rank}]:{line}" for line in lines for rank in range(8)).encode()


def log_rank_files(n: int) -> Files:
    return {f"rank_{i}.log": recompile("step", 3, 1, [size_reason("0/0", "x", 4, i + 5)]).encode() for i in range(n)}


def log_processes(n: int) -> bytes:
    return joined(lambda i: recompile("step", 3, 1, [size_reason("0/0", "x", 4, 5)]).replace(" 4711 ", f" {i + 1} "), n)


def log_compile_ids(n: int) -> bytes:
    return joined(lambda i: prefixed(["compiling"], f"{i}/0"), n)


def log_constraints(n: int) -> bytes:
    names = [f"L['x{i}'].size()[0]" for i in range(n)]
    text = f'torch.fx.experimental.symbolic_shapes.ConstraintViolationError: Constraints violated ({", ".join(names)})! For more information, run with TORCH_LOGS="+dynamic".\n'
    return (
        text
        + "".join(
            f"  - Not all values of RelaxedUnspecConstraint({name}) are valid because {name} was inferred to be a constant (4).\n"
            for name in names
        )
    ).encode()


def guard_tree(n: int) -> list[str]:
    """A printed tree of guards over n tensors."""
    lines = [
        "TREE_GUARD_MANAGER:",
        "+- RootGuardManager",
        "| +- DEFAULT_DEVICE: utils_device.CURRENT_DEVICE == None  # x.py:1 in f",
    ]
    for i in range(n):
        source = f"L['x{i}']"
        lines += [
            f"| +- GuardManager: source={source}, accessed_by=FrameLocalsGuardAccessor(key='x{i}', framelocals_idx={i}), type=<class 'torch.Tensor'>",
            f"| | +- TENSOR_MATCH: check_tensor({source}, Tensor, DispatchKeySet(CPU), torch.float32, device=None, requires_grad=False, size=[None, {i}], stride=[{i}, 1])  # model.py:6 in f",
        ]
    return lines


def log_guards(n: int) -> bytes:
    return prefixed([f"[__guards] {line}" for line in ["GUARDS:", "", *guard_tree(n), ""]]).encode()


def log_guard_trees(n: int) -> bytes:
    return joined(
        lambda i: prefixed([f"[__guards] {line}" for line in ["GUARDS:", "", *guard_tree(2), ""]], f"{i}/0"), n
    )


def log_guard_depth(n: int) -> bytes:
    lines = ["GUARDS:", "", "TREE_GUARD_MANAGER:", "+- RootGuardManager"]
    lines += [
        "| " * (depth + 1) + f"+- GuardManager: source=L['a'].b{depth}, accessed_by=GetAttrGuardAccessor(b{depth})"
        for depth in range(max(1, int(n**0.5)))
    ]
    return prefixed([f"[__guards] {line}" for line in [*lines, ""]]).encode()


def log_guard_relations(n: int) -> bytes:
    relations = [f"Eq(L['x{i}'].size()[0], L['x{i + 1}'].size()[0])  # model.py:6 in f" for i in range(n)]
    lines = ["GUARDS:", "", "TREE_GUARD_MANAGER:", "+- RootGuardManager"]
    lines += [f"+- LAMBDA_GUARD: L['x{i}'].size()[0] == L['x{i + 1}'].size()[0]  # model.py:6 in f" for i in range(n)]
    return prefixed([f"[__guards] {line}" for line in [*lines, *relations[:0], ""]]).encode()


def log_symbols(n: int) -> bytes:
    module = "symbolic_shapes.py:5754"
    return joined(
        lambda i: prefixed(
            [
                f"create_symbol s{i} = {i + 3} for L['x{i}'].size()[0] [2, int_oo] return x (model.py:6 in f), for more info run with TORCHDYNAMO_EXTENDED_DEBUG_CREATE_SYMBOL=\"s{i}\""
            ],
            "0/0",
            module,
        ),
        n,
    )


def log_symbol_guards(n: int) -> bytes:
    module = "symbolic_shapes.py:5754"
    first = prefixed(
        ["create_symbol s0 = 7 for L['x'].size()[0] [2, int_oo] return x (model.py:6 in f)"], "0/0", module
    )
    return first.encode() + joined(
        lambda i: prefixed(
            [f"eval s0 < {i + 8} [guard added] if x.size(0) < n:  # model.py:{i + 6} in f"], "0/0", module
        ),
        n,
    )


def log_xla_counters(n: int) -> bytes:
    return joined(lambda i: f"Counter: aten::op{i}\n  Value: {i + 1}\n", n)


def log_xla_compilations(n: int) -> bytes:
    def block(i: int) -> str:
        head = "Compilation Analysis: "
        lines = [
            "=" * 80,
            "Compilation Cause",
            "  user mark_step",
            "Graph Info: ",
            f"  Graph Hash: {i:032x}",
            "  Number of Graph Inputs: 7",
            "Python Frame Triggered Execution: ",
            f"  step (/w/train.py:{i + 1})",
            "-" * 80,
            "=" * 80,
        ]
        return "".join(head + line + "\n" for line in lines)

    return joined(block, n)


def log_performance_hints(n: int) -> bytes:
    return joined(lambda i: f"Using FallbackKernel: aten.op{i}\n", n)


def log_cudagraphs(n: int) -> bytes:
    return joined(
        lambda i: (
            f'skipping cudagraphs due to mutated inputs ({i % 1000 + 1} instances). Found from : \n   File "/srv/app/model.py", line {i + 1}, in f\n'
        ),
        n,
    )


def log_escapes(n: int) -> bytes:
    return recompile("step", 3, 1, ["0/0: " + "\x1b[31m" * n + "L['x'] == 3"]).encode()


def log_containers(n: int) -> bytes:
    lines = log_recompiles(n).decode().splitlines(True)
    return "".join(f"2026-03-04T12:00:00.000000000Z stderr F {line}" for line in lines).encode()


def log_partial_lines(n: int) -> bytes:
    """A line that a container runtime cut into n pieces."""
    line = recompile("step", 3, 1, ["0/0: L['x'] == 3"])
    return "".join(f"2026-03-04T12:00:00.000000000Z stderr P {piece}\n" for piece in ["a"] * n).encode() + line.encode()


def log_wrapped(n: int) -> bytes:
    """Lines wrapped at 80 columns."""
    return b"".join(
        line[k : k + 80] + b"\n" for line in log_recompiles(n).splitlines() for k in range(0, len(line), 80)
    )


def log_carriage_returns(n: int) -> bytes:
    return b"\r".join(b"%d%%|##" % (i % 100) for i in range(n)) + b"\n" + log_recompiles(1)


def log_utf16(n: int) -> bytes:
    return b"\xff\xfe" + log_recompiles(n).decode().encode("utf-16-le")


def log_nul_bytes(n: int) -> bytes:
    return b"\0" * n + b"\n" + log_recompiles(1)


def log_graph_nodes(n: int) -> bytes:
    text = fx_readable(n).decode().splitlines()
    return prefixed(
        [f"[__graph_code] {line}" for line in ["TRACED GRAPH", " ===== __compiled_fn_1 =====", *text, ""]],
        "0/0",
        "output_graph.py:1",
    ).encode()


def log_graphs(n: int) -> bytes:
    text = fx_readable(2).decode().splitlines()
    return joined(
        lambda i: prefixed(
            [f"[__graph_code] {line}" for line in ["TRACED GRAPH", f" ===== __compiled_fn_{i} =====", *text, ""]],
            f"{i}/0",
            "output_graph.py:1",
        ),
        n,
    )


def log_step_prints(n: int) -> bytes:
    return joined(lambda i: f"step {i} loss 2.3 time {0.45 if i % 10 else 0.95}s\n", n)


# Structured traces.


def envelope(
    record: dict[str, object], payload: str | None = None, second: int = 0, frame: int | None = 0, number: int = 0
) -> str:
    """A line of a structured trace, and its payload."""
    own = dict(record)
    if frame is not None:
        own |= {"frame_id": frame, "frame_compile_id": number, "attempt": 0}
    if payload is not None:
        own["has_payload"] = "d1b579a077358df8e6b9ab6d46dde359"
    text = f"V0304 12:{second // 60 % 60:02}:{second % 60:02}.000000 4711 torch/_dynamo/utils.py:1] {json.dumps(own)}\n"
    if payload is not None:
        text += "".join(f"\t{line}\n" for line in payload.splitlines())
    return text


FILES = envelope({"str": ["/srv/app/model.py", 0]}, frame=None)


def compilation(function: str, line: int, frame: int, number: int, inside: str = "", second: int = 0) -> str:
    """A compilation of a structured trace: start, what comes in it, metrics."""
    start = envelope(
        {"dynamo_start": {"stack": [{"line": line, "name": function, "filename": 0}]}}, None, second, frame, number
    )
    tensor = envelope(
        {
            "describe_tensor": {
                "id": 0,
                "ndim": 2,
                "dtype": "torch.float32",
                "device": "device(type='cpu')",
                "size": [number + 4, 3],
                "is_leaf": True,
                "stride": [3, 1],
                "storage": 0,
                "describer_id": number,
            }
        },
        None,
        second,
        frame,
        number,
    )
    source = envelope(
        {"describe_source": {"describer_id": number, "id": 0, "source": "L['x']"}}, None, second, frame, number
    )
    metrics = envelope(
        {"compilation_metrics": {"compile_id": f"{frame}/{number}", "frame_key": str(frame + 1), "co_name": function, "co_filename": "/srv/app/model.py", "co_firstlineno": line, "cache_size": number, "accumulated_cache_size": number, "guard_count": 8, "shape_env_guard_count": 0, "graph_op_count": 1, "graph_node_count": 3, "graph_input_count": 1, "start_time": 1795269337.0 + second, "entire_frame_compile_time_s": 0.5, "backend_compile_time_s": 0.1, "fail_type": None}},
        None, second, frame, number,
    )  # fmt: skip
    return start + tensor + source + inside + metrics


def trace_compilations(n: int) -> bytes:
    def one(i: int) -> str:
        reasons = envelope(
            {"artifact": {"name": "recompile_reasons", "encoding": "json"}},
            json.dumps([size_reason(f"0/{i - 1}", "x", i + 3, i + 4)]),
            i,
            0,
            i,
        )
        return compilation("step", 3, 0, i, reasons if i else "", i)

    return FILES.encode() + joined(one, n)


def trace_functions(n: int) -> bytes:
    return FILES.encode() + joined(lambda i: compilation(f"f{i}", i + 1, i, 0, second=i), n)


def trace_functions_and_compilations(n: int) -> bytes:
    """As many functions as compilations of each, each with a graph and guards."""
    side = max(1, int(n**0.5))
    tree = "\n".join(["", *guard_tree(1)])

    def one(i: int) -> str:
        frame, number = divmod(i, side)
        inside = envelope(
            {"dynamo_output_graph": {"sizes": {"l_x_": [number + 4, 3], "add": [number + 4, 3]}}},
            fx_readable(1).decode(),
            i,
            frame,
            number,
        )
        inside += envelope({"dynamo_cpp_guards_str": {}}, tree, i, frame, number)
        return compilation(f"f{frame}", frame + 1, frame, number, inside, i)

    return FILES.encode() + joined(one, side * side)


def trace_unfinished(n: int) -> bytes:
    return FILES.encode() + joined(
        lambda i: envelope({"dynamo_start": {"stack": [{"line": 3, "name": f"f{i}", "filename": 0}]}}, None, i, i, 0), n
    )


def trace_strings(n: int) -> bytes:
    return joined(lambda i: envelope({"str": [f"/srv/app/model{i}.py", i]}, frame=None), n) + trace_compilations(1)


def trace_frames(n: int) -> bytes:
    stack = [{"line": i + 1, "name": f"f{i}", "filename": 0} for i in range(n)]
    return (FILES + envelope({"dynamo_start": {"stack": stack}})).encode() + trace_compilations(1)


def trace_payload_lines(n: int) -> bytes:
    return (
        FILES
        + compilation("step", 3, 0, 0, envelope({"inductor_output_code": {"filename": "/tmp/a.py"}}, "x = 1\n" * n))
    ).encode()


def trace_guards(n: int) -> bytes:
    return (
        FILES + compilation("step", 3, 0, 0, envelope({"dynamo_cpp_guards_str": {}}, "\n".join(["", *guard_tree(n)])))
    ).encode()


def trace_guard_line(n: int) -> bytes:
    tree = [
        "",
        "TREE_GUARD_MANAGER:",
        "+- RootGuardManager",
        "+- LAMBDA_GUARD: " + " and ".join(f"L['x'].size()[{i}] > {i}" for i in range(n)),
    ]
    return (FILES + compilation("step", 3, 0, 0, envelope({"dynamo_cpp_guards_str": {}}, "\n".join(tree)))).encode()


def trace_keys(n: int) -> bytes:
    return (FILES + envelope({f"key{i}": i for i in range(n)}) + compilation("step", 3, 0, 0)).encode()


def trace_nesting(n: int) -> bytes:
    head = 'V0304 12:00:00.000000 4711 torch/_dynamo/utils.py:1] {"dynamo_start": '
    return (FILES + head + "[" * n + "]" * n + "}\n" + compilation("step", 3, 0, 0)).encode()


def trace_long_string(n: int) -> bytes:
    return (FILES + envelope({"str": ["a" * n, 7]}, frame=None) + compilation("step", 3, 0, 0)).encode()


def trace_reasons(n: int) -> bytes:
    reasons = json.dumps([size_reason(f"0/{n - i}", "x", i + 3, n + 4) for i in range(n)])
    return (
        FILES
        + compilation(
            "step", 3, 0, n, envelope({"artifact": {"name": "recompile_reasons", "encoding": "json"}}, reasons, 0, 0, n)
        )
    ).encode()


def trace_errors(n: int) -> bytes:
    def one(i: int) -> str:
        text = f'Traceback (most recent call last):\ntorch._dynamo.exc.Unsupported: call {i}\n\nfrom user code:\n   File "/srv/app/model.py", line {i + 1}, in f\n    f()\n'
        return compilation(
            "f", 1, 0, i, envelope({"artifact": {"name": "dynamo_error", "encoding": "string"}}, text, i, 0, i), i
        )

    return FILES.encode() + joined(one, n)


def trace_breaks(n: int) -> bytes:
    def one(i: int) -> str:
        text = f'Graph break in user code at /srv/app/model.py:{i + 1}\nGraph Break Reason: Call to `torch._dynamo.graph_break()`\n  Explanation: x\n\nUser code traceback:\n  File "/srv/app/model.py", line {i + 1}, in f\n    f()\n'
        return compilation(
            f"f{i}",
            i + 1,
            i,
            0,
            envelope({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}}, text, i, i, 0),
            i,
        )

    return FILES.encode() + joined(one, n)


def trace_symbols(n: int) -> bytes:
    inside = "".join(
        envelope(
            {
                "create_symbol": {
                    "symbol": f"s{i}",
                    "val": "6",
                    "vr": "[2, int_oo]",
                    "source": f"L['x{i}'].size()[0]",
                    "user_stack": [{"line": 6, "name": "step", "filename": 0}],
                    "stack": [],
                }
            }
        )
        for i in range(n)
    )
    return (FILES + compilation("step", 3, 0, 0, inside)).encode()


def trace_symbol_guards(n: int) -> bytes:
    inside = envelope(
        {
            "create_symbol": {
                "symbol": "s0",
                "val": "6",
                "vr": "[2, int_oo]",
                "source": "L['x'].size()[0]",
                "user_stack": [],
                "stack": [],
            }
        }
    )
    inside += "".join(
        envelope(
            {
                "guard_added_fast": {
                    "expr": f"s0 < {i + 8}",
                    "user_stack": [{"line": i + 6, "name": "step", "filename": 0}],
                    "stack": [],
                }
            }
        )
        for i in range(n)
    )
    return (FILES + compilation("step", 3, 0, 0, inside)).encode()


def trace_tensors(n: int) -> bytes:
    inside = "".join(
        envelope(
            {
                "describe_tensor": {
                    "id": i,
                    "ndim": 2,
                    "dtype": "torch.float32",
                    "device": "device(type='cpu')",
                    "size": [4, i + 3],
                    "is_leaf": True,
                    "stride": [3, 1],
                    "storage": i,
                    "describer_id": 0,
                }
            }
        )
        + envelope({"describe_source": {"describer_id": 0, "id": i, "source": f"L['x{i}']"}})
        for i in range(1, n + 1)
    )
    return (FILES + compilation("step", 3, 0, 0, inside)).encode()


def trace_timeline_events(n: int) -> bytes:
    inside = "".join(
        envelope(
            {"chromium_event": {}},
            json.dumps(
                {
                    "name": f"phase{i // 2}",
                    "ts": 1795269337630590.2 + i,
                    "args": {"compile_id": "0/0"},
                    "ph": "BE"[i % 2],
                    "cat": "dynamo_timed",
                    "tid": 0,
                    "pid": 0,
                }
            ),
        )
        for i in range(n)
    )
    return (FILES + compilation("step", 3, 0, 0, inside)).encode()


def trace_rank_files(n: int) -> Files:
    return {
        f"dedicated_log_torch_trace_rank_{i}_abc.log": (FILES + compilation("step", 3, 0, 0)).encode() for i in range(n)
    }


def trace_graph_nodes(n: int) -> bytes:
    sizes = {"l_x_": [4, 3]} | {f"add_{i}": [4, 3] for i in range(n)}
    return (
        FILES
        + compilation("step", 3, 0, 0, envelope({"dynamo_output_graph": {"sizes": sizes}}, fx_readable(n).decode()))
    ).encode()


def trace_graphs(n: int) -> bytes:
    def one(i: int) -> str:
        return compilation(
            f"f{i}",
            i + 1,
            i,
            0,
            envelope({"dynamo_output_graph": {"sizes": {"l_x_": [4, 3]}}}, fx_readable(2).decode(), i, i, 0),
            i,
        )

    return FILES.encode() + joined(one, n)


# Profiles and tables of step times.


def profile(events: list[str]) -> bytes:
    return ('{"schemaVersion": 1, "traceEvents": [\n' + ",\n".join(events) + "\n]}\n").encode()


def profile_steps(n: int) -> bytes:
    return profile(
        [
            json.dumps(
                {"ph": "X", "name": f"ProfilerStep#{i}", "pid": 7, "ts": i * 1000, "dur": 990 if i % 10 else 9900}
            )
            for i in range(n)
        ]
    )


def profile_events(n: int) -> bytes:
    steps = [
        json.dumps({"ph": "X", "name": f"ProfilerStep#{i}", "pid": 7, "ts": i * 100_000, "dur": 99_000})
        for i in range(20)
    ]
    return profile(
        steps
        + [
            json.dumps({"ph": "X", "cat": "cpu_op", "name": f"aten::op{i}", "pid": 7, "tid": 7, "ts": i * 10, "dur": 9})
            for i in range(n)
        ]
    )


def stalled_steps(count: int, period: int = 10) -> list[str]:
    """Steps of which every period-th takes four times as long."""
    events, begin = [], 0
    for i in range(count):
        seconds = 400_000 if i % period == period - 1 else 100_000
        events.append(json.dumps({"ph": "X", "name": f"ProfilerStep#{i}", "pid": 7, "ts": begin, "dur": seconds}))
        begin += seconds
    return events


def profile_functions(n: int) -> bytes:
    """As many steps as functions of another process."""
    others = [
        json.dumps(
            {
                "ph": "X",
                "cat": "kernel_sample",
                "name": f"function{i}",
                "pid": 8,
                "tid": 8,
                "ts": i * 130_000,
                "dur": 100,
                "args": {"process": "agent"},
            }
        )
        for i in range(n)
    ]
    names = [json.dumps({"ph": "M", "name": "process_name", "pid": 8, "args": {"name": "agent"}})]
    return profile(names + stalled_steps(n) + others)


def profile_stalls(n: int) -> bytes:
    """Stalls at distances without a period."""
    events, begin = [], 0
    for i in range(n):
        seconds = 400_000 if (i * i * 7919) % 11 == 3 else 100_000 + i % 7
        events.append(json.dumps({"ph": "X", "name": f"ProfilerStep#{i}", "pid": 7, "ts": begin, "dur": seconds}))
        begin += seconds
    return profile(events)


def profile_processes(n: int) -> bytes:
    names = [
        json.dumps({"ph": "M", "name": "process_name", "pid": i + 10, "args": {"name": f"agent{i}"}}) for i in range(n)
    ]
    spans = [
        json.dumps({"ph": "X", "name": "work", "pid": i + 10, "tid": 1, "ts": i * 100, "dur": 90}) for i in range(n)
    ]
    return profile(stalled_steps(100) + names + spans)


def profile_nesting(n: int) -> bytes:
    return profile([*stalled_steps(10), '{"ph": "X", "name": "a", "args": ' + "[" * n + "]" * n + "}"])


def profile_keys(n: int) -> bytes:
    return profile(
        [
            *stalled_steps(10),
            json.dumps({"ph": "X", "name": "a", "pid": 7, "ts": 1, "dur": 2, "args": {f"key{i}": i for i in range(n)}}),
        ]
    )


def profile_long_name(n: int) -> bytes:
    return profile([*stalled_steps(10), json.dumps({"ph": "X", "name": "a" * n, "pid": 7, "ts": 1, "dur": 2})])


def profile_compilations(n: int) -> bytes:
    spans = [
        json.dumps(
            {
                "ph": "X",
                "cat": "user_annotation",
                "name": f"Torch-Compiled Region: {i}/0",
                "pid": 7,
                "tid": 7,
                "ts": i * 90_000,
                "dur": 80_000,
            }
        )
        for i in range(n)
    ]
    return profile(stalled_steps(n) + spans)


SERVER_START = """\
(EngineCore pid=42) INFO 06-20 14:45:20 [core.py:105] Initializing a V1 LLM engine (v0.19.1) with config: model='thyme'
(EngineCore pid=42) INFO 06-20 14:45:30 [gpu_model_runner.py:4820] Model loading took 27.52 GiB memory and 6.902113 seconds
(EngineCore pid=42) INFO 06-20 14:45:37 [backends.py:1051] Using cache directory: /c/torch_compile_cache/{0}/rank_0_0 for vLLM's torch.compile
(EngineCore pid=42) INFO 06-20 14:46:00 [backends.py:390] Compiling a graph for compile range (1, 8192) takes 22.47 s
(EngineCore pid=42) INFO 06-20 14:46:03 [monitor.py:48] torch.compile took 31.92 s in total
(EngineCore pid=42) INFO 06-20 14:46:10 [core.py:283] init engine (profile, create kv cache, warmup model) took 39.91 seconds
"""


def server_starts(n: int) -> bytes:
    return joined(SERVER_START.format, n)


def server_workers(n: int) -> bytes:
    return joined(lambda i: f"(Worker_TP{i} pid={i}) INFO 06-20 14:46:03 [monitor.py:48] torch.compile took 31.92 s in total\n", n)


def server_batches(n: int) -> bytes:
    return joined(lambda i: f"(APIServer pid=1) INFO 06-20 14:55:01 [loggers.py:335] Engine 000: Running: {i} reqs, Waiting: 0 reqs\n", n)


def server_line(n: int) -> bytes:
    return b"Running: x Compiling a graph for " * n + b"\n"


def steps_rows(n: int) -> bytes:
    return b"step,seconds\n" + joined(lambda i: f"{i},{0.1 if i % 10 else 0.4}\n", n)


def steps_comments(n: int) -> bytes:
    return b"step,seconds\n1,0.1\n2,0.1\n3,0.1\n4,0.1\n" + b"# comment\n\n" * n


def steps_moments(n: int) -> bytes:
    return b"time,seconds\n" + joined(
        lambda i: f"2026-11-21 {i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}.5,{0.1 if i % 10 else 0.4}\n", n
    )


# Calls, scenarios, sizes.


def call(function: str, line: int, inputs: dict[str, object], **more: object) -> str:
    return (
        json.dumps({"function": function, "file": "/srv/app/model.py", "line": line, "inputs": inputs, **more}) + "\n"
    )


def calls_of_one(n: int) -> bytes:
    return joined(lambda i: call("step", 3, {"x": {"size": [8, i % 200 + 2]}, "n": 3}), n)


def calls_distinct(n: int) -> bytes:
    return joined(lambda i: call("step", 3, {"x": {"size": [8, i + 2]}, "n": i}), n)


def calls_functions(n: int) -> bytes:
    return joined(lambda i: call(f"f{i}", i + 1, {"x": {"size": [8, 5]}}), n)


def calls_inputs(n: int) -> bytes:
    inputs: dict[str, object] = {f"x{i}": {"size": [8, i + 2]} for i in range(n)}
    return (call("step", 3, inputs) * 3).encode()


def calls_nesting(n: int) -> bytes:
    value = '{"list": [' * n + "1" + "]}" * n
    return (
        '{"function": "step", "file": "/srv/app/model.py", "line": 3, "inputs": {"x": ' + value + "}}\n"
    ).encode() + calls_of_one(3)


def calls_dims(n: int) -> bytes:
    return (call("step", 3, {"x": {"size": list(range(2, n + 2))}}) * 3).encode()


def calls_long_text(n: int) -> bytes:
    return (call("step", 3, {"x": "a" * n}) * 3).encode()


def calls_and_log(n: int) -> Files:
    """Calls of few kinds beside a log whose misses do not say what missed."""
    log = "".join(
        recompile("step", 3, i + 1, [f"0/{i}: GLOBAL_STATE changed: grad_mode "], second=i) for i in range(200)
    )
    return {"run.log": log.encode(), "calls.jsonl": calls_of_one(n)}


def unexplained_misses(n: int) -> Files:
    """As many calls as misses whose reason is empty."""
    log = "".join(recompile("step", 3, i + 1, [f"0/{i}: "], second=i) for i in range(n))
    return {"run.log": log.encode(), "calls.jsonl": calls_of_one(n * 10)}


def scenario(name: str, arguments: list[str], calls: list[list[dict[str, object]]]) -> str:
    return (
        json.dumps(
            {
                "id": name,
                "fn": "step",
                "category": "free",
                "policy": {"dynamic": None},
                "argnames": arguments,
                "calls": [{"args": own} for own in calls],
            }
        )
        + "\n"
    )


def scenarios_many(n: int) -> bytes:
    return joined(lambda i: scenario(f"s{i}", ["x"], [[{"k": "T", "shape": [4, size]}] for size in (3, 5, 7)]), n)


def scenario_calls(n: int) -> bytes:
    return scenario("s", ["x"], [[{"k": "T", "shape": [4, i + 3]}] for i in range(n)]).encode()


def static_scenario(n: int, value_of: Callable[[int], dict[str, object]]) -> bytes:
    """Calls of which each has an entry of its own."""
    text = json.dumps(
        {
            "id": "s",
            "fn": "step",
            "category": "free",
            "policy": {
                "dynamic": False,
                "config": {"recompile_limit": 1 << 20, "accumulated_recompile_limit": 1 << 20},
            },
            "argnames": ["x"],
            "calls": [{"args": [value_of(i)]} for i in range(n)],
        }
    )
    return (text + "\n").encode()


def scenario_static_calls(n: int) -> bytes:
    return static_scenario(n, lambda i: {"k": "T", "shape": [4, i + 3]})


def scenario_static_ints(n: int) -> bytes:
    return static_scenario(n, lambda i: {"k": "int", "v": i + 3})


def scenario_arguments(n: int) -> bytes:
    calls: list[list[dict[str, object]]] = [[{"k": "T", "shape": [4, k + 3]} for _ in range(n)] for k in range(3)]
    return scenario("s", [f"x{i}" for i in range(n)], calls).encode()


def scenario_dims(n: int) -> bytes:
    return scenario("s", ["x"], [[{"k": "T", "shape": [k + 3] * n}] for k in range(3)]).encode()


def lengths_rows(n: int) -> bytes:
    return joined(lambda i: f"{16 + (i * i) % 977}\n", n)


def lengths_distinct(n: int) -> bytes:
    return joined(lambda i: f"{16 + i * 3}\n", n)


def lengths_columns(n: int) -> bytes:
    return b"batch,length\n" + joined(lambda i: f"{1 + i % 8},{16 + (i * i) % 97}\n", n)


def lengths_wide(n: int) -> bytes:
    head = ",".join(f"c{i}" for i in range(n)) + "\n"
    return (head + (",".join(str(i % 97 + 3) for i in range(n)) + "\n") * 4).encode()


def lengths_histogram(n: int) -> bytes:
    return b"length,count\n" + joined(lambda i: f"{16 + i},{1 + i % 7}\n", n)


def lengths_json(n: int) -> bytes:
    return joined(lambda i: json.dumps({"prompt": 16 + (i * i) % 977, "more": "a"}) + "\n", n)


# Graphs.


def fx_readable(n: int) -> bytes:
    lines = [
        "class GraphModule(torch.nn.Module):",
        '    def forward(self, L_x_: "f32[s0, 6]"):',
        "        l_x_ = L_x_",
        "",
    ]
    before = "l_x_"
    for i in range(n):
        lines += [
            f"        # File: /srv/app/model.py:{i + 1} in f, code: x = x + 1",
            f'        add_{i}: "f32[s0, 6]" = {before} + 1;  {before} = None',
        ]
        before = f"add_{i}"
    return ("\n".join([*lines, f"        return ({before},)"]) + "\n").encode()


def fx_graph(n: int) -> bytes:
    lines = ["graph():", "    %x : torch.Tensor [num_users=1] = placeholder[target=x]"]
    before = "x"
    for i in range(n):
        lines.append(
            f"    %add_{i} : [num_users=1] = call_function[target=operator.add](args = (%{before}, 1), kwargs = {{}})"
        )
        before = f"add_{i}"
    return ("\n".join([*lines, f"    return ({before},)"]) + "\n").encode()


def fx_tabular(n: int) -> bytes:
    lines = [
        "opcode         name     target                   args        kwargs",
        "-------------  -------  -----------------------  ----------  --------",
        "placeholder    x        x                        ()          {}",
    ]
    before = "x"
    for i in range(n):
        lines.append(f"call_function  add_{i}    <built-in function add>  ({before}, 1)      {{}}")
        before = f"add_{i}"
    return (
        "\n".join([*lines, f"output         output   output                   (({before},),)  {{}}"]) + "\n"
    ).encode()


def fx_code(n: int) -> bytes:
    lines = ["", "", "", "def forward(self, x):"]
    before = "x"
    for i in range(n):
        lines.append(f"    add_{i} = {before} + 1;  {before} = None")
        before = f"add_{i}"
    return ("\n".join([*lines, f"    return ({before},)"]) + "\n").encode()


def fx_placeholders(n: int) -> bytes:
    names = [f'x{i}: "f32[s{i}, 6]"' for i in range(n)]
    lines = [
        "class GraphModule(torch.nn.Module):",
        f"    def forward(self, {', '.join(names)}):",
        '        add: "f32[s0, 6]" = torch.ops.aten.add.Tensor(x0, 1)',
        "        return (add,)",
    ]
    return ("\n".join(lines) + "\n").encode()


def fx_arguments(n: int) -> bytes:
    lines = ["graph():"] + [f"    %x{i} : torch.Tensor [num_users=1] = placeholder[target=x{i}]" for i in range(n)]
    lines.append(
        "    %cat : [num_users=1] = call_function[target=torch.cat](args = (["
        + ", ".join(f"%x{i}" for i in range(n))
        + "], 0), kwargs = {})"
    )
    return ("\n".join([*lines, "    return (cat,)"]) + "\n").encode()


def fx_users(n: int) -> bytes:
    """One node that n others use."""
    lines = ["class GraphModule(torch.nn.Module):", '    def forward(self, x: "f32[s0, 6]"):']
    lines += [f'        add_{i}: "f32[s0, 6]" = torch.ops.aten.add.Tensor(x, {i})' for i in range(n)]
    return ("\n".join([*lines, "        return (" + ", ".join(f"add_{i}" for i in range(n)) + ",)"]) + "\n").encode()


def fx_all_pairs(n: int) -> bytes:
    """A chain in which each node adds the last two."""
    lines = [
        "class GraphModule(torch.nn.Module):",
        '    def forward(self, x: "f32[s0, 6]"):',
        '        add_0: "f32[s0, 6]" = torch.ops.aten.add.Tensor(x, x)',
        '        add_1: "f32[s0, 6]" = torch.ops.aten.add.Tensor(x, add_0)',
    ]
    lines += [
        f'        add_{i}: "f32[s0, 6]" = torch.ops.aten.add.Tensor(add_{i - 1}, add_{i - 2})' for i in range(2, n + 2)
    ]
    return ("\n".join([*lines, f"        return (add_{n + 1},)"]) + "\n").encode()


def fx_cat_chain(n: int) -> bytes:
    """A chain of concatenations, whose size is a sum of more and more symbols."""
    names = [f'x{i}: "f32[s{i}, 6]"' for i in range(n + 1)]
    lines = ["class GraphModule(torch.nn.Module):", f"    def forward(self, {', '.join(names)}):"]
    before = "x0"
    for i in range(1, n + 1):
        lines.append(f"        cat_{i} = torch.ops.aten.cat.default([{before}, x{i}])")
        before = f"cat_{i}"
    return ("\n".join([*lines, f"        return ({before},)"]) + "\n").encode()


def fx_expression(n: int) -> bytes:
    return fx_size(" + ".join(f"s{i}" for i in range(n)))


def fx_product(n: int) -> bytes:
    return fx_size("*".join(f"(s{i} + 1)" for i in range(n)))


def fx_expression_depth(n: int) -> bytes:
    return fx_size("(" * n + "s0" + "//2)" * n)


def fx_size(text: str) -> bytes:
    """A graph with a placeholder of this size."""
    lines = [
        "class GraphModule(torch.nn.Module):",
        f'    def forward(self, x: "f32[{text}, 6]"):',
        '        relu: "f32[s0, 6]" = torch.ops.aten.relu.default(x)',
        "        return (relu,)",
    ]
    return ("\n".join(lines) + "\n").encode()


def fx_rank(n: int) -> bytes:
    return fx_size(", ".join(f"s{i}" for i in range(n)))


def fx_argument_depth(n: int) -> bytes:
    lines = [
        "graph():",
        "    %x : torch.Tensor [num_users=1] = placeholder[target=x]",
        "    %f : [num_users=1] = call_function[target=torch.f](args = ("
        + "(" * n
        + "%x"
        + ",)" * n
        + ",), kwargs = {})",
        "    return (f,)",
    ]
    return ("\n".join(lines) + "\n").encode()


def fx_graphs(n: int) -> bytes:
    return fx_graph(2) * n


def exported(n: int) -> bytes:
    body = fx_readable(n).decode().replace("L_x_", "x").replace("l_x_ = x\n", "\n").replace("l_x_", "x")
    inputs = "".join(f"    p_{i}: PARAMETER target='w{i}'\n" for i in range(n))
    ranges = ", ".join(f"s{i}: VR[2, 64]" for i in range(n))
    return (
        "ExportedProgram:\n"
        + "".join("    " + line + "\n" for line in body.splitlines())
        + f"\nGraph signature: \n    # inputs\n{inputs}    x: USER_INPUT\n    # outputs\n    add_{n - 1}: USER_OUTPUT\n\nRange constraints: {{{ranges}}}\n"
    ).encode()


def torchscript_nodes(n: int) -> bytes:
    lines = ["graph(%x.1 : Tensor):", "  %c : int = prim::Constant[value=1]()"]
    before = "x.1"
    for i in range(n):
        lines.append(f"  %a{i} : Tensor = aten::add(%{before}, %c, %c) # /srv/app/model.py:{i + 1}:8")
        before = f"a{i}"
    return ("\n".join([*lines, f"  return (%{before})"]) + "\n").encode()


def torchscript_blocks(n: int) -> bytes:
    depth = max(1, int(n**0.5))
    lines = ["graph(%x : Tensor, %c : bool):"]
    for level in range(depth):
        lines += [
            "  " * (2 * level + 1) + f"%a{level} : Tensor = prim::If(%c) # m.py:1:1",
            "  " * (2 * level + 2) + "block0():",
        ]
    for level in range(depth - 1, -1, -1):
        lines += [
            "  " * (2 * level + 3) + "-> (%x)",
            "  " * (2 * level + 2) + "block1():",
            "  " * (2 * level + 3) + "-> (%x)",
        ]
    return ("\n".join([*lines, "  return (%a0)"]) + "\n").encode()


def torchscript_code(n: int) -> bytes:
    return (
        "def forward(self,\n    x: Tensor) -> Tensor:\n  x0 = x\n"
        + "".join(f"  x{i + 1} = torch.add(x{i}, 1)\n" for i in range(n))
        + f"  return x{n}\n"
    ).encode()


def archive(files: dict[str, bytes]) -> bytes:
    """A zip archive of stored files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as opened:
        for name, content in files.items():
            opened.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return out.getvalue()


def torchscript_archive(nodes: int, attribute: bytes, more: Files | None = None) -> bytes:
    """An archive of a module whose forward has so many nodes; `attribute` are opcodes that pickle a value."""
    lines = torchscript_code(nodes).decode().replace("def forward(self,", "def forward(self: __torch__.M,").splitlines()
    code = "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  a : int\n" + "".join(
        f"  {line}\n" for line in lines
    )
    data = b"\x80\x02c__torch__\nM\n)\x81}X\x01\x00\x00\x00a" + attribute + b"sb."
    files = {
        "m/data.pkl": data,
        "m/code/__torch__.py": code.encode(),
        "m/constants.pkl": pickle.dumps((), 2),
        "m/version": b"3\n",
    }
    return archive(files | (more or {}))


def archive_entries(n: int) -> bytes:
    return torchscript_archive(2, b"K\x01", {f"m/data/{i}": b"abcd" for i in range(n)})


def archive_code(n: int) -> bytes:
    return torchscript_archive(n, b"K\x01")


def archive_pickle_items(n: int) -> bytes:
    return torchscript_archive(2, pickle.dumps({f"key{i}": i for i in range(n)}, 2)[2:-1])


def archive_pickle_depth(n: int) -> bytes:
    return torchscript_archive(2, b"]" * n + b"a" * (n - 1))


def archive_pickle_doubling(n: int) -> bytes:
    """Each tuple contains the one before twice: n levels stand for 2^n values."""
    return torchscript_archive(2, b"]q\x00" + b"h\x00\x86q\x00" * n)


def export_archive_nodes(n: int) -> bytes:
    """A .pt2 archive whose graph has n nodes."""

    def tensor(name: str) -> dict[str, object]:
        return {"as_tensor": {"name": name}}

    meta = {
        "dtype": 7,
        "sizes": [{"as_expr": {"expr_str": "s0", "hint": {"as_int": 4}}}, {"as_int": 6}],
        "requires_grad": False,
        "device": {"type": "cpu", "index": None},
        "strides": [{"as_int": 6}, {"as_int": 1}],
        "storage_offset": {"as_int": 0},
        "layout": 7,
    }
    nodes = [
        {
            "target": "torch.ops.aten.relu.default",
            "inputs": [{"name": "self", "arg": tensor(f"r{i - 1}" if i else "x"), "kind": 1}],
            "outputs": [tensor(f"r{i}")],
            "metadata": {"stack_trace": f'  File "/srv/app/model.py", line {i + 1}, in forward\n    x = x.relu()\n'},
            "is_hop_single_tensor_return": None,
        }
        for i in range(n)
    ]
    graph = {
        "inputs": [tensor("x")],
        "outputs": [tensor(f"r{n - 1}")],
        "nodes": nodes,
        "tensor_values": {"x": meta} | {f"r{i}": meta for i in range(n)},
        "sym_int_values": {},
        "sym_bool_values": {},
        "is_single_tensor_return": False,
        "custom_obj_values": {},
        "sym_float_values": {},
    }
    signature = {
        "input_specs": [{"user_input": {"arg": tensor("x")}}],
        "output_specs": [{"user_output": {"arg": tensor(f"r{n - 1}")}}],
    }
    program = {
        "graph_module": {"graph": graph, "signature": signature, "module_call_graph": [], "metadata": {}},
        "opset_version": {"aten": 10},
        "range_constraints": {"s0": {"min_val": 2, "max_val": 64}},
        "schema_version": {"major": 8, "minor": 8},
        "verifiers": [],
        "torch_version": "2.13.0",
    }
    return archive(
        {
            "m/archive_format": b"pt2",
            "m/archive_version": b"0",
            "m/models/model.json": json.dumps(program).encode(),
            "m/byteorder": b"little",
        }
    )


# Python code.

MODULE = "import torch\nimport torch.nn as nn\n\n\n"


def python_methods(n: int) -> bytes:
    return (
        MODULE
        + "class Net(nn.Module):\n"
        + "".join(f"    def f{i}(self, x):\n        return x.relu() + {i}\n\n" for i in range(n))
        + "    def forward(self, x):\n        return self.f0(x)\n"
    ).encode()


def python_modules(n: int) -> bytes:
    return (
        MODULE
        + "".join(
            f"class Net{i}(nn.Module):\n    def forward(self, x):\n        print(x)\n        return x\n\n\n"
            for i in range(n)
        )
    ).encode()


def python_inheritance(n: int) -> bytes:
    return (
        MODULE
        + "class Net0(nn.Module):\n    pass\n\n\n"
        + "".join(f"class Net{i + 1}(Net{i}):\n    def f{i}(self, x):\n        return x\n\n\n" for i in range(n))
        + f"class Last(Net{n}):\n    def forward(self, x):\n        return self.f0(x)\n"
    ).encode()


def forward(lines: list[str]) -> bytes:
    """A module whose forward has these lines."""
    return (
        MODULE
        + "class Net(nn.Module):\n    def forward(self, x, n, flag):\n"
        + "".join(f"        {line}\n" for line in [*lines, "return x"])
    ).encode()


def python_statements(n: int) -> bytes:
    return forward([f"x = x + {i}" for i in range(n)])


def python_breaks(n: int) -> bytes:
    return forward(["print(x)"] * n)


def python_ignores(n: int) -> bytes:
    return forward(["print(x)  # shapewise: ignore[SWP001] wanted"] * n)


def python_variables(n: int) -> bytes:
    return forward(["x0 = x"] + [f"x{i + 1} = x{i}.relu()" for i in range(n)])


def python_branches(n: int) -> bytes:
    return forward([line for i in range(n) for line in (f"if flag == {i}:", f"    x = x + {i}")])


def python_alternatives(n: int) -> bytes:
    lines = [line for i in range(n) for line in (f"{'elif' if i else 'if'} n == {i}:", f"    x = x + {i}")]
    return forward(lines)


def python_loops(n: int) -> bytes:
    depth = min(n, 90)
    return forward(
        [
            line
            for _ in range(max(1, n // depth))
            for line in ["  " * level + f"for i{level} in range(n):" for level in range(depth)]
            + ["  " * depth + "x = x + 1"]
        ]
    )


def python_chain(n: int) -> bytes:
    return forward(["a = [x]", "b = a" + ".copy()" * n])


def python_tensor_chain(n: int) -> bytes:
    return forward(["x = x" + ".relu()" * n])


def python_calls_in_calls(n: int) -> bytes:
    return forward(["x = " + "torch.relu(" * n + "x" + ")" * n])


def python_brackets(n: int) -> bytes:
    return forward(["y = " + "(" * n + "x" + ")" * n])


def python_brackets_open(n: int) -> bytes:
    return (MODULE + "x = " + "[" * n + "\n").encode()


def python_sum(n: int) -> bytes:
    return forward(["x = x" + " + x" * n])


def python_conditions(n: int) -> bytes:
    return forward(["y = " + "x if flag else " * n + "x"])


def python_list(n: int) -> bytes:
    return (MODULE + "a = [" + ", ".join(str(i) for i in range(n)) + "]\n").encode()


def python_dict(n: int) -> bytes:
    return forward(["d = {" + ", ".join(f"'key{i}': x" for i in range(n)) + "}", "x = d['key0']"])


def python_string(n: int) -> bytes:
    return (MODULE + 'a = """' + "a\n" * n + '"""\n').encode()


def python_format_string(n: int) -> bytes:
    return forward(['y = f"' + "{n}" * n + '"'])


def python_decorators(n: int) -> bytes:
    return (MODULE + "".join("@torch.no_grad()\n" for _ in range(n)) + "def f(x):\n    return x\n").encode()


def python_imports(n: int) -> bytes:
    return (joined(lambda i: f"from package.module{i} import name{i}\n", n).decode() + MODULE).encode()


def python_blank_lines(n: int) -> bytes:
    return b"\n" * n + forward(["print(x)"])


def python_comments(n: int) -> bytes:
    return b"# comment\n" * n + forward(["print(x)"])


def python_call_chain(n: int) -> bytes:
    """n functions, each of which calls the next."""
    return (
        MODULE
        + "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n\n\n" for i in range(n))
        + f"def f{n}(x):\n    return x\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return f0(x)\n"
    ).encode()


def python_call_tree(n: int) -> bytes:
    """n functions, each of which calls the next one twice."""
    return (
        MODULE
        + "".join(f"def f{i}(x):\n    return f{i + 1}(x) + f{i + 1}(x)\n\n\n" for i in range(n))
        + f"def f{n}(x):\n    return x\n\n\nclass Net(nn.Module):\n    def forward(self, x):\n        return f0(x)\n"
    ).encode()


def python_callers(n: int) -> bytes:
    return (
        MODULE
        + "def f(x):\n    print(x)\n    return x\n\n\n"
        + "".join(f"class Net{i}(nn.Module):\n    def forward(self, x):\n        return f(x)\n\n\n" for i in range(n))
    ).encode()


def python_submodules(n: int) -> bytes:
    return (
        MODULE
        + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        + "".join(f"        self.a{i} = nn.Linear(3, 3)\n" for i in range(n))
        + "    def forward(self, x):\n"
        + "".join(f"        x = self.a{i}(x)\n" for i in range(n))
        + "        return x\n"
    ).encode()


def python_functions_in_functions(n: int) -> bytes:
    depth = min(n, 90)
    one = "".join("    " * level + f"def f{level}(x):\n" for level in range(depth)) + "    " * depth + "return x\n\n\n"
    return (MODULE + one * max(1, n // depth)).encode()


def python_files(n: int) -> Files:
    return {
        f"m{i}.py": f"from m{i + 1} import f{i + 1}\n\n\ndef f{i}(x):\n    return f{i + 1}(x)\n".encode()
        for i in range(n)
    } | {f"m{n}.py": forward(["print(x)"])}


def python_notebook(n: int) -> bytes:
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": [f"def f{i}(x):\n", "    return x\n"],
        }
        for i in range(n)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


# Partials.

PARTIAL = '{"schema":"shapewise.partial/2","tool":{"name":"shapewise","version":"0.1.0"},"words":{},"fields":{}}\n'


def partial_text_parts(n: int) -> bytes:
    """A text in n parts of 1 KiB."""
    return PARTIAL.encode() + (json.dumps(["part", "a" * 1024]) + "\n").encode() * n + b'["text","b"]\n'


def two_logs(log: Callable[[int], bytes], n: int) -> Files:
    """The same run with n and with a tenth more."""
    return {"old.log": log(n), "new.log": log(n + n // 10 + 1)}


def runs_of_functions(n: int) -> Files:
    return two_logs(log_functions, n)


def runs_of_recompiles(n: int) -> Files:
    return two_logs(log_recompiles, n)


def runs_of_breaks(n: int) -> Files:
    return two_logs(log_breaks, n)


# What each command reads.

JSON = ["--format", "json"]
LINT = ["lint", "--exit-zero", "IN"]
COMMANDS: dict[str, list[str]] = {
    "lint": LINT,
    "lint --events": [*LINT, *JSON, "--events"],
    "lint --format html": [*LINT, "--format", "html"],
    "lint --format perfetto": [*LINT, "--format", "perfetto"],
    "lint --format sarif": [*LINT, "--format", "sarif"],
    "lint --follow": ["lint", "--exit-zero", "--follow", "-"],
    "lint --redact": [*LINT, *JSON, "--redact"],
    "lint --steps": [*LINT, "--steps"],
    "lint --partial": [*LINT, "--partial", "OUT"],
    "merge": ["merge", "-o", "OUT", "IN"],
    "diff": ["diff", "--exit-zero", "IN/old.log", "IN/new.log"],
    "report": ["report", "--exit-zero", "IN"],
    "graph": ["graph", "--all", "IN"],
    "graph --format json": ["graph", *JSON, "IN"],
    "graph --format program": ["graph", "--format", "program", "IN"],
    "guards": ["guards", "--exit-zero", "IN"],
    "predict": ["predict", "--format", "jsonl", "IN"],
    "predict --log": ["predict", "--exit-zero", "--log", "IN", "--assume-no-questions", "--policy", "dynamic=True"],
    "predict --calls": ["predict", "--exit-zero", "--calls", "IN", "--assume-no-questions", "--policy", "dynamic=True"],
    "predict --log --calls": ["predict", "--exit-zero", "--log", "IN/run.log", "--calls", "IN/calls.jsonl", "--assume-no-questions"],
    "predict --lengths": ["predict", "--exit-zero", "--lengths", "x[8,*]", "IN", "--assume-no-questions", "--policy", "dynamic=True"],
    "advise": ["advise", "--exit-zero", "IN"],
    "advise --emit patch": ["advise", "--exit-zero", "--emit", "patch", "IN"],
    "advise --calls": ["advise", "--exit-zero", "IN/run.log", "--calls", "IN/calls.jsonl", "--assume-no-questions"],
    "buckets": ["buckets", "--exit-zero", "IN", "--buckets", "8"],
    "buckets --compare": ["buckets", "--exit-zero", "IN", "--compare", "vllm"],
    "buckets --column length": ["buckets", "--exit-zero", "IN", "--column", "length", "--buckets", "8"],
    "buckets --column batch,length": ["buckets", "--exit-zero", "IN", "--column", "batch", "--column", "length", "--buckets", "4"],
    "buckets --column c0": ["buckets", "--exit-zero", "IN", "--column", "c0", "--buckets", "4"],
    "buckets --column prompt": ["buckets", "--exit-zero", "IN", "--column", "prompt", "--buckets", "4"],
    "buckets --source": ["buckets", "--exit-zero", "IN", "--source", "x:1", "--buckets", "8"],
    "check": ["check", "--exit-zero", "--no-cache", "-j1", "IN"],
    "check --add-ignores": ["check", "--exit-zero", "--no-cache", "-j1", "--add-ignores", "IN"],
}  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A generator, a command that reads its output, and the number from which both are compared."""

    command: str
    generator: str
    n: int
    is_small: bool = True  # also run by ./dev test
    status: int = 0  # besides 0 and 1, what the program may end with: 2 where the input is refused

    @property
    def name(self) -> str:
        return f"{self.command} {self.generator}"

    @property
    def suffix(self) -> str:
        return SUFFIXES.get(self.command.split()[0], "") if not self.generator.endswith("_notebook") else ".ipynb"

    def make(self, n: int) -> bytes | Files:
        if self.generator.startswith(CODE):
            return CODE_GENERATORS[self.generator.removeprefix(CODE)](n).encode()
        generator: Generator = globals()[self.generator]
        return generator(n)

    def bound_mib(self, size: int) -> float:
        """The peak memory that analyzer/docs/memory.md allows for an input of `size` bytes."""
        fixed, each = MEMORY[self.command.split()[0]]
        return fixed + each * size / (1 << 20)


SUFFIXES = {"check": ".py"}

# MiB, and bytes for each byte of input, by command: the table in analyzer/docs/memory.md.
MEMORY: dict[str, tuple[float, float]] = {
    "lint": (64, 64),
    "merge": (64, 64),
    "diff": (64, 64),
    "report": (64, 128),
    "graph": (64, 32),
    "guards": (64, 64),
    "predict": (64, 128),
    "advise": (64, 64),
    "buckets": (64, 128),
    "check": (64, 1024),
}

PAIRS = [
    Pair("lint", "log_lines", 13000, status=2, is_small=False),
    Pair("lint", "log_blank_lines", 20000),
    Pair("lint", "log_blank_prefixed_lines", 3700, is_small=False),
    Pair("lint", "log_long_line", 60000),
    Pair("lint", "log_limit_pieces", 4000),
    Pair("lint", "log_limits", 20),
    Pair("lint", "log_resume_pieces", 4000),
    Pair("lint", "log_resume_names", 51),
    Pair("lint", "log_recompiles", 71),
    Pair("lint", "log_functions", 19),
    Pair("lint", "log_functions_and_recompiles", 200, is_small=False),
    Pair("lint", "log_reasons", 2000, is_small=False),
    Pair("lint", "log_reasons_of_each", 260),
    Pair("lint", "log_tensors", 65, is_small=False),
    Pair("lint", "log_tensors", 1000),
    Pair("lint", "log_list_items", 1000),
    Pair("lint", "log_compared_symbols", 100),
    Pair("lint", "log_missing_tensors", 1000),
    Pair("lint", "log_lengths", 1000),
    Pair("lint", "log_pinned_sizes", 400),
    Pair("lint", "log_reason_pieces", 10000, is_small=False),
    Pair("lint", "log_reason_brackets", 200000, is_small=False),
    Pair("lint", "log_reason_brackets_open", 51000, is_small=False),
    Pair("lint", "log_reason_operators", 80000, is_small=False),
    Pair("lint", "log_keys", 8300),
    Pair("lint", "log_quotes", 20000, is_small=False),
    Pair("lint", "log_values", 190, is_small=False),
    Pair("lint", "log_breaks", 12),
    Pair("lint", "log_library_breaks", 400),
    Pair("lint", "log_equal_breaks", 220, is_small=False),
    Pair("lint", "log_break_frames", 160),
    Pair("lint", "log_break_explanation", 3400, is_small=False),
    Pair("lint", "log_duplicate_breaks", 840, is_small=False),
    Pair("lint", "log_distant_errors", 130),
    Pair("lint", "log_tracebacks", 84, is_small=False),
    Pair("lint", "log_traceback_frames", 1500, is_small=False),
    Pair("lint", "log_ranks", 51),
    Pair("lint", "log_interleaved_ranks", 25, is_small=False),
    Pair("lint", "log_rank_files", 41, is_small=False),
    Pair("lint", "log_processes", 800, is_small=False),
    Pair("lint", "log_compile_ids", 560),
    Pair("lint", "log_constraints", 2400, is_small=False),
    Pair("lint", "log_guards", 120),
    Pair("lint", "log_guard_trees", 260, is_small=False),
    Pair("lint", "log_guard_depth", 300000, is_small=False),
    Pair("lint", "log_symbols", 1400, is_small=False),
    Pair("lint", "log_symbol_guards", 710),
    Pair("lint", "log_xla_counters", 100),
    Pair("lint", "log_xla_compilations", 130, is_small=False),
    Pair("lint", "log_performance_hints", 1400, is_small=False),
    Pair("lint", "log_cudagraphs", 55),
    Pair("lint", "log_escapes", 73000, is_small=False),
    Pair("lint", "log_containers", 200, is_small=False),
    Pair("lint", "log_partial_lines", 6800, is_small=False),
    Pair("lint", "log_wrapped", 400),
    Pair("lint", "log_carriage_returns", 4000, is_small=False),
    Pair("lint", "log_utf16", 180, is_small=False),
    Pair("lint", "log_nul_bytes", 360000, is_small=False),
    Pair("lint", "log_graph_nodes", 1200, is_small=False),
    Pair("lint", "log_graphs", 290, is_small=False),
    Pair("lint --steps", "log_step_prints", 700),
    Pair("lint", "server_starts", 60),
    Pair("lint", "server_workers", 300, is_small=False),
    Pair("lint", "server_batches", 3000, is_small=False),
    Pair("lint", "server_line", 20000, is_small=False),
    Pair("lint --events", "log_recompiles", 120, is_small=False),
    Pair("lint --events", "log_breaks", 43, is_small=False),
    Pair("lint --format html", "log_functions", 10),
    Pair("lint --format perfetto", "log_functions", 57, is_small=False),
    Pair("lint --format sarif", "log_functions", 45, is_small=False),
    Pair("lint --follow", "log_functions", 16),
    Pair("lint --follow", "log_recompiles", 160, is_small=False),
    Pair("lint --redact", "log_functions", 26, is_small=False),
    Pair("lint --partial", "log_functions", 60, is_small=False),
    Pair("lint", "trace_compilations", 17),
    Pair("lint", "trace_functions", 30),
    Pair("lint", "trace_functions_and_compilations", 120, is_small=False),
    Pair("lint", "trace_unfinished", 320, is_small=False),
    Pair("lint", "trace_strings", 3700, is_small=False),
    Pair("lint", "trace_frames", 7500, is_small=False),
    Pair("lint", "trace_payload_lines", 56000, is_small=False),
    Pair("lint", "trace_guards", 1500),
    Pair("lint", "trace_guard_line", 8400, is_small=False),
    Pair("lint", "trace_keys", 3800),
    Pair("lint", "trace_nesting", 150000, is_small=False),
    Pair("lint", "trace_long_string", 390000, is_small=False),
    Pair("lint", "trace_reasons", 4400, is_small=False),
    Pair("lint", "trace_errors", 47, is_small=False),
    Pair("lint", "trace_breaks", 46, is_small=False),
    Pair("lint", "trace_symbols", 1000, is_small=False),
    Pair("lint", "trace_symbol_guards", 1200, is_small=False),
    Pair("lint", "trace_tensors", 140),
    Pair("lint", "trace_timeline_events", 1000, is_small=False),
    Pair("lint", "trace_rank_files", 39, is_small=False),
    Pair("lint", "trace_graph_nodes", 1900, is_small=False),
    Pair("lint", "trace_graphs", 89, is_small=False),
    Pair("lint", "profile_steps", 2100, is_small=False),
    Pair("lint", "profile_events", 3000, is_small=False),
    Pair("lint", "profile_functions", 300),
    Pair("lint", "profile_stalls", 2000, is_small=False),
    Pair("lint", "profile_processes", 1800, is_small=False),
    Pair("lint", "profile_nesting", 130000, is_small=False),
    Pair("lint", "profile_keys", 20000, is_small=False),
    Pair("lint", "profile_long_name", 60000, is_small=False),
    Pair("lint", "profile_compilations", 1100, is_small=False),
    Pair("lint", "steps_rows", 750),
    Pair("lint", "steps_comments", 10000, is_small=False),
    Pair("lint", "steps_moments", 3000, is_small=False),
    Pair("lint", "calls_of_one", 3000, is_small=False),
    Pair("report", "log_functions", 30),
    Pair("report", "log_recompiles", 62, is_small=False),
    Pair("report", "trace_compilations", 45, is_small=False),
    Pair("report", "trace_functions", 10, is_small=False),
    Pair("report", "profile_steps", 1900, is_small=False),
    Pair("merge", "log_functions", 60),
    Pair("merge", "trace_functions", 97, is_small=False),
    Pair("merge", "partial_text_parts", 2000, status=2),
    Pair("diff", "runs_of_functions", 24),
    Pair("diff", "runs_of_recompiles", 86, is_small=False),
    Pair("diff", "runs_of_breaks", 42, is_small=False),
    Pair("graph", "fx_readable", 300),
    Pair("graph", "fx_graph", 3200, is_small=False),
    Pair("graph", "fx_tabular", 3700, is_small=False),
    Pair("graph", "fx_code", 3200, is_small=False),
    Pair("graph", "fx_placeholders", 300),
    Pair("graph", "fx_arguments", 2200, is_small=False),
    Pair("graph", "fx_users", 150),
    Pair("graph", "fx_all_pairs", 1100, is_small=False),
    Pair("graph", "fx_cat_chain", 140, is_small=False),
    Pair("graph", "fx_expression", 1000, is_small=False),
    Pair("graph", "fx_product", 1000, is_small=False),
    Pair("graph", "fx_expression_depth", 20000, is_small=False),
    Pair("graph", "fx_rank", 1000, is_small=False),
    Pair("graph", "fx_argument_depth", 20000),
    Pair("graph", "fx_graphs", 320, is_small=False),
    Pair("graph", "exported", 720, is_small=False),
    Pair("graph", "torchscript_nodes", 300),
    Pair("graph", "torchscript_blocks", 30000, is_small=False),
    Pair("graph", "torchscript_code", 1300, is_small=False),
    Pair("graph", "archive_entries", 1500),
    Pair("graph", "archive_code", 1500, is_small=False),
    Pair("graph", "archive_pickle_items", 5000, is_small=False),
    Pair("graph", "archive_pickle_depth", 40000, is_small=False),
    Pair("graph", "archive_pickle_doubling", 3000),
    Pair("graph", "export_archive_nodes", 300),
    Pair("graph", "trace_graph_nodes", 500, is_small=False),
    Pair("graph", "trace_graphs", 100, is_small=False),
    Pair("graph", "log_graph_nodes", 300, is_small=False),
    Pair("graph", "log_graphs", 100, is_small=False),
    Pair("graph", "log_lines", 13000, status=2, is_small=False),
    Pair("graph", "trace_payload_lines", 20000, status=2, is_small=False),
    Pair("graph --format json", "fx_readable", 400, is_small=False),
    Pair("graph --format program", "fx_readable", 400, is_small=False),
    Pair("guards", "log_guards", 40),
    Pair("guards", "log_guard_trees", 51, is_small=False),
    Pair("guards", "log_guard_relations", 20, is_small=False),
    Pair("guards", "log_guard_depth", 250000, is_small=False),
    Pair("guards", "log_symbol_guards", 300),
    Pair("guards", "log_symbols", 590, is_small=False),
    Pair("guards", "log_functions", 300, is_small=False),
    Pair("guards", "log_recompiles", 300, is_small=False),
    Pair("guards", "trace_compilations", 100, is_small=False),
    Pair("guards", "trace_functions", 100, is_small=False),
    Pair("guards", "trace_functions_and_compilations", 100, is_small=False),
    Pair("guards", "trace_guards", 300, is_small=False),
    Pair("guards", "trace_guard_line", 400, is_small=False),
    Pair("guards", "trace_symbols", 500, is_small=False),
    Pair("guards", "trace_symbol_guards", 1300, is_small=False),
    Pair("guards", "trace_tensors", 610, is_small=False),
    Pair("predict", "scenarios_many", 74),
    Pair("predict", "scenario_calls", 220, is_small=False),
    Pair("predict", "scenario_static_calls", 200, is_small=False),
    Pair("predict", "scenario_static_ints", 200, is_small=False),
    Pair("predict", "scenario_arguments", 940, is_small=False),
    Pair("predict", "scenario_dims", 20000),
    Pair("predict --log", "log_functions", 60),
    Pair("predict --log", "log_recompiles", 200, is_small=False),
    Pair("predict --log", "log_functions_and_recompiles", 120, is_small=False),
    Pair("predict --log", "log_reasons_of_each", 500, is_small=False),
    Pair("predict --log", "log_tensors", 140, is_small=False),
    Pair("predict --log", "log_resume_names", 400, is_small=False),
    Pair("predict --log", "trace_compilations", 63, is_small=False),
    Pair("predict --log", "trace_functions", 60),
    Pair("predict --log", "trace_functions_and_compilations", 38, is_small=False),
    Pair("predict --log", "trace_tensors", 570, is_small=False),
    Pair("predict --calls", "calls_of_one", 3700, is_small=False),
    Pair("predict --calls", "calls_distinct", 350),
    Pair("predict --calls", "calls_functions", 1600, is_small=False),
    Pair("predict --calls", "calls_inputs", 490, is_small=False),
    Pair("predict --calls", "calls_nesting", 4000, is_small=False),
    Pair("predict --calls", "calls_dims", 4000, is_small=False, status=2),
    Pair("predict --calls", "calls_long_text", 120000, is_small=False),
    Pair("predict --log --calls", "calls_and_log", 2600, is_small=False),
    Pair("predict --log --calls", "unexplained_misses", 300),
    Pair("predict --lengths", "lengths_rows", 1500),
    Pair("predict --lengths", "lengths_distinct", 380, is_small=False),
    Pair("advise", "log_functions", 40),
    Pair("advise", "log_recompiles", 43, is_small=False),
    Pair("advise", "log_functions_and_recompiles", 48, is_small=False),
    Pair("advise", "log_breaks", 70, is_small=False),
    Pair("advise", "log_tensors", 140, is_small=False),
    Pair("advise", "trace_compilations", 37, is_small=False),
    Pair("advise", "trace_functions", 60, is_small=False),
    Pair("advise --emit patch", "log_functions", 20, is_small=False),
    Pair("advise --calls", "calls_and_log", 2700, is_small=False),
    Pair("buckets", "lengths_rows", 8000),
    Pair("buckets", "lengths_distinct", 390, is_small=False),
    Pair("buckets --compare", "lengths_rows", 23000, is_small=False),
    Pair("buckets --compare", "lengths_distinct", 78),
    Pair("buckets --column length", "lengths_columns", 12000, is_small=False),
    Pair("buckets --column length", "lengths_histogram", 300, is_small=False),
    Pair("buckets --column batch,length", "lengths_columns", 3000),
    Pair("buckets --column c0", "lengths_wide", 8900, is_small=False),
    Pair("buckets --column prompt", "lengths_json", 5900, is_small=False),
    Pair("buckets --source", "calls_of_one", 3100, is_small=False),
    Pair("check", "python_methods", 500),
    Pair("check", "python_modules", 56, is_small=False),
    Pair("check", "python_inheritance", 90, is_small=False),
    Pair("check", "python_statements", 1500, is_small=False),
    Pair("check", "python_breaks", 200),
    Pair("check", "python_ignores", 200, is_small=False),
    Pair("check", "python_variables", 500, is_small=False),
    Pair("check", "python_branches", 300),
    Pair("check", "python_alternatives", 600, is_small=False),
    Pair("check", "python_loops", 2800, is_small=False),
    Pair("check", "python_chain", 200),
    Pair("check", "python_tensor_chain", 200),
    Pair("check", "python_calls_in_calls", 780, is_small=False),
    Pair("check", "python_brackets", 200),
    Pair("check", "python_brackets_open", 270000, is_small=False),
    Pair("check", "python_sum", 1400, is_small=False),
    Pair("check", "python_conditions", 17, is_small=False),
    Pair("check", "python_list", 53000, is_small=False),
    Pair("check", "python_dict", 600, is_small=False),
    Pair("check", "python_string", 150000, is_small=False),
    Pair("check", "python_format_string", 810, is_small=False),
    Pair("check", "python_decorators", 500, is_small=False),
    Pair("check", "python_imports", 9200, is_small=False),
    Pair("check", "python_blank_lines", 29000, is_small=False),
    Pair("check", "python_comments", 14000, is_small=False),
    Pair("check", "python_call_chain", 3400, is_small=False),
    Pair("check", "python_call_tree", 200),
    Pair("check", "python_callers", 180, is_small=False),
    Pair("check", "python_submodules", 210, is_small=False),
    Pair("check", "python_functions_in_functions", 200, is_small=False),
    Pair("check", "python_files", 430, is_small=False),
    Pair("check", "python_notebook", 2400, is_small=False),
    Pair("check --add-ignores", "python_breaks", 200, is_small=False),
    *(Pair("check", CODE + name, 100, is_small=False) for name in CODE_GENERATORS),
]


def inputs(scale: int = 1) -> Iterator[tuple[str, str, bytes]]:
    """Each input once: its generator, a command that reads it, and its bytes (of several files: each by itself)."""
    done = set()
    for pair in PAIRS:
        if pair.generator in done:
            continue
        done.add(pair.generator)
        content = pair.make(pair.n * scale)
        for own in [content] if isinstance(content, bytes) else content.values():
            yield pair.generator, pair.command, own
