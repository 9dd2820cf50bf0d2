"""A DataLoader whose batches are recorded when it yields them. Needs torch for a batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from .recorder import active_recorder

__all__ = ["WatchedLoader"]

Batch = TypeVar("Batch")


class WatchedLoader(Generic[Batch]):
    """Forwards all attributes to `loader`."""

    def __init__(self, loader: Iterable[Batch], name: str) -> None:
        self._loader = loader
        members = {"function": name, "file": "", "line": 0, "compiled": False}
        self._place = json.dumps(members)[1:-1]

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._loader:
            self._note(batch)
            yield batch

    def __len__(self) -> int:
        length: int = len(self._loader)  # type: ignore[arg-type]
        return length

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def _note(self, batch: Any) -> None:
        recorder = active_recorder()
        if recorder is None:
            return
        from .describe import batch_json
        from .keys import DictKey, value_key

        try:
            key = value_key(dict(_inputs_of(batch)))
            if isinstance(key, DictKey):
                recorder.note_inputs(self._place, key, json.dumps(batch_json(key)))
        except Exception as error:  # whatever it is, the job goes on
            recorder.fail(f"{type(error).__name__}: {error}")


def _inputs_of(batch: Any) -> Mapping[str, Any]:
    if isinstance(batch, Mapping):
        return {str(name): value for name, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return dict(zip(batch._fields, batch, strict=True))
    if isinstance(batch, (list, tuple)):
        return {str(position): value for position, value in enumerate(batch)}
    return {"batch": batch}
