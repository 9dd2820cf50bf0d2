#!/usr/bin/env python3
"""A fleet on a real Ray cluster of two nodes, one of which is killed while it works.

    tests/fleet/check_fleet_ray.py PROGRAM CORPORA

Every step notes the node on which it ran. Once both nodes have worked and results are coming in, the
second node is killed without notice: what it was doing and what it held is lost. The table has to be
the bytes of the serial run. Skipped (77) where Ray is not installed.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fleet_jobs import make_jobs

from shapewise.fleet import analyze
from shapewise.fleet.engines import RayEngine

SKIPPED = 77
STORE_BYTES = 80 << 20  # Ray takes no less than 75 MiB
KILLED_AFTER = 4  # results; there are more than twenty jobs


def noted(notes: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The step, after it has said where it runs."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    Path(notes, f"{node}-{os.getpid()}-{os.urandom(4).hex()}").touch()
    return function(*arguments)


class KillingEngine(RayEngine):
    """Kills a node in the middle."""

    def __init__(self, notes: Path, kill: Callable[[], None]) -> None:
        super().__init__()
        self.notes = notes
        self.kill = kill
        self.results = 0
        self.nodes_before: set[str] = set()

    def nodes(self) -> set[str]:
        """Those on which a step has run."""
        return {path.name.partition("-")[0] for path in self.notes.iterdir()}

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The step, noted."""
        return super().submit(noted, str(self.notes), function, *arguments)

    def result(self, handle: Any) -> Any:
        """The result; after the fourth one node is gone."""
        record = super().result(handle)
        self.results += 1
        if self.results == KILLED_AFTER:
            self.nodes_before = self.nodes()
            self.kill()
        return record


def wait_until_one_is_left() -> int:
    """How many nodes Ray knows to be alive; that one is dead it finds out with time."""
    import ray

    for _ in range(600):
        alive = sum(node["Alive"] for node in ray.nodes())
        if alive < 2:
            break
        time.sleep(0.1)
    return alive


def main(program: str, corpora: Path) -> int:
    """Runs the fleet twice; 1 if the tables differ."""
    if importlib.util.find_spec("ray") is None:
        print("skipped: ray is not installed")
        return SKIPPED
    import ray
    from ray.cluster_utils import Cluster

    # Workers import the package from where this process has it.
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as made:
        folder, notes = Path(made) / "logs", Path(made) / "notes"
        folder.mkdir()
        notes.mkdir()
        jobs = make_jobs(corpora, folder)
        expected = analyze(jobs, program=program, workers=1).json()
        cluster = Cluster()
        try:
            cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, include_dashboard=False)
            second = cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False)
            engine = KillingEngine(notes, lambda: cluster.remove_node(second, allow_graceful=False))
            fleet = analyze(jobs, engine=engine, program=program, part_files=1)
            alive = wait_until_one_is_left()
        finally:
            ray.shutdown()
            cluster.shutdown()
    assert len(engine.nodes_before) == 2, "both nodes have to work before one is killed"
    assert alive == 1, "the second node has to be dead"
    differences = "\n".join(difflib.unified_diff(expected.splitlines(), fleet.json().splitlines()))
    assert fleet.json() == expected, f"the table is not that of the serial run\n{differences}"
    print(f"fleet on ray: {len(jobs)} jobs, a node killed after {KILLED_AFTER}, same bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
