#!/usr/bin/env python3
"""Runs the completions of shells in these shells, and the manual page through what shows it.

    tests/packaging/check_shells.py PROGRAM

Shells that are not installed are left out, and said so.
Exit status: 0 all that could be tried is right, 1 something is not.
"""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 20

# A command line up to the cursor, words that have to be offered there, and words that must not be.
# None: nothing is offered of our own, so that the shell offers files.
CASES: tuple[tuple[str, set[str] | None, set[str]], ...] = (
    ("shapewise ", {"lint", "check", "schema", "completion"}, {"--format"}),
    ("shapewise li", {"lint"}, {"check", "diff"}),
    ("shapewise --v", {"--version"}, {"--help"}),
    ("shapewise lint --for", {"--format"}, {"--follow"}),
    ("shapewise lint -", {"--format", "--output", "-o", "--help"}, {"--fix"}),
    ("shapewise lint --format ", {"text", "json", "sarif"}, {"lint", "svg"}),
    ("shapewise lint --format js", {"json", "jsonl"}, {"text"}),
    ("shapewise lint --format=js", {"json", "jsonl"}, {"text"}),
    ("shapewise check --mode ", {"train", "eval", "both"}, {"text"}),
    ("shapewise buckets --emit v", {"vllm"}, {"sglang"}),
    ("shapewise explain SWC00", {"SWC003"}, {"SWP010"}),
    ("shapewise lint --select SWC00", {"SWC003"}, {"SWP010"}),
    ("shapewise completion ", {"bash", "zsh", "fish", "man"}, {"lint"}),
    ("shapewise schema check-", {"check-lines", "check-statistics"}, {"lint"}),
    ("shapewise lint ", None, set()),
    ("shapewise lint --output ", None, set()),
    ("shapewise lint --events ", None, set()),
    ("shapewise lint --format json ", None, set()),
    ("shapewise check --diff ", None, set()),
    ("shapewise lint -- ", None, set()),
)

problems: list[str] = []


def expect(condition: bool, text: str) -> None:
    """Notes `text` where `condition` does not hold."""
    if not condition:
        problems.append(text)
        print(f"check_shells: {text}")


def printed(program: str, form: str) -> str:
    done = subprocess.run([program, "completion", form], capture_output=True, text=True, timeout=30, check=True)
    return done.stdout


def bash_words(line: str) -> list[str]:
    """A command line as bash gives it to completions: '=' is a word of its own."""
    words = re.findall(r"=|[^\s=]+", line)
    return words if line.endswith("=") or not line.endswith(" ") else [*words, ""]


