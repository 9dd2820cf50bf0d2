"""python -m shapewise: the program that was installed with this package."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

PROGRAM = "shapewise"
TROUBLE = 2


def places() -> Iterator[Path]:
    """Possible places of the program, beginning with that of this package.

    A wheel has it in the scripts of the environment, of the user, or of `pip install --target`; a
    package that is used from a checkout, editable or by PYTHONPATH, may find it there, built.
    """
    package = Path(__file__).resolve().parent
    root = package.parent.parent
    if (root / "CMakeLists.txt").is_file():
        for build in ("release", "wheel", "dev"):
            yield root / "build" / build / PROGRAM
    elif len(package.parents) > 3:
        # lib/python3.x/site-packages/shapewise; and DIR/shapewise of --target DIR.
        yield package.parents[3] / "bin" / PROGRAM
    yield package.parent / "bin" / PROGRAM
    yield Path(sysconfig.get_path("scripts"), PROGRAM)
    yield Path(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")), PROGRAM)


def find_program() -> Path | None:
    """The first of `places` that can be run."""
    for place in places():
        if place.is_file() and os.access(place, os.X_OK):
            return place
    return None


def no_program_text() -> str:
    """The message that there is no program, and where it was looked for."""
    looked = "\n".join(f"  {place}" for place in dict.fromkeys(places()))
    return (
        f"the program of the package is not there; looked for\n{looked}\n"
        "`pip install shapewise` brings both; in a checkout, `./dev build release` builds it."
    )


def main() -> int:
    """Becomes the program; returns only if it is missing or cannot be started."""
    program = find_program()
    if program is None:
        print(f"shapewise: error: {no_program_text()}", file=sys.stderr)
        return TROUBLE
    try:
        os.execv(program, [str(program), *sys.argv[1:]])
    except OSError as error:
        print(f"shapewise: error: {program}: {error.strerror}", file=sys.stderr)
    return TROUBLE


if __name__ == "__main__":
    sys.exit(main())
