"""Policies: how a function is compiled, and what is done to its inputs before each call.

As JSON they are those of scenarios (analyzer/docs/predict.md) with the members in
analyzer/docs/replay.md; `policy_text` reads them as people write them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .errors import ReplayError, did_you_mean
from .json_reading import Members
from .padded_dims import MEMBERS as DIM_MEMBERS
from .padded_dims import PaddedDim, read_dim, read_padded_dim
from .serving import Serving, serving_of_json
from .settings import MODES, PRECISIONS, read_inductor
from .sources import guard_source

__all__ = ["MARK_KINDS", "Buckets", "Mark", "Mask", "Policy", "Regions", "policy_of_json"]

MARK_KINDS = ("dynamic", "maybe", "static", "unbacked")
REGION_WAYS = ("compile", "nested")


@dataclass(frozen=True)
class Mark:
    """A mark on a dim of an input, set before each call."""

    source: str
    dim: int
    kind: str  # one of MARK_KINDS
    min: int | None = None
    max: int | None = None
    calls: tuple[int, ...] | None = None  # numbers of the calls that carry it; None: all


@dataclass(frozen=True)
class Buckets:
    """A dim that is padded to the smallest of `sizes` that fits; a larger dim is not changed."""

    source: str
    dim: int
    sizes: tuple[int, ...]  # ascending
    fill: float = 0
    mark_static: bool = False


@dataclass(frozen=True)
class Shapes:
    """Dims that are padded together, to the first of `sizes` that fits all, or not at all."""

    dims: tuple[PaddedDim, ...]
    sizes: tuple[tuple[int, ...], ...]  # a size for each of `dims`


@dataclass(frozen=True)
class Mask:
    """An input that says which positions are real: 1, then 0 where `like` is padded in `dim`.

    It is made where a call brings None for it.
    """

    source: str
    like: str
    dim: int


@dataclass(frozen=True)
class Regions:
    """Submodules, by patterns of their names, that are compiled separately."""

    modules: tuple[str, ...]  # as fnmatch takes them: "layers.*"
    way: str = "compile"  # or "nested": nested_compile_region inside the whole


@dataclass(frozen=True)
class Policy:
    """How a function is compiled. Defaults are those of torch.compile."""

    dynamic: bool | None = None
    fullgraph: bool = False
    isolate: bool = False
    mode: str | None = None
    backend: str = "inductor"
    eager: bool = False  # it is not compiled at all
    options: dict[str, Any] = field(default_factory=dict)  # of torch.compile
    inductor: dict[str, Any] = field(default_factory=dict)  # of torch._inductor.config
    float32_matmul_precision: str | None = None  # of torch.set_float32_matmul_precision
    config: dict[str, Any] = field(default_factory=dict)  # of torch._dynamo.config
    shape_config: dict[str, Any] = field(default_factory=dict)  # torch.fx.experimental._config
    dynamic_sources: str = ""
    unbacked_sources: str = ""
    marks: tuple[Mark, ...] = ()
    buckets: tuple[Buckets, ...] = ()
    masks: tuple[Mask, ...] = ()
    shapes: Shapes | None = None
    serving: Serving | None = None
    regions: Regions | None = None
    stance: dict[int, str] = field(default_factory=dict)  # by number of call

    def sizes_like(self, mask: Mask) -> tuple[int, ...]:
        """The buckets of the input that a mask is like."""
        return next(
            buckets.sizes
            for buckets in self.buckets
            if guard_source(buckets.source) == guard_source(mask.like) and buckets.dim == mask.dim
        )

    @property
    def pads(self) -> bool:
        """Whether inputs are padded."""
        return bool(self.buckets or self.shapes) or (self.serving is not None and self.serving.pads)

    def inductor_setting(self, name: str) -> Any:
        """A setting of Inductor, from any place that can contain it; None if it is not set."""
        return self.options.get(name, self.inductor.get(name))

    def compile_arguments(self) -> dict[str, Any]:
        """Keyword arguments of torch.compile, without its defaults."""
        given: dict[str, Any] = {}
        if self.dynamic is not None:
            given["dynamic"] = self.dynamic
        if self.fullgraph:
            given["fullgraph"] = True
        if self.isolate or self.serving:
            given["isolate_recompiles"] = True
        if self.backend != "inductor":
            given["backend"] = self.backend
        if self.mode:
            given["mode"] = self.mode
        if self.options:
            given["options"] = dict(self.options)
        return given


def policy_of_json(value: Any, place: str = "policy") -> Policy:
    """A policy, checked. Raises ReplayError: what is wrong, and where."""
    known = (
        *("dynamic", "fullgraph", "isolate", "mode", "backend", "eager", "options", "config"),
        *("shape_config", "dynamic_sources", "unbacked_sources", "marks", "buckets", "masks"),
        *(
            "inductor",
            "float32_matmul_precision",
            "shapes",
            "serve",
            "regions",
            "stance",
            "instances",
        ),
    )
    members = Members(value, place, known)
    mode = members.text("mode") or None
    options = members.mapping("options")
    if mode and options:
        raise ReplayError(f"{place}: torch.compile takes a mode or options, not both")
    precision = members.text("float32_matmul_precision") or None
    for given, values, name in ((mode, MODES, "mode"), (precision, PRECISIONS, "precision")):
        if given is not None and given not in values:
            raise ReplayError(f"{place}: no {name} '{given}'{did_you_mean(given, values)}")
    policy = Policy(
        dynamic=members.optional_flag("dynamic"),
        fullgraph=members.flag("fullgraph"),
        isolate=members.flag("isolate"),
        mode=mode,
        backend=members.text("backend", "inductor"),
        eager=members.flag("eager"),
        options=options,
        inductor=read_inductor(members.mapping("inductor"), members.at("inductor")),
        float32_matmul_precision=precision,
        config=members.mapping("config"),
        shape_config=members.mapping("shape_config"),
        dynamic_sources=members.text("dynamic_sources"),
        unbacked_sources=members.text("unbacked_sources"),
        marks=_all(members, "marks", _mark),
        buckets=_all(members, "buckets", _buckets),
        masks=_all(members, "masks", _mask),
        shapes=_shapes(members.any("shapes"), members.at("shapes")),
        serving=serving_of_json(members.any("serve"), members.at("serve")),
        regions=_regions(members.any("regions"), members.at("regions")),
        stance=_stances(members),
    )
    if policy.serving and policy.shapes:
        raise ReplayError(f"{place}: it has a list of shapes, or serves sizes")
    if policy.serving and policy.regions:
        raise ReplayError(f"{place}: regions are not served in several ways")
    padded = {(guard_source(buckets.source), buckets.dim) for buckets in policy.buckets}
    for mask in policy.masks:
        if (guard_source(mask.like), mask.dim) not in padded:
            what = f"dim {mask.dim} of {mask.like}"
            raise ReplayError(f"{place}.masks: {what}, which it is like, has no buckets")
    return policy


def _all(members: Members, name: str, read: Any) -> Any:
    items = members.items(name)
    return tuple(read(item, f"{members.at(name)}[{i}]") for i, item in enumerate(items))


def _mark(value: Any, place: str) -> Mark:
    members = Members(value, place, ("arg", "dim", "kind", "min", "max", "calls"))
    kind = members.text("kind", "dynamic")
    if kind not in MARK_KINDS:
        raise ReplayError(f"{place}.kind: unknown kind '{kind}'{did_you_mean(kind, MARK_KINDS)}")
    calls = None if members.any("calls") is None else members.integers("calls")
    return Mark(
        members.required_text("arg"),
        read_dim(members, least=None),
        kind,
        members.optional_integer("min"),
        members.optional_integer("max"),
        calls,
    )


def _buckets(value: Any, place: str) -> Buckets:
    members = Members(value, place, ("arg", "dim", "sizes", "fill", "mark_static"))
    sizes = members.integers("sizes")
    if not sizes or min(sizes) < 1:
        raise ReplayError(f"{place}.sizes: expected sizes above 0")
    padded = read_padded_dim(members)
    return Buckets(
        padded.source,
        padded.dim,
        tuple(sorted(set(sizes))),
        padded.fill,
        members.flag("mark_static"),
    )


def _shapes(value: Any, place: str) -> Shapes | None:
    if value is None:
        return None
    members = Members(value, place, ("dims", "sizes"))
    given = enumerate(members.items("dims"))
    items = [Members(item, f"{members.at('dims')}[{i}]", DIM_MEMBERS) for i, item in given]
    dims = [read_padded_dim(item) for item in items]
    sizes: list[tuple[int, ...]] = []
    for item in members.items("sizes"):
        is_shape = isinstance(item, list) and len(item) == len(dims)
        if not is_shape or not all(type(size) is int and size > 0 for size in item):
            raise ReplayError(f"{members.at('sizes')}: expected a size above 0 for each dim")
        sizes.append(tuple(item))
    if not dims or not sizes:
        raise ReplayError(f"{place}: expected dims and sizes")
    return Shapes(tuple(dims), tuple(sizes))


def _mask(value: Any, place: str) -> Mask:
    members = Members(value, place, ("arg", "like", "dim"))
    like = members.required_text("like")
    return Mask(members.required_text("arg"), like, read_dim(members, least=0))


def _regions(value: Any, place: str) -> Regions | None:
    if value is None:
        return None
    members = Members(value, place, ("modules", "way"))
    modules = members.texts("modules")
    way = members.text("way", "compile")
    if not modules:
        raise ReplayError(f"{place}.modules: expected names of submodules, such as 'layers.*'")
    if way not in REGION_WAYS:
        raise ReplayError(f"{place}.way: '{way}' is neither 'compile' nor 'nested'")
    return Regions(modules, way)


def _stances(members: Members) -> dict[int, str]:
    stances: dict[int, str] = {}
    for call, stance in members.mapping("stance").items():
        if not call.isdecimal() or not isinstance(stance, str):
            raise ReplayError(f"{members.at('stance')}: expected numbers of calls and stances")
        stances[int(call)] = stance
    return stances
