"""The compiled subject: found, loaded, and bound to the values of calls. Needs torch."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from .calls import Call
from .errors import ReplayError, SubjectError, first_line
from .graph_program import program_of_graph
from .job import Subject
from .sources import argument_name
from .values import ValueMaker, uncompiled

__all__ = ["LoadedSubject", "load_subject", "object_of_spec", "state_of"]


@dataclass
class LoadedSubject:
    """Something that can be compiled."""

    target: Callable[..., Any]
    signature: inspect.Signature
    make_inputs: Callable[[dict[str, Any]], Any] | None = None
    is_factory: bool = False  # the spec names what makes it
    notes: list[str] = field(default_factory=list)


def load_subject(subject: Subject, sample: Call, maker: ValueMaker) -> LoadedSubject:
    """The subject of a job; `sample` is one of its calls. Raises SubjectError."""
    loaded = _load(subject, sample, maker)
    if isinstance(loaded.target, torch.nn.Module):
        loaded.target.to(maker.device)
    if subject.make_inputs:
        loaded.make_inputs = object_of_spec(subject.make_inputs)
    return loaded


def _load(subject: Subject, sample: Call, maker: ValueMaker) -> LoadedSubject:
    if subject.kind == "callable":
        return _callable(subject, sample)
    if subject.kind == "pt2":
        try:
            module = torch.export.load(subject.path).module()
        except Exception as error:
            raise SubjectError(f"{subject.path}: {first_line(error)}") from error
        return LoadedSubject(module, inspect.signature(module.forward))
    try:
        text = Path(subject.path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SubjectError(f"{subject.path}: {error}") from None
    try:
        program = program_of_graph(text, subject.inputs, sample.inputs)
        step = step_of_source(program.source, maker)
    except ReplayError as error:
        raise SubjectError(f"{subject.path}: {error}") from None
    return LoadedSubject(step, inspect.signature(step.forward), notes=program.notes)


def step_of_source(source: str, maker: ValueMaker) -> torch.nn.Module:
    """The module that a graph's program defines. Raises SubjectError if it cannot be made."""
    namespace: dict[str, Any] = {"__name__": "shapewise_graph"}
    try:
        exec(compile(source, "<graph>", "exec"), namespace)
        step: torch.nn.Module = namespace["Step"](maker)
    except Exception as error:
        raise SubjectError(f"the graph cannot be run: {first_line(error)}") from error
    return step


def object_of_spec(spec: str) -> Any:
    """What "train.py:step" or "package.module:name" names. Raises SubjectError."""
    place, _, name = spec.rpartition(":")
    try:
        module = _module(place)
    except Exception as error:
        raise SubjectError(f"{place} cannot be imported: {first_line(error)}") from error
    value: Any = module
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise SubjectError(f"{place} has no '{name}'") from None
    return value


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = Path(place).resolve()
    # As for `python train.py`: modules in its folder can be imported.
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(place)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _callable(subject: Subject, sample: Call) -> LoadedSubject:
    value = uncompiled(object_of_spec(subject.spec))
    is_class = inspect.isclass(value)
    if not callable(value):
        raise SubjectError(f"{subject.spec} is no function, module or class")
    signature = _signature(value)
    is_factory = is_class if subject.factory is None else subject.factory
    if subject.factory is None and not is_class and sample.inputs:
        takes_none = not any(p.default is p.empty for p in signature.parameters.values())
        is_factory = takes_none and not _takes(signature, sample)
    if is_factory:
        try:
            value = uncompiled(value())
        except Exception as error:
            raise SubjectError(f"{subject.spec}(): {first_line(error)}") from error
        if not callable(value):
            raise SubjectError(f"{subject.spec}() gives nothing that can be called")
        signature = _signature(value)
    return LoadedSubject(value, signature, is_factory=is_factory)


def _signature(value: Any) -> inspect.Signature:
    if isinstance(value, torch.nn.Module):
        value = value.forward
    try:
        return inspect.signature(value)
    except (TypeError, ValueError):
        raise SubjectError("its arguments are unknown: it has no signature") from None


def _takes(signature: inspect.Signature, call: Call) -> bool:
    return any(argument_name(name) in signature.parameters for name in call.inputs)


@dataclass
class State:
    """Modules and optimizers that a call may change."""

    modules: dict[str, torch.nn.Module]
    optimizers: list[torch.optim.Optimizer]

    def parameters(self) -> dict[str, torch.nn.Parameter]:
        """All parameters, by a name."""
        return {
            f"{owner}.{name}".lstrip("."): parameter
            for owner, module in self.modules.items()
            for name, parameter in module.named_parameters()
        }

    def buffers(self) -> dict[str, torch.Tensor]:
        """All buffers, by a name."""
        return {
            f"{owner}.{name}".lstrip("."): buffer
            for owner, module in self.modules.items()
            for name, buffer in module.named_buffers()
        }

    def saved(self) -> list[Callable[[], None]]:
        """A function that restores the current state."""
        actions: list[Callable[[], None]] = []
        for module in {
            id(part): part for m in self.modules.values() for part in m.modules()
        }.values():
            actions.append(_restore(module))
        for optimizer in self.optimizers:
            actions.append(_restore_optimizer(optimizer))
        return actions


def _restore(module: torch.nn.Module) -> Callable[[], None]:
    held = [*module._parameters.values(), *module._buffers.values()]
    tensors = [(tensor, tensor.detach().clone()) for tensor in held if tensor is not None]
    simple = (int, float, str, bool, type(None))
    plain = {name: value for name, value in vars(module).items() if isinstance(value, simple)}
    copies = {
        name: value.detach().clone()
        for name, value in vars(module).items()
        if isinstance(value, torch.Tensor)
    }

    def restore() -> None:
        with torch.no_grad():
            for tensor, kept in tensors:
                tensor.copy_(kept)
        vars(module).update(plain)
        for name, kept in copies.items():
            setattr(module, name, kept.clone())

    return restore


def _restore_optimizer(optimizer: torch.optim.Optimizer) -> Callable[[], None]:
    state = copy.deepcopy(optimizer.state_dict())
    return lambda: optimizer.load_state_dict(copy.deepcopy(state))


def state_of(target: Callable[..., Any]) -> State:
    """The state that a callable uses: its own, its object's, its globals', its cells'."""
    if isinstance(target, torch.nn.Module):
        return State({"": target}, [])
    modules: dict[str, torch.nn.Module] = {}
    optimizers: list[torch.optim.Optimizer] = []
    for name, value in _reachable(target):
        value = uncompiled(value)
        if isinstance(value, torch.nn.Module):
            if all(value is not known for known in modules.values()):
                modules[name] = value
        elif isinstance(value, torch.optim.Optimizer):
            optimizers.append(value)
    return State(modules, optimizers)


def _reachable(target: Callable[..., Any]) -> list[tuple[str, Any]]:
    function = getattr(target, "__func__", target)
    code = getattr(function, "__code__", None)
    found: list[tuple[str, Any]] = [("self", getattr(target, "__self__", None))]
    if code is None:
        return found
    names = {name for part in _codes(code) for name in part.co_names}
    found += [(name, value) for name, value in function.__globals__.items() if name in names]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        try:
            found.append((name, cell.cell_contents))
        except ValueError:  # a cell that is still empty
            continue
    return found


def _codes(code: Any) -> list[Any]:
    inner = [constant for constant in code.co_consts if hasattr(constant, "co_names")]
    return [code, *(part for constant in inner for part in _codes(constant))]
