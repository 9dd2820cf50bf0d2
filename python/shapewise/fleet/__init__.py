"""Many jobs, one table: causes ranked over a fleet, owners, GPU hours lost.

`python -m shapewise.fleet PATHS...`; the design is in analyzer/docs/fleet.md. Needs nothing but the
program itself; fsspec, pyarrow and Ray are imported where they are asked for.
"""

from .analysis import analyze
from .errors import FleetError
from .table import Fleet

__all__ = ["Fleet", "FleetError", "analyze"]
