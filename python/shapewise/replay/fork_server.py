"""Starts processes that have torch imported: python -m shapewise.replay.fork_server. Needs torch.

Importing torch and Dynamo takes seconds, and a replay measures dozens of processes. This one
imports them and does nothing else: it compiles nothing, runs no operator, and looks at no device,
so that a fork of it is as fresh as a new process.

A line of standard input asks for one: {"request": ..., "result": ..., "output": ...,
"environment": ...}, paths, and variables that are set for it. A line of standard output tells that
it runs, {"pid": 7}, and the next that it has ended, {"status": 0}; a status below 0 is the signal
that ended it. It leads a session of its own. The server ends with its input, or with the process
that started it.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any, NoReturn

import torch._dynamo  # noqa: F401  for the processes to come

from . import child
from .parent import die_with_parent


def become_child(question: dict[str, Any]) -> NoReturn:
    """In a new process: what `python -m shapewise.replay.child` does."""
    status = 1
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        output = os.open(question["output"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for target, source in ((0, nothing), (1, output), (2, output)):
            os.dup2(source, target)
        os.environ.update(question["environment"])
        sys.argv = [str(child.__file__), question["request"], question["result"]]
        status = child.main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        # Exit handlers of the server must not run in this process.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def say(answer: dict[str, int]) -> None:
    """Writes a line immediately."""
    os.write(1, json.dumps(answer).encode() + b"\n")


def main() -> int:
    """Answers lines until there are no more."""
    die_with_parent()
    gc.collect()
    gc.freeze()  # what is shared stays shared: no fork has to copy it to look for garbage
    with Path("/dev/stdin").open("rb", buffering=0) as questions:
        while line := questions.readline():
            question = json.loads(line)
            pid = os.fork()
            if pid == 0:
                become_child(question)
            say({"pid": pid})
            _, status = os.waitpid(pid, 0)
            say({"status": os.waitstatus_to_exitcode(status)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
