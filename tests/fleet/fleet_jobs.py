"""Jobs for the tests of fleets, made of logs in corpora/."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["make_jobs"]

LOGS = 14


def make_jobs(corpora: Path, folder: Path) -> list[str]:
    """Writes jobs below `folder`; the paths that name them, two of which are damaged."""
    logs = sorted(corpora.glob("minimal/ok_*.log"))
    step = max(1, len(logs) // LOGS)
    jobs = []
    for number, log in enumerate(logs[::step]):
        # Every third job has a file for each of three ranks, in folders of their own.
        if number % 3:
            target = folder / f"job-{number}.log"
            shutil.copyfile(log, target)
        else:
            target = folder / f"job-{number}"
            for rank in range(3):
                (target / f"node{rank}").mkdir(parents=True)
                shutil.copyfile(logs[(number + rank) % len(logs)], target / f"node{rank}/run.log")
        jobs.append(str(target))
    trace = folder / "ranks"
    shutil.copytree(corpora / "captured/2.13.0/251-ranks-lengths/trace", trace)
    again = folder / "ranks-again"
    shutil.copytree(trace, again)
    # A file without torch output, a folder without files, and a missing path.
    (folder / "shopping.txt").write_text("bread\nmilk\n", encoding="utf-8")
    (folder / "empty").mkdir()
    jobs += [str(trace), str(again), str(folder / "shopping.txt"), str(folder / "empty")]
    return [*jobs, str(folder / "not-there")]
