"""Models of libraries as programs: python tune_models.py MODEL [DEVICE [BACKEND]]

MODEL is one of predict_models.py, where batch and length vary, or gallery/NAME, where one size varies, or trained/NAME:
the same in a training loop. Each call prints a score, so that runs can be compared. DEVICE is "cpu" or "cuda", BACKEND one of torch.compile; default: "cpu", "eager".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import torch
from torch.utils._pytree import tree_map_only

GALLERY = "gallery/"
TRAINED = "trained/"
# Models of the gallery that are also trained.
TRAINED_MODELS = (
    "bert", "distilbert", "electra", "gpt2", "llama", "mistral", "opt", "bart", "torch_encoder", "bert_classifier",
)  # fmt: skip
# Sizes of the calls of a model of the gallery: twelfths of the way from its smallest size to its largest.
PARTS = (0, 6, 12, 1, 4, 6, 11, 8, 0, 12, 3, 7)
# Its smallest and largest size here: its scan halves the length again and again, and a compile takes minutes with more.
SIZES = {"mamba": (4, 12)}

sys.path.insert(0, str(Path(__file__).resolve().parent))

from padding_models import Case  # noqa: E402 - of this folder
from predict_broken import BROKEN  # noqa: E402
from predict_foreign import FOREIGN  # noqa: E402
from predict_models import MODELS, Inputs, Model  # noqa: E402


def _gallery_model(case: Case) -> Model:
    least, most = SIZES.get(case.name, (min(map(min, case.sizes)), max(map(max, case.sizes))))
    sizes = [least + (most - least) * part // 12 for part in PARTS]

    def make() -> torch.nn.Module:
        called = case.build()
        assert isinstance(called.model, torch.nn.Module)
        return called.model

    def inputs(_: int, size: int) -> Inputs:
        generator = torch.Generator().manual_seed(size)
        return {given.name: given.at(size, generator) for given in case.inputs}

    return Model(make, tuple((1, size) for size in sizes), inputs)


def gallery() -> dict[str, Model]:
    """The models of gallery/."""
    from gallery.language import LANGUAGE
    from gallery.later import LATER
    from gallery.others import OTHERS

    return {GALLERY + case.name: _gallery_model(case) for case in (*LANGUAGE, *OTHERS, *LATER)}


def trained() -> dict[str, Model]:
    """Ten models of gallery/ in training loops."""
    models = gallery()
    return {TRAINED + name: replace(models[GALLERY + name], is_trained=True) for name in TRAINED_MODELS}


def find_model(name: str) -> Model:
    """The model of a name."""
    known = gallery() if name.startswith(GALLERY) else trained() if name.startswith(TRAINED) else {}
    return {**MODELS, **BROKEN, **FOREIGN, **known}[name]


def make_step(model: Model, module: torch.nn.Module, compiled: Callable[..., object]) -> Callable[[Inputs], torch.Tensor]:
    """A call of `compiled`, which is `module`; for a model that is trained, with a step of the optimizer."""
    if not model.is_trained:
        return lambda inputs: next(_tensors(compiled(**inputs)))
    optimizer = torch.optim.SGD(module.parameters(), lr=1e-3)

    def step(inputs: Inputs) -> torch.Tensor:
        result = next(_tensors(compiled(**inputs)))
        optimizer.zero_grad()
        result.square().mean().backward()
        optimizer.step()
        return result.detach()

    return step


def _tensors(result: object) -> Iterator[torch.Tensor]:
    """The tensors of what a model returns, in order."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, dict):
        yield from _tensors(list(result.values()))
    elif isinstance(result, (list, tuple)):
        for part in result:
            yield from _tensors(part)


def main(name: str, device: str = "cpu", backend: str = "eager") -> None:
    """Compiles the model and makes its calls."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = find_model(name)
    module = model.make().train(model.is_trained).to(device)
    step = make_step(model, module, torch.compile(module, backend=backend))
    with torch.set_grad_enabled(model.is_trained):
        for inputs in model.all_calls():
            placed = tree_map_only(torch.Tensor, lambda tensor: tensor.to(device), inputs)
            result = step(placed)
            print(f"score {result.double().abs().mean().item():.6g}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
