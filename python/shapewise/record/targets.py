"""The code of a compiled function, and how it is compiled. Imports torch."""

from __future__ import annotations

import inspect
import json
import types
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Target", "name_of", "policy_of", "target_of"]

WRAPPER = "inner"  # of torch/_dynamo/external_utils.py: what is compiled for code of PyTorch

# Names of torch.nn.Module's own call methods; the compiled code is its forward.
MODULE_CALLS = ("_wrapped_call_impl", "_call_impl", "__call__", "_lazy_forward")

# Settings that predictions support, with their defaults in PyTorch 2.13: members of
# torch._dynamo.config and torch.fx.experimental._config.
CONFIG: dict[str, Any] = {
    "recompile_limit": 8,
    "accumulated_recompile_limit": 256,
    "automatic_dynamic_shapes": True,
    "automatic_dynamic_exclusion_guard": False,
    "fail_on_recompile_limit_hit": False,
    "error_on_recompile": False,
    "specialize_int": False,
    "specialize_float": False,
    "allow_unspec_int_on_nn_module": False,
    "force_parameter_static_shapes": True,
    "force_nn_module_property_static_shapes": True,
    "allow_ignore_mark_dynamic": False,
    "capture_scalar_outputs": False,
    "capture_dynamic_output_shape_ops": False,
}
SHAPE_CONFIG: dict[str, Any] = {"use_duck_shape": True, "backed_size_oblivious": False}
LINKS = 6  # from a context to what compiles frames
SOURCES = ("dynamic_sources", "unbacked_sources")  # of torch.compiler.config


@dataclass(frozen=True)
class Target:
    """Code that Dynamo compiles."""

    function: str
    file: str
    line: int
    signature: inspect.Signature | None  # None: (*args, **kwargs)
    is_owner_in_args: bool = False  # a method of (*args), whose object is the first of them

    @property
    def members(self) -> dict[str, Any]:
        """The members of a record that name it."""
        return {"function": self.function, "file": self.file, "line": self.line}

    @property
    def place(self) -> str:
        """The same as JSON without braces."""
        return json.dumps(self.members)[1:-1]


def target_of(function: Any) -> Target | None:
    """The code that a context compiles when it calls `function`; None if it is not recorded."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module) and function.__name__ in MODULE_CALLS:
        function = owner.forward
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_filename.startswith("<eval_with_key>"):
        return None  # a graph: compiled autograd makes one for each backward pass
    is_frame = code.co_name == WRAPPER and code.co_filename.endswith("external_utils.py")
    signature: inspect.Signature | None = None
    if not is_frame:
        try:
            signature = inspect.signature(function, follow_wrapped=False)
        except (TypeError, ValueError):
            signature = None
    is_in_args = inspect.ismethod(function) and code.co_argcount == 0
    place = (code.co_name, code.co_filename, code.co_firstlineno)
    return Target(*place, signature, is_in_args)


def name_of(model: Any) -> str:
    """The name that target_of() is going to have once torch.compile has taken `model`.

    Dynamo compiles a frame around code of PyTorch itself, such as that of nn.Sequential.
    """
    function = getattr(model, "forward", model)
    target = target_of(function)
    name = "" if target is None else target.function
    if getattr(function, "__name__", "") in MODULE_CALLS:
        return name
    try:
        from torch._dynamo import trace_rules

        return WRAPPER if trace_rules.check(function) else name
    except Exception:  # a callable that it does not know
        return name


def policy_of(context: Any) -> dict[str, Any]:
    """Settings that differ from their defaults."""
    policy: dict[str, Any] = {}
    dynamic = getattr(context, "_dynamic", None)
    if isinstance(dynamic, bool):
        policy["dynamic"] = dynamic
    if getattr(context, "fullgraph", False) is True:
        policy["fullgraph"] = True
    if getattr(context, "_isolate_recompiles_id", -1) != -1:
        policy["isolate"] = True
    if getattr(context, "_shapes_spec", None) is not None:
        policy["shapes_spec"] = True
    limit = _own_limit(context)
    if limit is not None:
        policy["recompile_limit"] = limit
    config = _changed(torch._dynamo.config, CONFIG)
    if config:
        policy["config"] = config
    shape_config = _changed(torch.fx.experimental._config, SHAPE_CONFIG)
    if shape_config:
        policy["shape_config"] = shape_config
    for name in SOURCES:
        sources = getattr(torch.compiler.config, name, "")
        if isinstance(sources, str) and sources:
            policy[name] = sources
    return policy


def _own_limit(context: Any) -> int | None:
    """That of torch.compile(recompile_limit=...), which what compiles frames holds."""
    link = getattr(context, "callback", None)
    for _ in range(LINKS):
        for holder in (link, getattr(link, "_inner_convert", None)):
            limit = getattr(holder, "_recompile_limit", None)
            if isinstance(limit, int):
                return limit
        link = getattr(link, "_torchdynamo_orig_backend", None)
        if link is None:
            break
    return None


def _changed(config: Any, usual: dict[str, Any]) -> dict[str, Any]:
    now = {name: getattr(config, name, value) for name, value in usual.items()}
    return {name: value for name, value in now.items() if value != usual[name]}
