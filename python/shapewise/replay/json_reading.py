"""Members of a JSON object, read one by one and checked; errors name the place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .errors import ReplayError, did_you_mean

__all__ = ["Members"]


class Members:
    """The members of `value`, which is at `place` in the document."""

    def __init__(self, value: Any, place: str, known: Iterable[str]) -> None:
        """Raises ReplayError if `value` is not an object, or has an unknown member."""
        if not isinstance(value, dict):
            raise ReplayError(f"{place}: expected an object, not {kind_of(value)}")
        names = list(known)
        for name in value:
            if name not in names:
                raise ReplayError(f"{place}: no member '{name}'{did_you_mean(name, names)}")
        self._value = value
        self._place = place

    def at(self, name: str) -> str:
        """The place of a member."""
        return f"{self._place}.{name}"

    def any(self, name: str) -> Any:
        """A member, or None."""
        return self._value.get(name)

    def text(self, name: str, default: str = "") -> str:
        """A string."""
        value = self._value.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ReplayError(f"{self.at(name)}: expected a string, not {kind_of(value)}")
        return value

    def required_text(self, name: str) -> str:
        """A string that must be there."""
        value = self.text(name)
        if not value:
            raise ReplayError(f"{self.at(name)}: it is missing")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A truth value."""
        value = self.optional_flag(name)
        return default if value is None else value

    def optional_flag(self, name: str) -> bool | None:
        """A truth value or null."""
        value = self._value.get(name)
        if value is not None and not isinstance(value, bool):
            raise ReplayError(f"{self.at(name)}: expected true or false, not {kind_of(value)}")
        return value

    def integer(self, name: str, default: int, least: int = 0) -> int:
        """A whole number that is not below `least`."""
        value = self.optional_integer(name)
        if value is None:
            return default
        if value < least:
            raise ReplayError(f"{self.at(name)}: {value} is below {least}")
        return value

    def optional_integer(self, name: str) -> int | None:
        """A whole number or null."""
        value = self._value.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise ReplayError(f"{self.at(name)}: expected a whole number, not {kind_of(value)}")
        return value

    def optional_number(self, name: str) -> float | None:
        """A number above 0, or null."""
        value = self._value.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise ReplayError(f"{self.at(name)}: expected a number above 0")
        return float(value)

    def finite(self, name: str, default: float) -> float:
        """A finite number."""
        value = self._value.get(name)
        if value is None:
            return default
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        number: float = value if is_number else math.nan
        if not math.isfinite(number):
            raise ReplayError(f"{self.at(name)}: expected a number")
        return number

    def items(self, name: str) -> list[Any]:
        """A list; null is an empty one."""
        value = self._value.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ReplayError(f"{self.at(name)}: expected a list, not {kind_of(value)}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        values = self.items(name)
        if not all(isinstance(value, str) for value in values):
            raise ReplayError(f"{self.at(name)}: expected a list of strings")
        return tuple(values)

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers."""
        values = self.items(name)
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
            raise ReplayError(f"{self.at(name)}: expected a list of whole numbers")
        return tuple(values)

    def mapping(self, name: str) -> dict[str, Any]:
        """An object; null is an empty one."""
        value = self._value.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise ReplayError(f"{self.at(name)}: expected an object, not {kind_of(value)}")
        return value


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    names = {bool: "a truth value", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")