def bash_replies(script: str, line: str) -> list[str]:
    words = bash_words(line)
    array = " ".join(shlex.quote(word) for word in words)
    text = (
        f"{script}\nCOMP_WORDS=({array})\nCOMP_CWORD={len(words) - 1}\n_shapewise\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "--norc", "-c", text], capture_output=True, text=True, timeout=30, check=False)
    expect(done.returncode == 0 and not done.stderr, f"bash: {line!r}: {done.stderr}")
    return done.stdout.split()


def type_into(command: list[str], begin: str, keys: str, wanted: str, folder: str) -> str:
    """What a shell on a terminal shows once `begin` and then `keys` were typed, up to `wanted`."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update({"PS1": "ready> ", "TERM": "dumb"})
        os.execvp(command[0], command)
    shown = ""
    try:
        for text, until in ((begin + "\n", "begun"), (keys, wanted)):
            os.write(terminal, text.encode())
            end = time.monotonic() + SECONDS
            seen = len(shown)
            while until not in re.sub(r"echo be'gun'.*", "", shown[seen:]) and time.monotonic() < end:
                if select.select([terminal], [], [], 0.2)[0]:
                    shown += os.read(terminal, 65536).decode(errors="replace")
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)
    return shown


def check_bash(program: str, folder: str) -> None:
    script = printed(program, "bash")
    for line, wanted, unwanted in CASES:
        replies = set(bash_replies(script, line))
        if wanted is None:
            expect(not replies, f"bash offers {sorted(replies)} for {line!r}")
            continue
        expect(wanted <= replies, f"bash offers {sorted(replies)} for {line!r}, without {sorted(wanted - replies)}")
        expect(not unwanted & replies, f"bash offers {sorted(unwanted & replies)} for {line!r}")
    # Once with the key itself: what is typed is completed on the line, files where files belong.
    Path(folder, "completion.bash").write_text(script, encoding="utf-8")
    Path(folder, "training.log").write_text("", encoding="utf-8")
    begin = "source completion.bash; echo be'gun'"
    shell = ["bash", "--norc", "-i"]
    shown = type_into(shell, begin, "shapewise lint --forma\t sari\ttrain\t", "training.log", folder)
    expect(
        "shapewise lint --format  sarif training.log" in shown or "shapewise lint --format sarif training.log" in shown,
        f"bash on a terminal: {shown!r}",
    )


def check_zsh(program: str, folder: str) -> None:
    path = Path(folder, "_shapewise")
    path.write_text(printed(program, "zsh"), encoding="utf-8")
    done = subprocess.run(["zsh", "-n", str(path)], capture_output=True, text=True, timeout=30, check=False)
    expect(done.returncode == 0 and not done.stderr, f"zsh: {done.stderr}")
    begin = f"autoload -U compinit; compinit -u -D; source {path}; echo be'gun'"
    shell = ["zsh", "-f", "-i"]
    for keys, wanted in (
        ("shapewise lint --forma\t", "--format"),
        ("shapewise compl\t", "completion "),
        ("shapewise lint --format=sari\t", "--format=sarif"),
        ("shapewise check --mode trai\t", "--mode train"),
        ("shapewise schema check-stat\t", "check-statistics"),
        ("shapewise lint --events train\t", "training.log"),
    ):
        shown = type_into(shell, begin, keys, wanted, folder)
        expect(wanted in shown.split("begun")[-1], f"zsh: {keys!r} shows {shown!r}")


def check_fish(program: str, folder: str) -> None:
    path = Path(folder, "shapewise.fish")
    path.write_text(printed(program, "fish"), encoding="utf-8")
    done = subprocess.run(["fish", "--no-execute", str(path)], capture_output=True, text=True, timeout=30, check=False)
    expect(done.returncode == 0 and not done.stderr, f"fish: {done.stderr}")
    for line, wanted, unwanted in CASES:
        if wanted is None:
            continue
        text = f"source {path}; complete -C {shlex.quote(line)}"
        done = subprocess.run(
            ["fish", "--no-config", "-c", text], capture_output=True, text=True, timeout=60, check=False, cwd=folder
        )
        replies = {reply.split("\t")[0].split("=")[-1] for reply in done.stdout.splitlines()}
        expect(wanted <= replies, f"fish offers {sorted(replies)} for {line!r}, without {sorted(wanted - replies)}")
        expect(not unwanted & replies, f"fish offers {sorted(unwanted & replies)} for {line!r}")


def check_manual(program: str) -> None:
    page = printed(program, "man")
    commands = {"groff": ["groff", "-man", "-ww", "-Tutf8", "-P-c"], "mandoc": ["mandoc", "-T", "utf8", "-W", "error"]}
    if not any(map(shutil.which, commands)):
        print("check_shells: neither groff nor mandoc is installed")
    for name, command in commands.items():
        if shutil.which(name) is None:
            continue
        done = subprocess.run(command, input=page, capture_output=True, text=True, timeout=60, check=False)
        expect(done.returncode == 0 and not done.stderr, f"{name}: {done.stderr[:2000]}")
        text = re.sub(r".\x08|\x1b\[[0-9;]*m", "", done.stdout)
        for wanted in ("SHAPEWISE(1)", "shapewise lint", "--baseline FILE", "EXIT STATUS", "pyproject.toml"):
            expect(wanted in text, f"{name} shows no {wanted!r}")
        # A line of an example is one line, with minus signs that can be pasted.
        expect("shapewise lint --format json run.log.gz" in text, f"{name} breaks examples")


def main() -> int:
    program = str(Path(sys.argv[1]).resolve())
    shells = {"bash": check_bash, "zsh": check_zsh, "fish": check_fish}
    with tempfile.TemporaryDirectory() as folder:
        for name, check in shells.items():
            if shutil.which(name) is None:
                print(f"check_shells: no {name} here")
            else:
                check(program, folder)
    check_manual(program)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
