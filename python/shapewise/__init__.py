"""The Python side of shapewise: what needs torch itself."""

from __future__ import annotations

__all__ = ["VERSION"]

VERSION = "0.1.0"
