"""Policies as text and as JSON."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Any

from shapewise.replay.errors import ReplayError
from shapewise.replay.policy import Buckets, Mark, Mask, Policy, Shapes, policy_of_json
from shapewise.replay.padded_dims import PaddedDim
from shapewise.replay.policy_text import parse_policy
from shapewise.replay.serving import Serving, Span
from shapewise.replay.settings import INDUCTOR, MODES, PRECISIONS
from shapewise.replay.sources import argument_name, guard_source, path_of, place_of

ROOT = Path(__file__).resolve().parents[2]


class PolicyText(unittest.TestCase):
    def test_as_is_changes_nothing(self) -> None:
        for text in ("as-is", "as is", "as_is"):
            self.assertEqual(parse_policy(text), Policy())

    def test_parts_are_joined_by_plus_or_comma(self) -> None:
        policy = parse_policy("mark_dynamic(x, 1, min=2, max=64) + limit 16, isolate")
        self.assertEqual(policy.marks, (Mark("x", 1, "dynamic", 2, 64),))
        self.assertEqual(policy.config, {"recompile_limit": 16})
        self.assertTrue(policy.isolate)

    def test_bounds_may_be_given_by_position(self) -> None:
        policy = parse_policy("mark_dynamic(L['x'], 0, 2, None)")
        self.assertEqual(policy.marks, (Mark("L['x']", 0, "dynamic", 2, None),))

    def test_buckets_are_sorted_and_repeated_over_dims(self) -> None:
        policy = parse_policy("buckets(x, [0, 1], 64|16, 32|16)")
        self.assertEqual([b.dim for b in policy.buckets], [0, 1])
        self.assertEqual(policy.buckets[0].sizes, (16, 32, 64))

    def test_options_go_where_torch_has_them(self) -> None:
        policy = parse_policy("dynamic=False + use_duck_shape=False + specialize_int=True")
        self.assertIs(policy.dynamic, False)
        self.assertEqual(policy.shape_config, {"use_duck_shape": False})
        self.assertEqual(policy.config, {"specialize_int": True})

    def test_lists_of_sources_add_up_in_the_spelling_of_guards(self) -> None:
        policy = parse_policy("dynamic_sources=x + dynamic_sources=L['y'][0]")
        self.assertEqual(policy.dynamic_sources, "L['x'],L['y'][0]")

    def test_settings_of_torch_and_inductor(self) -> None:
        policy = parse_policy(
            "mode=max-autotune + float32_matmul_precision=high + inductor.shape_padding=False + "
            "inductor.triton.cudagraph_capture_sizes=(8, 16) + inductor.triton.multi_kernel=1"
        )
        self.assertEqual(policy.mode, "max-autotune")
        self.assertEqual(policy.float32_matmul_precision, "high")
        self.assertEqual(
            policy.inductor,
            {
                "shape_padding": False,
                "triton.cudagraph_capture_sizes": (8, 16),
                "triton.multi_kernel": 1,
            },
        )
        one = parse_policy("inductor.triton.cudagraph_capture_sizes=(8,)")
        self.assertEqual(one.inductor, {"triton.cudagraph_capture_sizes": (8,)})

    def test_settings_are_those_of_a_list_with_values_of_their_type(self) -> None:
        for text in (
            "mode=fastest",
            "float32_matmul_precision=low",
            "inductor.max_autotun=True",
            "inductor.max_autotune=1",
            "inductor.max_autotune=__import__('os')",
            "inductor.post_grad_custom_post_pass=print",
            "inductor.cuda.cutlass_dir=/tmp",
            "inductor.triton.multi_kernel=True",
            "inductor.triton.cudagraph_capture_sizes=(0, 8)",
            "inductor.__class__=1",
        ):
            with self.subTest(text), self.assertRaises(ReplayError):
                parse_policy(text)

    def test_the_analyzer_knows_the_same_settings(self) -> None:
        text = (ROOT / "analyzer/model/compile_policy.cc").read_text(encoding="utf-8")
        kinds = {"": bool, "kNumber": int, "kSizes": tuple}
        told = re.findall(r'{"inductor\.([\w.]+)"(?:, SettingKind::(\w+))?}', text)
        self.assertEqual({name: kinds[kind] for name, kind in told}, INDUCTOR)
        for words, names in (("kModes", MODES), ("kPrecisions", PRECISIONS)):
            held = re.search(words + r"\[\] = {([^}]*)}", text)
            assert held is not None
            self.assertEqual(tuple(re.findall(r'"([^"]+)"', held[1])), names)

    def test_sizes_are_served_in_several_ways(self) -> None:
        text = "serve(x, 1, 1..64:64|65..512:dynamic|513..600:aligned 8|601..700:range|701..:eager)"
        policy = parse_policy(f"{text} + limit 9")
        spans = (
            Span(1, 64, "static", 64),
            Span(65, 512, "dynamic"),
            Span(513, 600, "aligned", 8),
            Span(601, 700, "range"),
            Span(701, None, "eager"),
        )
        self.assertEqual(policy.serving, Serving((PaddedDim("x", 1),), spans))
        self.assertTrue(policy.pads)
        self.assertEqual(policy.compile_arguments(), {"isolate_recompiles": True})
        self.assertFalse(parse_policy("serve(x, 1, 0..:dynamic)").pads)

    def test_several_inputs_are_served_by_the_size_of_the_first(self) -> None:
        policy = parse_policy("serve(ids:1, b['a:1']:1=-100, w:0=0.5, 1..64:64|65..:dynamic)")
        dims = (PaddedDim("ids", 1), PaddedDim("b['a:1']", 1, -100), PaddedDim("w", 0, 0.5))
        spans = (Span(1, 64, "static", 64), Span(65, None, "dynamic"))
        self.assertEqual(policy.serving, Serving(dims, spans))
        told = {
            "arg": "ids",
            "dim": 1,
            "also": [
                {"arg": "b['a:1']", "dim": 1, "fill": -100},
                {"arg": "w", "dim": 0, "fill": 0.5},
            ],
            "spans": [
                {"first": 1, "last": 64, "way": "static", "size": 64},
                {"first": 65, "last": None, "way": "dynamic"},
            ],
        }
        self.assertEqual(policy_of_json({"serve": told}).serving, policy.serving)
        one = parse_policy("serve(x:1=7, 1..64:64)").serving
        assert one is not None
        self.assertEqual(one.dims, (PaddedDim("x", 1, 7),))

    def test_padding_has_the_given_value(self) -> None:
        policy = parse_policy("buckets(labels, [0, 1], 64|128, fill=-100) + buckets(x, 1, 8)")
        self.assertEqual([b.fill for b in policy.buckets], [-100, -100, 0])
        self.assertEqual(policy.buckets[0].sizes, (64, 128))
        shapes = parse_policy("buckets(x:0, y:1=-100, 8x64)").shapes
        assert shapes is not None
        self.assertEqual(shapes.dims, (PaddedDim("x", 0), PaddedDim("y", 1, -100)))
        for fill in ("", "nan", "inf", "1e999", "a"):
            text = f"buckets(x, 1, 8, fill={fill})"
            with self.subTest(text), self.assertRaisesRegex(ReplayError, "no number to pad with"):
                parse_policy(text)
        for wrong in (True, "1", float("inf")):
            value = {"buckets": [{"arg": "x", "dim": 1, "sizes": [8], "fill": wrong}]}
            with (
                self.subTest(wrong),
                self.assertRaisesRegex(ReplayError, "fill: expected a number"),
            ):
                policy_of_json(value)

    def test_dims_are_padded_together(self) -> None:
        policy = parse_policy("buckets(x:0, y:1, 8x64|16x128) + mark_static(x, 0)")
        dims = (PaddedDim("x", 0), PaddedDim("y", 1))
        self.assertEqual(policy.shapes, Shapes(dims, ((8, 64), (16, 128))))
        self.assertTrue(policy.pads)
        self.assertEqual(policy.buckets, ())
        for text in (
            "buckets(x:0, y:1)",
            "buckets(x:0, y:1, 8)",
            "buckets(x:0, y:1, 8x0)",
            "buckets(x:0, y:1, 8x64x2)",
            "buckets(x:0, y:1, 8xa)",
            "buckets(x:0, y:1, 8x8) + serve(x, 1, 1..:dynamic)",
            "buckets(x:0, y:1, 8x8) + buckets(x:0, y:1, 8x8)",
            "buckets(x:0, L['x']:0, 8x8)",
            "buckets(x:0, y:1=, 8x8)",
        ):
            with self.subTest(text), self.assertRaises(ReplayError):
                parse_policy(text)

    def test_stretches_that_are_none(self) -> None:
        for text in ("64", "1..64", "1..64:63", "1..:64", "9..4:dynamic", "1..:range", "1..9:fast"):
            with self.subTest(text), self.assertRaises(ReplayError):
                parse_policy(f"serve(x, 1, {text})")
        for text in (
            "serve(x, 1)",
            "serve(x, [0, 1], 1..:dynamic)",
            "serve(x, 1, 1..9:9|9..20:dynamic)",
            "serve(x, 1, 1..:dynamic|70..80:eager)",
            "serve(x, 1, 1..:dynamic) + serve(x, 0, 1..:dynamic)",
            "serve(x:1, y:1)",
            "serve(x:1, x:1, 1..:dynamic)",
            "serve(x:1, y, 1..:dynamic)",
            "serve(x:1, y:1=nan, 1..:dynamic)",
        ):
            with self.subTest(text), self.assertRaises(ReplayError):
                parse_policy(text)

    def test_what_is_not_known_is_named_with_its_part(self) -> None:
        for text, words in (
            ("mark_dinamic(x, 1)", ("mark_dinamic(x, 1)", "did you mean 'mark_dynamic'")),
            ("isolated", ("'isolated' is not known", "did you mean 'isolate'")),
            ("buckets(x, 1, a|b)", ("'a' is no number",)),
            ("buckets(x, 1)", ("sizes",)),
            ("mark_static(x, 1, 2)", ("does not take so many",)),
            ("as-is +", ("a part is missing",)),
        ):
            with self.subTest(text), self.assertRaises(ReplayError) as raised:
                parse_policy(text)
            for word in words:
                self.assertIn(word, str(raised.exception))


class PolicyJson(unittest.TestCase):
    def test_all_members(self) -> None:
        policy = policy_of_json(
            {
                "dynamic": None,
                "mode": "max-autotune",
                "buckets": [{"arg": "ids", "dim": 1, "sizes": [64, 32], "fill": -100}],
                "masks": [{"arg": "mask", "like": "ids", "dim": 1}],
                "marks": [{"arg": "ids", "dim": 0, "kind": "maybe", "calls": [0, 2]}],
                "stance": {"3": "force_eager"},
            }
        )
        self.assertEqual(policy.buckets, (Buckets("ids", 1, (32, 64), -100),))
        self.assertEqual(policy.masks, (Mask("mask", "ids", 1),))
        self.assertEqual(policy.marks[0].calls, (0, 2))
        self.assertEqual(policy.stance, {3: "force_eager"})
        self.assertEqual(policy.compile_arguments(), {"mode": "max-autotune"})

    def test_errors_have_a_place(self) -> None:
        wrong: tuple[tuple[Any, str], ...] = (
            ([], "policy: expected an object, not a list"),
            ({"dynamik": True}, "policy: no member 'dynamik'; did you mean 'dynamic'?"),
            ({"dynamic": 1}, "policy.dynamic: expected true or false, not a number"),
            ({"mode": "default", "options": {"a": 1}}, "a mode or options, not both"),
            ({"marks": [{"arg": "x", "dim": 0, "kind": "hard"}]}, "policy.marks[0].kind"),
            ({"marks": [{"dim": 0}]}, "policy.marks[0].arg: it is missing"),
            ({"buckets": [{"arg": "x", "dim": -1, "sizes": [2]}]}, "policy.buckets[0].dim"),
            ({"buckets": [{"arg": "x", "dim": 0, "sizes": [0]}]}, "sizes above 0"),
            ({"masks": [{"arg": "m", "like": "x", "dim": 1}]}, "has no buckets"),
            (
                {"serve": {"arg": "x", "dim": 0, "spans": []}},
                "policy.serve.spans: expected at least one range",
            ),
            (
                {"serve": {"arg": "x", "dim": 0, "spans": [{"way": "fast"}]}},
                "policy.serve.spans[0].way",
            ),
            (
                {"serve": {"arg": "x", "dim": 0, "also": [{"arg": "y"}], "spans": []}},
                "policy.serve.also[0].dim",
            ),
            ({"regions": {"modules": []}}, "policy.regions.modules"),
        )
        for value, words in wrong:
            with self.subTest(words), self.assertRaises(ReplayError) as raised:
                policy_of_json(value)
            self.assertIn(words, str(raised.exception))


class Sources(unittest.TestCase):
    def test_paths(self) -> None:
        self.assertEqual(path_of("x"), ("x",))
        self.assertEqual(path_of("L['x']"), ("x",))
        self.assertEqual(path_of("batch['ids'][0]"), ("batch", "ids", 0))
        self.assertEqual(path_of("L['batch']['ids']"), ("batch", "ids"))

    def test_what_is_no_part_of_an_argument(self) -> None:
        for name in ("self.cache", "x[", "", "L[0]", "f(x)"):
            with self.subTest(name), self.assertRaises(ReplayError):
                path_of(name)

    def test_an_argument_may_be_an_attribute_where_a_graph_takes_it(self) -> None:
        self.assertEqual(place_of("self.cache", {"self_cache"}), ("self_cache",))
        self.assertEqual(place_of("batch[0]", {"batch"}), ("batch", 0))
        with self.assertRaisesRegex(ReplayError, "attributes are not changed"):
            place_of("self.cache", {"x"})

    def test_spellings(self) -> None:
        self.assertEqual(guard_source("x"), "L['x']")
        self.assertEqual(guard_source("self.cache"), "L['self'].cache")
        self.assertEqual(guard_source('L["x"]'), "L['x']")
        self.assertEqual(argument_name("L['x']"), "x")
        self.assertEqual(argument_name("self.cache"), "self_cache")


if __name__ == "__main__":
    unittest.main()
