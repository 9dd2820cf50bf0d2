#!/usr/bin/env python3
"""Plans of buckets as text to paste and as pictures: is each what its reader takes?

    tests/tools/check_bucket_texts.py PRINT_BUCKET_TEXT

JSON, XML, Python and shell are read by their own parsers. The settings of vLLM, SGLang, TensorRT-LLM and Gaudi are held
against the syntax that their sources document, as those programs do not run without their devices; where it is from
stands beside each check. The same is done for a plan whose texts try to break out. Exit status: 0 held, 1 did not.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
import unicodedata
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SIZES = [16, 32, 40]
LINE = ["buckets", "8", ",".join(map(str, SIZES))]
JOINT = ["buckets", "8", "4x128,8x256"]
CONSUMERS = ("pytorch", "vllm", "sglang", "trtllm", "hf", "gaudi", "json")


class Failure(Exception):
    """What was promised and did not hold."""


def check(held: bool, what: str) -> None:
    if not held:
        raise Failure(what)


def printed(*arguments: str) -> str:
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, check=True).stdout.decode("utf-8")


def code(text: str) -> list[str]:
    """Lines that are no comment."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def check_plain(text: str, what: str) -> None:
    """No control characters, which could drive a terminal or end a line elsewhere."""
    bad = {c for c in text if unicodedata.category(c) == "Cc" and c != "\n"}
    check(not bad, f"{what}: control characters {sorted(bad)!r}")


def check_vllm() -> None:
    """vLLM 0.33.0, vllm/config/compilation.py: cudagraph_capture_sizes is list[int] | None, compile_sizes is
    list[int | str] | None, of whose strings only "cudagraph_capture_sizes" is allowed. The value of the flag is JSON."""
    lines = code(printed("vllm", *LINE))
    check(len(lines) == 1, "not one command")
    words = shlex.split(lines[0])
    check(words[:3] == ["vllm", "serve", "MODEL"] and words[3] == "--compilation-config", f"not the command: {words}")
    config = json.loads(words[4])
    check(config == {"cudagraph_capture_sizes": SIZES, "compile_sizes": ["cudagraph_capture_sizes"]}, f"{config}")


def check_sglang() -> None:
    """SGLang 0.5.23, sglang/srt/arg_groups/fields/exec_.py: cuda_graph_bs_decode and cuda_graph_bs_prefill are
    Optional[List[int]], numbers with blanks between them on the command line."""
    text = printed("sglang", *LINE)
    lines = code(text)
    check(len(lines) == 1, "not one command")
    words = shlex.split(lines[0])
    check(words[:3] == ["python3", "-m", "sglang.launch_server"], f"not the command: {words}")
    check([int(w) for w in words[words.index("--cuda-graph-bs-decode") + 1 :]] == SIZES, f"{words}")
    check("# python3 -m sglang.launch_server" in text and "--cuda-graph-bs-prefill 16 32 40\n" in text, "no prefill")


def check_trtllm() -> None:
    """TensorRT-LLM 1.3, DecodeCudaGraphConfig: batch_sizes: List[int], enable_padding: bool, under cuda_graph_config of
    the YAML file. The subset of YAML that is used is read here."""
    lines = code(printed("trtllm", *LINE))
    check(lines[:3] == ["cuda_graph_config:", "  enable_padding: true", "  batch_sizes:"], f"{lines}")
    items = [re.fullmatch(r"    - (\d+)", line) for line in lines[3:]]
    check(all(items) and [int(item[1]) for item in items] == SIZES, f"{lines}")


def check_gaudi() -> None:
    """vllm-gaudi 091bbadd, extension/bucketing/file_strategy.py: a line is empty, begins with #, or is a tuple of three
    for ast.literal_eval: batch, query length, blocks of context; query length 1 is a decode step."""
    check([ast.literal_eval(line) for line in code(printed("gaudi", *LINE))] == [(1, s, 0) for s in SIZES], "one dim")
    check([ast.literal_eval(line) for line in code(printed("gaudi", *JOINT))] == [(4, 128, 0), (8, 256, 0)], "two dims")
    three = code(printed("gaudi", "buckets", "8", "1x128x4,8x1x64"))
    check([ast.literal_eval(line) for line in three] == [(1, 128, 4), (8, 1, 64)], f"three dims: {three}")
    check("add lines for decode steps" in printed("gaudi", *LINE).replace("\n# ", " "), "vLLM would not start with it")
    check("add lines" not in printed("gaudi", "buckets", "8", "1x128x4,8x1x64"), "both phases are there")


def check_nothing() -> None:
    """What a consumer cannot take is said, not printed as if it could."""
    for consumer in ("vllm", "sglang", "trtllm"):
        for plan in (JOINT, ["dynamic", "8", "-"]):
            text = printed(consumer, *plan)
            check(not code(text) and "Nothing to paste" in text, f"{consumer} {plan}: {text}")
    check(not code(printed("hf", *JOINT)), "a collator pads one dim")
    check(not code(printed("gaudi", "dynamic", "8", "-")), "Gaudi has no dynamic graph")


def check_json() -> None:
    plan = json.loads(printed("json", *LINE))
    check(plan["schema"] == "shapewise.bucket-plan/1" and plan["boundaries"] == SIZES, f"{plan}")
    check(json.loads(printed("json", *JOINT))["boundaries"] == [[4, 128], [8, 256]], "two dims")


def check_python() -> None:
    for consumer in ("pytorch", "hf"):
        for plan in (LINE, JOINT, ["dynamic", "8", "-"], ["mixed", "8", "16,64", "17-40:dynamic", "80-90:eager"]):
            ast.parse(printed(consumer, *plan))


def check_svg(kind: str) -> None:
    for dims in ("1", "2", "3"):
        text = printed("svg", kind, dims)
        check_plain(text, "svg")
        root = ElementTree.fromstring(text)
        check(root.tag == f"{SVG}svg" and root.get("role") == "img", "no picture")
        names = {element.tag.removeprefix(SVG) for element in root.iter()}
        check(names <= {"svg", "title", "desc", "style", "rect", "path", "line", "text", "circle", "polyline"}, f"{names}")
        for name in ("title", "desc"):
            found = root.find(f"{SVG}{name}")
            check(found is not None and found.text and found.get("id") in root.get("aria-labelledby").split(), name)
        check(not re.search(r"href|url\(|@import|<!", text), "something from outside")
        check(len(text) < 64 * 1024, f"{len(text)} bytes")
        for element in root.iter():
            for key, value in element.items():
                check("nan" not in value and "inf" not in value, f"{key}={value}")


def check_hostile() -> None:
    for dims in ("1", "2", "3"):
        check_plain(printed("text", "hostile", dims), "text")
        result = json.loads(printed("json", "hostile", dims))
        check(result["schema"] == "shapewise.buckets/1" and result["padding"]["holdout"] is None, "json")
        for consumer in CONSUMERS:
            text = printed(consumer, "hostile", dims)
            if consumer == "json":
                continue
            check_plain(text, consumer)
            check(text.isascii(), f"{consumer}: what is not ASCII can end a line or hide one")
            check(not any("touch" in line for line in code(text)), f"{consumer}: a text got out of its comment")
            if consumer in ("pytorch", "hf"):
                ast.parse(text)


def main() -> int:
    failed = 0
    for run in (check_vllm, check_sglang, check_trtllm, check_gaudi, check_nothing, check_json, check_python,
                lambda: check_svg("sample"), lambda: check_svg("hostile"), check_hostile):  # fmt: skip
        try:
            run()
        except Failure as failure:
            failed += 1
            print(f"failed  {run.__name__}: {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
