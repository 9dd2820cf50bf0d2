#!/usr/bin/env python3
"""Runs the actions of rules under PyTorch.

    tests/torch/check_rule_actions.py PROGRAM [RULE ...]     check these rules, by name, or programs, by label; default: all
    tests/torch/check_rule_actions.py --count                count actions that were run, and list the reasons of the others

`rule_programs/NAME.py` or `NAME.VARIANT.py` holds programs for the rule NAME. The text before the first line `# action N` is the program before.
A file with several programs starts each with a line `# program LABEL`; the text before the first of them starts all. A label that is the id of a
break (GB0104) says that the action is run for this id: PyTorch must print the id before, and fewer breaks after. `# no program ID: REASON` says
why there is none.
A section that starts with `# action N` is appended to it, and so replaces functions of the same name; a section
`# action N: its code` has no text: the code that `shapewise lint` prints with action N is inserted after the imports.
A line `# for OTHER: STATEMENT` lends the programs to the rule OTHER, with the statement after the imports, which may set
a limit; `# action N, OTHER M` is an action of both rules, `# action OTHER M` of OTHER only.
A program defines `step` and `calls`, a list of argument lists, or `run(compile)`, which returns results; and may define
`options` for torch.compile and `logs` for torch._logging.set_logs.

The log of the program before must give a finding of the rule, and that of the program after must not, or must show fewer
compiles where the section's first line ends with "fewer compiles". A finding that ended the program may stay as a note. Eager results of the program before, its compiled results
and those of each program after must be equal. Every action of a rule says "ran": "RELEASE" or "not_run": "REASON", and
has a section here if it was run; the same holds for each id in the condition `gb` of an action that was run. An action of
rules/actions.json counts once, and needs a section for one of the rules that name it.
Exit status: 0 held, 1 did not, 77 torch is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sampling import sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "rule_programs"
SHARED_ACTIONS: dict[str, list[dict[str, Any]]] = json.loads((ROOT / "rules" / "actions.json").read_text())
EVIDENCE = {"ran", "not_run"}
# Groups whose actions must say whether they were run. Rules over code advise in prose.
GROUPS = ("guards", "shapes", "cache", "graph-breaks", "devices", "time", "ranks", "serving", "logs")
BREAK_ID = r"GB\d{4}"


@dataclass(frozen=True)
class Section:
    """A program after an action."""

    action: int  # from 1
    text: str
    is_its_code: bool
    is_fewer: bool


@dataclass
class Programs:
    """One program of rule_programs/NAME.py, and what actions make of it."""

    rule: str
    label: str  # empty for the only program of a file
    before: str
    sections: list[Section]

    @property
    def name(self) -> str:
        return f"{self.rule} {self.label}".rstrip()

    @property
    def break_id(self) -> str:
        return self.label if re.fullmatch(BREAK_ID, self.label) else ""


@dataclass
class Outcome:
    """What one program did."""

    found: dict[str, Any] | None = None  # the finding of the rule
    others: list[str] = field(default_factory=list)  # codes of other findings
    why: str = ""  # what it raised
    compiles: int = 0
    breaks: int = 0
    eager: Any = None
    compiled: Any = None
    log: str = ""


def read_programs(path: Path) -> list[Programs]:
    """All programs of a file, for its rule and for those that it lends them to."""
    beginning, *rest = re.split(r"(?m)^# program (.*)\n", path.read_text())
    programs = []
    for label, text in zip(rest[::2] or [""], rest[1::2] or [""], strict=True):
        own = read_program(path.name.partition(".")[0], label, f"{beginning}{text}")
        lent = []
        for rule, statement in re.findall(r"(?m)^# for ([a-z-]+): (.+)$", beginning):
            one = read_program(rule, label, f"{beginning}{text}", is_lent=True)
            one.before = insert_after_imports(one.before, statement)
            lent += [one] if one.sections else []
        programs += lent if lent and not own.sections else [own, *lent]
    return programs


def read_program(rule: str, label: str, text: str, is_lent: bool = False) -> Programs:
    before, *rest = re.split(r"(?m)^# action (?=[a-z-]* ?\d)", text)
    sections = []
    for part in rest:
        head, _, text = part.partition("\n")
        actions, _, words = head.partition(":")
        pattern = rf"{rule} (\d+)" if is_lent else r"(?:^|, )(\d+)"
        if number := re.search(pattern, actions):
            sections.append(Section(int(number[1]), text, "its code" in words, "fewer compiles" in words))
    return Programs(rule, label, before, sections)


def missing_programs(paths: list[Path]) -> dict[str, str]:
    """The ids of breaks that these files say they have no program for, and why."""
    return {line[1]: line[2] for path in paths for line in re.finditer(rf"(?m)^# no program ({BREAK_ID}): (.+)$", path.read_text())}


def rule_block(path: Path) -> dict[str, Any]:
    """The data of a rule's file."""
    found = re.search(r"(?ms)^```json rule\n(.*?)^```$", path.read_text())
    assert found is not None, path
    block: dict[str, Any] = json.loads(found.group(1))
    return block


