#!/usr/bin/env python3
"""Nothing is executed, nothing is written but the output, no network is reached, and what is to be pasted is harmless.

    tests/robust/check_confinement.py PROGRAM CORPORA

Every command that reads runs over the corpora under strace; what it asks of the system is looked at. Exit status: 0 all holds, 1 something
does not, 77 strace is not installed or not allowed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from surroundings import (
    CLEAN,
    FINDINGS,
    PATIENCE_SECONDS,
    SKIPPED,
    TROUBLE,
    Failure,
    check,
    temporary_folder,
)

# All that starts programs, reaches others, or changes files.
CALLS = {
    *("execve", "execveat", "fork", "vfork", "clone", "clone3", "ptrace"),
    *("socket", "socketpair", "connect", "bind", "listen", "accept", "accept4"),
    *("sendto", "sendmsg", "sendmmsg", "kill", "tgkill", "tkill", "pidfd_send_signal"),
    *("open", "openat", "openat2", "creat", "truncate", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat"),
    *("unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "mknod", "mknodat"),
    *("chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"),
    *("utimensat", "utime", "utimes", "futimesat", "setxattr", "lsetxattr", "fsetxattr"),
    *("removexattr", "mount", "umount2", "chroot", "setuid", "io_uring_setup", "memfd_create"),
    *("ioperm", "iopl", "init_module", "finit_module", "bpf", "keyctl", "shmget", "msgget"),
}
CALL = re.compile(r"^(?:\d+\s+)?(\w+)\((.*)$")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
THREAD = re.compile(r"CLONE_THREAD")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
TEMPORARY = re.compile(r"\.[0-9a-f]{6}\.tmp$")  # what an output is called until it is whole
# The terminal and what is thrown away are not files of anybody.
DEVICES = {"/dev/null", "/dev/tty"}


def forbidden(trace: str, outputs: set[str]) -> list[str]:
    """The calls that are not allowed; what is written must be one of `outputs`, as it was named."""
    faults = []
    started = 0
    for line in trace.splitlines():
        call = CALL.match(line)
        if call is None or call[1] not in CALLS:
            continue
        name, arguments = call[1], call[2]
        if name == "execve":
            started += 1  # strace starts the program itself
            if started == 1:
                continue
        if name in ("clone", "clone3") and THREAD.search(arguments):
            continue
        if name in ("open", "openat", "openat2") and not WRITES.search(arguments):
            continue
        if name in ("fchmod", "ftruncate"):
            continue  # of a descriptor: it was opened, which is looked at
        paths = {TEMPORARY.sub("", path) for path in QUOTED.findall(arguments)}
        writes = ("open", "openat", "creat", "rename", "renameat2", "unlink", "chmod", "mkdir")
        if name in writes and paths <= outputs | DEVICES:
            continue
        faults.append(line)
    return faults


def traced(command: list[str | Path], cwd: Path, trace: Path) -> str:
    """What the command asked of the system. It has to end as it does otherwise."""
    strace = ["strace", "-f", "-q", "-s", "4096", "-e", "signal=none", "-o", str(trace)]
    # Calls that this system does not have are unknown to its strace, and no matter.
    strace += ["-e", "trace=" + ",".join(f"?{name}" for name in sorted(CALLS))]
    done = subprocess.run(
        [*strace, *command],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_SECONDS * 4,
        check=False,
    )
    check(
        done.returncode in (CLEAN, FINDINGS, TROUBLE),
        f"{command}: exit status {done.returncode}\n{done.stderr.decode()[-500:]}",
    )
    return trace.read_text(errors="replace")


def commands(corpora: Path, code: Path) -> list[tuple[list[str | Path], set[str]]]:
    """Each with the paths that it may write."""
    runs, dumps = corpora / "captured/2.13.0", corpora / "dumps"
    texts = [corpora / "minimal", corpora / "hostile"]
    outputs: list[tuple[list[str | Path], set[str]]] = [
        (["lint", "--all", corpora], set()),
        (["lint", "--format", "html", "-o", "page.html", *texts], {"page.html"}),
        (
            ["lint", "--partial", "a.partial", "--perfetto", "a.json", *texts],
            {"a.partial", "a.json"},
        ),
        (["merge", "-o", "b.partial", "a.partial"], {"b.partial"}),
        (["diff", "a.partial", "b.partial"], set()),
        (["advise", runs / "222-limit-cache", runs / "251-ranks-lengths"], set()),
        (["advise", "--emit", "patch", "--source-root", ".", runs / "222-limit-cache"], set()),
        (["guards", runs / "261-guards-trace"], set()),
        (["predict", "--assume-no-questions", "--log", runs / "222-limit-cache/log.txt"], set()),
        (["predict", corpora / "oracle/dev.scenarios.jsonl.gz", "--format", "jsonl"], set()),
        (["graph", dumps], set()),
        (["graph", "--format", "program", dumps / "archives"], set()),
        (["report", runs / "232-trace-small", "-o", "report.html"], {"report.html"}),
        (["buckets", runs / "222-limit-cache/log.txt"], set()),
        (["check", "--no-cache", code], set()),
        (["check", "--no-cache", "--unsafe-fixes", "--diff", code], set()),
    ]
    return outputs


def check_that_it_sees(folder: Path) -> None:
    """The check itself: a program that writes and starts another one is caught."""
    script = "echo x > made; cat made > /dev/null; mv made moved"
    seen = forbidden(traced(["sh", "-c", script], folder, folder / "trace"), set())
    for name in ("openat(", "execve(", "rename"):
        check(any(name in line for line in seen), f"strace shows no {name}: {seen}")
    (folder / "moved").unlink()


def can_trace(folder: Path) -> bool:
    """Whether strace is there, and the system allows it."""
    if shutil.which("strace") is None:
        return False
    probe = ["strace", "-f", "-o", str(folder / "trace"), "true"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


def check_commands(program: Path, corpora: Path, folder: Path) -> None:
    """All commands over copies: what they leave alone must be what it was."""
    code = folder / "code"
    shutil.copytree(corpora / "captured/2.13.0/203-breaks-mixed", code)
    # What tools that look for settings or plugins would run.
    for name in ("conftest.py", "setup.py", "sitecustomize.py"):
        (code / name).write_text("raise SystemExit('this was run')\n")
    work = folder / "work"
    work.mkdir()
    for arguments, outputs in commands(corpora, code):
        faults = forbidden(traced([program, *arguments], work, folder / "trace"), outputs)
        check(not faults, f"{arguments} asks for\n" + "\n".join(faults[:10]))
        left = {path.name for path in work.iterdir()}
        check(outputs <= left, f"{arguments}: of {outputs} there is {left}")
    # The cache of check is the one thing that is written unasked, in the folder where it is run.
    cache = ".shapewise_cache"
    trace = traced([program, "check", code], work, folder / "trace")
    faults = [line for line in forbidden(trace, set()) if f'"{cache}' not in line]
    check(not faults, "check asks for\n" + "\n".join(faults[:10]))
    check((work / cache).is_dir(), f"check left no {cache}")


# What a log may call a tensor: `advise --emit env` is made for eval, actions for pasting.
HOSTILE_SOURCES = (
    "k$(touch made)",
    "k`touch made`",
    "k[`touch made`]",
    "k.a`touch made`",
    "k['`touch made`']",
    "L['$(touch made)']",
    'k"; touch made; "',
    "k.a;touch made;",
    "k'; touch made; '",
    "k); import os; os.system('touch made'",
    "k.x = touch made",
)


AS_JSON = ("--format", "json")
ASSIGNMENT = re.compile(r"(?:export )?[A-Z_0-9]+=")


def output_of(command: list[str | Path]) -> str:
    """What the command prints."""
    return subprocess.run(command, capture_output=True, check=False, text=True).stdout


def must_run_nothing(text: str, folder: Path, what: str) -> None:
    """Evaluates `text` in a shell, which must not run what stands in it."""
    subprocess.run(["sh", "-c", text], cwd=folder, capture_output=True, check=False)
    check(not (folder / "made").exists(), f"{what} runs a command: {text}")


def codes_in(value: Any) -> Iterator[str]:
    """The code of every action in a JSON result."""
    if isinstance(value, dict):
        if isinstance(value.get("code"), str):
            yield value["code"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from codes_in(item)


def check_pasted(program: Path, corpora: Path, folder: Path) -> None:
    """A name out of a log is never code."""
    log = (corpora / "captured/2.13.0/222-limit-cache/log.txt").read_text()
    once = (corpora / "minimal/ok_recompiles_27_bare.log").read_text()
    hostile = folder / "hostile.log"
    for source in HOSTILE_SOURCES:
        for text in (
            log.replace("'k'", f"'{source}'"),
            "".join(log.replace("'k'", f"'{source}'").splitlines(True)[:4]),
            once.replace("kwargs['past'].layers[0].length", source),
        ):
            hostile.write_text(text)
            emitted = output_of([program, "advise", "--emit", "env", hostile])
            must_run_nothing(emitted, folder, f"{source}: what advise emits")
            for command in ("lint", "advise"):
                for code in codes_in(json.loads(output_of([program, command, *AS_JSON, hostile]))):
                    if ASSIGNMENT.match(code):
                        must_run_nothing(code, folder, f"{source}: an action of {command}")
                    else:
                        check("touch" not in code, f"{source}: {command} gives {code!r} to paste")


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    try:
        with temporary_folder() as folder:
            check_pasted(program, corpora, folder)
            if not can_trace(folder):
                print("skipped: strace is not installed, or not allowed here")
                return SKIPPED
            check_that_it_sees(folder)
            check_commands(program, corpora, folder)
    except Failure as failure:
        print(f"check_confinement: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
