"""Calls under a policy, compared with eager, unpadded calls. Needs torch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch.utils._pytree as pytree

from .calls import Call
from .comparison import CoarsestType, Comparison, loss_of
from .errors import first_line
from .runner import Runner, evenly_spaced, named_tensors
from .values import bind, call_context

__all__ = ["compare_with_eager"]


def compare_with_eager(runner: Runner) -> Comparison:
    """Compares distinct calls from the whole history, up to the first that differs.

    Modules and optimizers are put back after each, so that both sides begin with the same.
    """
    is_rounding = runner.matmul_precision != "highest"
    comparison = Comparison(runner.job.tolerance, rounds_products=is_rounding)
    first_calls: dict[int, int] = {}
    for index, number in enumerate(runner.history.order):
        first_calls.setdefault(number, index)
    numbers = list(first_calls)
    with _whole_convolutions():
        for position in evenly_spaced(len(numbers), runner.job.compared_calls):
            call = runner.history.distinct[numbers[position]]
            _compare(runner, call, first_calls[numbers[position]], comparison)
            if comparison.differences:
                break
    return comparison


@contextlib.contextmanager
def _whole_convolutions() -> Iterator[None]:
    """cuDNN with all bits of float32.

    PyTorch lets it round to 10 bits, by which two algorithms differ more than any padding. Guards
    do not look at this setting, so nothing is compiled anew.
    """
    cudnn: Any = torch.backends.cudnn
    try:
        before = cudnn.allow_tf32
        cudnn.allow_tf32 = False
    except RuntimeError:  # the program uses the newer settings, which exclude this one
        yield
        return
    try:
        yield
    finally:
        cudnn.allow_tf32 = before


@dataclass
class Wanted:
    """The program's own result of a call."""

    results: Any
    written: dict[str, torch.Tensor]  # inputs and buffers that it wrote into, as it left them
    gradients: dict[str, torch.Tensor]
    is_random: bool  # it drew random numbers
    coarsest: torch.dtype | None  # type that it computed in


def _compare(runner: Runner, call: Call, index: int, comparison: Comparison) -> None:
    what = f"call {index}"
    restores = runner.state.saved()
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(runner.matmul_precision)
    try:
        wanted = _run_eager(runner, call)
    except Exception as error:
        comparison.undecided.append(f"{what}: the program itself raises {first_line(error)}")
        return
    finally:
        torch.set_float32_matmul_precision(precision)
        for restore in restores:
            restore()
    if wanted.is_random and (runner.policy.pads or not _keeps_chance(runner)):
        comparison.undecided.append(f"{what}: it draws random numbers, and others under the policy")
        return
    try:
        _run_beside(runner, call, index, wanted, comparison)
    except Exception as error:
        comparison.differences.append(f"{what}: raises {first_line(error)}")
    finally:
        for restore in restores:
            restore()


def _run_eager(runner: Runner, call: Call) -> Wanted:
    runner.forget_gradients()
    torch.manual_seed(runner.job.seed)
    runner.use_stance("force_eager")
    values = runner.values(call)
    positional, by_name = bind(runner.subject.signature, values)
    versions = {name: tensor._version for name, tensor in _writable(runner, values).items()}
    before = _random_state(runner.device)
    with call_context(call.grad, call.state, runner.device), CoarsestType() as coarsest:
        results = runner.subject.target(*positional, **by_name)
    is_random = not torch.equal(before, _random_state(runner.device))
    gradients: dict[str, torch.Tensor] = {}
    if runner.job.backward and call.grad == "on":
        loss = loss_of(results)
        if loss is not None:
            loss.backward()
            gradients = _gradients(runner, values)
    written = {
        name: tensor.detach().clone()
        for name, tensor in _writable(runner, values).items()
        if tensor._version != versions[name]
    }
    return Wanted(_copied(results), written, gradients, is_random, coarsest.dtype)


def _run_beside(
    runner: Runner, call: Call, index: int, wanted: Wanted, comparison: Comparison
) -> None:
    runner.forget_gradients()
    torch.manual_seed(runner.job.seed)
    results, prepared = runner.forward(call, index, runner.values(call))
    if wanted.gradients:
        loss = loss_of(results, wanted.results, prepared.padded)
        if loss is not None:
            loss.backward()
    what = f"call {index}"
    comparison.coarsest = wanted.coarsest
    comparison.compared += 1
    comparison.compare(_copied(results), wanted.results, prepared.padded, what)
    if not prepared.padded:  # what padding leaves in a cache may be written over before it is read
        tensors = _writable(runner, prepared.values)
        for name, tensor in wanted.written.items():
            place = f"{what}, {name} afterwards"
            comparison.compare(_copied(tensors[name]), tensor, (), place)
    mine = _gradients(runner, prepared.values) if wanted.gradients else {}
    for name, gradient in wanted.gradients.items():
        place = f"{what}, gradient of {name}"
        comparison.compare(mine.get(name), gradient, prepared.padded, place)


def _writable(runner: Runner, values: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Inputs and buffers; torch counts their writes."""
    tensors = {**runner.state.buffers(), **named_tensors(values)}
    return {name: tensor for name, tensor in tensors.items() if not tensor.is_inference()}


def _gradients(runner: Runner, values: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Gradients of parameters and inputs, by name; copies."""
    tensors: dict[str, torch.Tensor] = {**runner.state.parameters(), **named_tensors(values)}
    return {
        name: tensor.grad.detach().clone()
        for name, tensor in tensors.items()
        if tensor.is_leaf and tensor.grad is not None
    }


def _keeps_chance(runner: Runner) -> bool:
    """Whether compiled code draws the same random numbers as eager code."""
    policy = runner.policy
    draws_its_own = policy.backend == "inductor" and not policy.eager
    return not draws_its_own or bool(policy.inductor_setting("fallback_random"))


def _random_state(device: str) -> torch.Tensor:
    states = [torch.get_rng_state()]
    if device.startswith("cuda"):
        states.append(torch.cuda.get_rng_state(device))
    return torch.cat([state.flatten() for state in states])


def _copied(results: Any) -> Any:
    """Copies of results: the next call may write into them."""
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), results)