def rule_actions(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The actions of a rule's file, each with a name for what "ran" and "not_run" are about."""
    actions: list[tuple[str, dict[str, Any]]] = []
    for item in rule_block(path).get("advice", []):
        own = f"{path.parent.name}/{path.stem} {len(actions) + 1}"
        if "same_as" not in item:
            actions.append((own, item))
            continue
        instead = {key: value for key, value in item.items() if key != "same_as"}
        replaced = EVIDENCE if EVIDENCE & instead.keys() else set()
        for number, shared in enumerate(SHARED_ACTIONS[item["same_as"]], 1):
            kept = {key: value for key, value in shared.items() if key not in replaced}
            actions.append((own if replaced else f"{item['same_as']} {number}", kept | instead))
    return actions


def rule_path(name: str) -> Path:
    [path] = (ROOT / "rules").glob(f"*/{name}.md")
    return path


def insert_after_imports(source: str, code: str) -> str:
    """Puts statements on a line of their own behind the last import at the top."""
    last = [*re.finditer(r"(?m)^(import|from) .*$", source)][-1]
    return f"{source[:last.end()]}\n{code}\n{source[last.end():]}"


def run_namespace(namespace: dict[str, Any], compile_: Any) -> Any:
    """The results of a program: of its run(), or of its step for each of its calls."""
    import copy

    import torch

    torch.manual_seed(0)
    if "run" in namespace:
        return namespace["run"](compile_)
    compiled = compile_(namespace["step"])
    return [compiled(*copy.deepcopy(arguments)) for arguments in namespace["calls"]]


def run_here(script: str, result: str) -> None:
    """Runs a program in this process, eagerly and compiled, and saves what came of it."""
    import torch
    from torch._dynamo.utils import counters, get_compilation_metrics

    outcome: dict[str, Any] = {"why": "", "eager": None, "compiled": None}
    source = Path(script).read_text()
    code = compile(source, script, "exec")

    def namespace() -> dict[str, Any]:
        names: dict[str, Any] = {"__name__": "__main__", "__file__": script}
        exec(code, names)
        return names

    sys.argv = [script]
    sys.path.insert(0, str(Path(script).parent))
    try:
        outcome["eager"] = run_namespace(namespace(), lambda function, **_: function)
    except Exception as error:  # noqa: BLE001  a program that fails in eager mode has no eager results
        outcome["eager"] = f"raised {type(error).__name__}"
    torch._dynamo.reset()
    counters.clear()
    before = len(get_compilation_metrics())
    names = namespace()
    torch._logging.set_logs(**names.get("logs", {"graph_breaks": True, "recompiles": True}))
    options = {"backend": "eager"} | names.get("options", {})
    try:
        outcome["compiled"] = run_namespace(names, lambda function, **more: torch.compile(function, **(options | more)))
    except Exception as error:  # noqa: BLE001  what it ends with is its result
        outcome["why"] = f"raised {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        traceback.print_exc()
    metrics = get_compilation_metrics()[before:]
    outcome["compiles"] = sum(row.fail_type is None and row.is_forward is not False for row in metrics)
    outcome["breaks"] = sum(counters["graph_break"].values()) + sum(counters["unimplemented"].values())
    torch.save(outcome, result)


def fork_run(script: Path, folder: Path) -> tuple[dict[str, Any], str]:
    """Runs a program in a fork of this process: importing torch takes longer than most programs."""
    result, log = folder / "result.pt", folder / "log.txt"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            run_here(str(script), str(result))
            status = 0
        except BaseException:  # noqa: BLE001  nothing may return into the parent's code
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    os.waitpid(child, 0)
    text = log.read_text() if log.is_file() else ""
    if not result.is_file():
        return {"why": "did not end", "eager": None, "compiled": None, "compiles": 0, "breaks": 0}, text
    import torch

    return torch.load(result, weights_only=False), text


def outcome_of(program: str, programs: Programs, source: str, keep: Path | None, state: str) -> Outcome:
    code = rule_block(rule_path(programs.rule))["code"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        script = folder / f"{programs.rule.replace('-', '_')}.py"
        script.write_text(source)
        ran, log = fork_run(script, folder)
        if keep is not None:
            (keep / f"{programs.name} {state}.log").write_text(log)
        linted = subprocess.run([program, "lint", "--format", "json", "--exit-zero", str(folder / "log.txt")],
                                capture_output=True, text=True, check=False)
    if linted.returncode != 0:
        return Outcome(why=f"lint ended with {linted.returncode}: {linted.stderr.strip()}")
    findings = json.loads(linted.stdout)["findings"]

    def is_meant(finding: dict[str, Any]) -> bool:
        return finding["rule"] == code and programs.break_id in ("", finding["identity"]["type"])

    found = next(filter(is_meant, findings), None)
    if found is not None:
        # Another break of the same rule may be offered what the first is not.
        found["advice"] = [action for finding in filter(is_meant, findings) for action in finding["advice"]]
    others = [finding["rule"] for finding in findings if not is_meant(finding)]
    return Outcome(found, others, ran["why"], ran["compiles"], ran["breaks"], ran["eager"], ran["compiled"], log)


def differs(one: Any, other: Any) -> str:
    """Empty where two results are equal up to rounding."""
    import torch

    try:
        torch.testing.assert_close(one, other, equal_nan=True)
    except TypeError:  # assert_close compares only tensors, numbers and containers of them
        return "" if one == other else f"{other} instead of {one}"
    except AssertionError as error:
        return str(error).split("\n")[0] or "not equal"
    return ""


def offered(programs: Programs, section: Section, found: dict[str, Any]) -> dict[str, Any] | None:
    """The action as lint gives it for this log; its conditions may keep it away."""
    _, template = rule_actions(rule_path(programs.rule))[section.action - 1]
    beginning = template["text"].partition("{")[0]
    of_kind: list[dict[str, Any]] = [action for action in found["advice"] if action["kind"] == template["kind"]]
    for action in of_kind:
        if action["text"].startswith(beginning):
            return action
    # Actions on several sizes have another text.
    return of_kind[0] if len(of_kind) == 1 else None


def check_section(program: str, programs: Programs, section: Section, before: Outcome, keep: Path | None) -> tuple[str, list[str]]:
    """The row of an action, and what did not hold."""
    assert before.found is not None
    action = offered(programs, section, before.found)
    if action is None:
        return "", ["lint does not give this action for the program before"]
    source = f"{programs.before}\n{section.text}"
    if section.is_its_code:
        source = insert_after_imports(programs.before, action["code"])
    after = outcome_of(program, programs, source, keep, f"action {section.action}")
    faults = []
    if after.why:
        faults.append(after.why)
    elif not isinstance(before.eager, str) and (wrong := differs(before.eager, after.compiled)):
        faults.append(f"other results: {wrong}")
    if section.is_fewer:
        if after.compiles >= before.compiles:
            faults.append(f"{after.compiles} compiles, {before.compiles} before")
    elif after.found is not None and not (before.why and after.found["severity"] != "error"):
        faults.append(f"the finding is still there: {after.found['message']}")
    elif not before.why and 0 < before.compiles < after.compiles and after.breaks >= before.breaks:
        faults.append(f"{after.compiles} compiles, {before.compiles} before")
    elif programs.break_id and not before.why and after.breaks >= before.breaks:
        faults.append(f"{after.breaks} breaks, {before.breaks} before")
    others = f"; left: {' '.join(after.others)}" if after.others else ""
    row = f"compiles {before.compiles} -> {after.compiles}, breaks {before.breaks} -> {after.breaks}{others}"
    return row, faults


def check(program: str, programs: Programs, keep: Path | None) -> bool:
    """Checks a program and what actions make of it, and prints a line for each action."""
    before = outcome_of(program, programs, programs.before, keep, "before")
    if before.found is None:
        ids = sorted({*re.findall(r"/gb/(gb\d{4})", before.log)})
        print(f"wrong   {programs.name}: no finding of it before; found {before.others} {ids}; {before.why}")
        return False
    held = True
    if not before.why and (wrong := differs(before.eager, before.compiled)):
        print(f"wrong   {programs.name}: compiled code before gives other results: {wrong}")
        held = False
    for section in programs.sections:
        row, faults = check_section(program, programs, section, before, keep)
        held = held and not faults
        print(f"{'wrong' if faults else 'right':8}{programs.name} action {section.action}: {row}" +
              "".join(f"\n{'':12}{fault}" for fault in faults), flush=True)
    return held


def count_actions() -> bool:
    """Counts the actions of rules by what is known of them; false where files disagree."""
    evidence: dict[str, dict[str, str]] = {}
    has_program: dict[str, bool] = {}
    faults = []
    rules = with_actions = shown_ids = all_ids = 0
    every_program = [one for path in PROGRAMS.glob("*.py") for one in read_programs(path)]
    for path in sorted(ROOT.glob("rules/*/*.md")):
        if path.parent.name not in GROUPS:
            continue
        rules += 1
        actions = rule_actions(path)
        with_actions += bool(actions)
        files = [*PROGRAMS.glob(f"{path.stem}.py"), *PROGRAMS.glob(f"{path.stem}.*.py")]
        programs = [one for one in every_program if one.rule == path.stem]
        sections = {section.action for one in programs for section in one.sections}
        missing = missing_programs(files)
        for i, (name, action) in enumerate(actions, 1):
            evidence[name] = {key: action[key] for key in EVIDENCE & action.keys()}
            has_program[name] = has_program.get(name, False) or i in sections
            ids = set(action.get("where", {}).get("gb", []))
            shown = {one.break_id for one in programs if i in [section.action for section in one.sections]} & ids
            all_ids += len(ids)
            shown_ids += len(shown)
            if "ran" in action:
                faults += [f"{path.stem} {i}: {id_} has neither a program nor a reason, or both" for id_ in sorted(ids) if (id_ in shown) == (id_ in missing)]
        faults += [f"{path.stem}: no action {i}" for i in sections - set(range(1, len(actions) + 1))]
    reasons: dict[str, list[str]] = {}
    for name, known in evidence.items():
        if len(known) != 1:
            faults.append(f'{name}: neither "ran" nor "not_run", or both')
        elif ("ran" in known) != has_program[name]:
            faults.append(f"{name}: {'says that it was run' if 'ran' in known else 'has a program'}, but not both")
        if "ran" not in known:
            reasons.setdefault(known.get("not_run", "?"), []).append(name)
    ran = [name for name, known in evidence.items() if "ran" in known]
    print(f"{rules} rules, {with_actions} with actions; {len(ran)} actions were run")
    print(f"{all_ids} ids of breaks have an action of their own; it was run for {shown_ids}")
    for reason, names in sorted(reasons.items()):
        print(f"{len(names):4} not run: {reason}: {', '.join(names)}")
    for fault in faults:
        print(f"wrong   {fault}")
    return not faults


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--count", action="store_true", help="count actions and stop")
    parser.add_argument("--keep", type=Path, help="folder for the logs")
    options = parser.parse_args()
    is_counted = count_actions()
    if options.count:
        return 0 if is_counted else 1
    try:
        import torch
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIPPED
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch {torch.__version__} is not {NEEDED_TORCH}")
        return SKIPPED
    torch.set_num_threads(1)
    # The first compilation imports much; do it once, before the forks.
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    torch._dynamo.reset()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    programs = [one for path in sorted(PROGRAMS.glob("*.py")) for one in read_programs(path)]
    if options.rules:
        programs = [one for one in programs if {one.rule, one.label} & set(options.rules)]
    else:
        programs = list(sampled(programs))
    held = [check(options.program, one, options.keep) for one in programs]
    print(f"{sum(held)} of {len(held)} programs held")
    return 0 if all(held) and is_counted else 1


if __name__ == "__main__":
    sys.exit(main())
