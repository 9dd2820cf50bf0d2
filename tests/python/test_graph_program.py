"""Texts of graphs, made into programs. None is run here: that needs torch."""

from __future__ import annotations

import ast
import unittest
from typing import Any

from shapewise.replay.errors import ReplayError
from shapewise.replay.graph_program import program_of_graph

DYNAMIC = """
class GraphModule(torch.nn.Module):
    def forward(self, s77: "Sym(s77)", L_x_: "f32[s77, 6][6, 1]cpu", L_self_parameters_w_: "f32[6, 6][6, 1]cpu"):
        l_x_ = L_x_
        y: "f32[s77, 6][6, 1]cpu" = l_x_ @ L_self_parameters_w_;  l_x_ = None
        return (y.view(s77 * 2, 3),)
"""


class Programs(unittest.TestCase):
    def step(self, source: str) -> str:
        """The text of Step, of a program that Python can parse."""
        ast.parse(source)
        return source[source.index("class Step") :]

    def test_placeholders_are_bound_by_the_names_that_dynamo_makes_of_sources(self) -> None:
        program = program_of_graph(DYNAMIC, [], ["x"])
        step = self.step(program.source)
        self.assertIn("def forward(self, x):", step)
        self.assertIn("L_x_=x", step)
        self.assertIn("s77=x.size(0)", step)
        self.assertIn("self.held_L_self_parameters_w_ = torch.nn.Parameter(", step)
        self.assertEqual(len(program.notes), 1)

    def test_given_sources_precede_names(self) -> None:
        inputs = [
            {"name": "s77", "source": "L['batch'][0].size()[0]"},
            {"name": "L_x_", "source": "L['batch'][0]"},
            {"name": "L_self_parameters_w_", "source": "L['w']"},
        ]
        step = self.step(program_of_graph(DYNAMIC, inputs, ["batch", "L['w']"]).source)
        self.assertIn("def forward(self, batch, w):", step)
        self.assertIn("s77=batch[0].size()[0], L_x_=batch[0], L_self_parameters_w_=w", step)

    def test_inputs_of_a_program_json_are_named_as_nodes_and_have_trees_for_sizes(self) -> None:
        size = {"kind": "int", "value": {"sym": "s77"}}
        rows = {"kind": "tensor", "dtype": "torch.float32", "shape": [{"sym": "s77"}, 6]}
        weight = {"kind": "tensor", "dtype": "torch.float32", "shape": [6, 6], "stride": None}
        inputs: list[dict[str, Any]] = [
            {"name": "s77", "kind": "symbol", "source": None, "type": size},
            {"name": "l_x_", "kind": "input", "source": "L['x']", "type": rows},
            {"name": "l_self_parameters_w_", "kind": "parameter", "source": None, "type": weight},
        ]
        step = self.step(program_of_graph(DYNAMIC, inputs, ["x"]).source)
        self.assertIn("L_x_=x, s77=x.size(0), L_self", step)
        self.assertIn("{'size': [6, 6], 'dtype': 'float32'}", step)

    def test_a_size_that_is_named_otherwise_than_its_symbol(self) -> None:
        text = (
            "class GraphModule(torch.nn.Module):\n"
            '    def forward(self, primals_1: "Sym(s77)", primals_2: "f32[3, s77]"):\n'
            "        return (primals_2.view(primals_1, 3),)\n"
        )
        step = self.step(program_of_graph(text, [], ["primals_2"]).source)
        self.assertIn("primals_1=primals_2.size(1)", step)

    def test_a_class_that_a_log_prints_behind_a_path(self) -> None:
        text = "    class GraphModule(torch.nn.Module):\n    def forward(self, L_x_):\n        return (L_x_,)"
        self.assertIn("L_x_=x", program_of_graph(text, [], ["x"]).source)

    def test_a_lone_forward(self) -> None:
        text = "def forward(self, L_x_ : torch.Tensor):\n    return (L_x_ + 1,)\n"
        self.assertIn("L_x_=x", program_of_graph(text, [], ["x"]).source)

    def test_nested_graphs_become_modules(self) -> None:
        text = (
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, L_x_):\n"
            "        body = self.body_0\n"
            "        return (body(L_x_),)\n"
            "    class body_0(torch.nn.Module):\n"
            "        def forward(self, x):\n"
            "            return x + 1\n"
        )
        self.assertIn("self.body_0 = type(self).body_0()", program_of_graph(text, [], ["x"]).source)

    def test_a_constant_of_floats_is_random_and_said_to_be(self) -> None:
        text = (
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, L_x_):\n"
            '        c: "f32[3]" = self._tensor_constant0\n'
            "        return (L_x_ + c,)\n"
        )
        program = program_of_graph(text, [], ["x"])
        self.assertIn("self.graph._tensor_constant0 = weights(", program.source)
        self.assertEqual(program.notes, ["self._tensor_constant0 has random values"])

    def test_a_runnable_graph_brings_what_it_was_called_with(self) -> None:
        text = (
            "import torch\n"
            "class Repro(torch.nn.Module):\n"
            "    def forward(self, arg0_1, arg1_1, arg2_1):\n"
            "        return (arg1_1 + arg2_1, arg0_1)\n"
            "def load_args(reader):\n"
            "    reader.symint(8)  # arg0_1\n"
            "    buf0 = reader.storage(None, 64, dtype_hint=torch.int64)\n"
            "    reader.tensor(buf0, (8,), dtype=torch.int64, is_leaf=True)  # arg1_1\n"
            "    buf1 = reader.storage(None, 128, device=device(type='cpu', index=0))\n"
            "    reader.tensor(buf1, (4, 8), (1, 4), is_leaf=True)  # arg2_1\n"
            "load_args._version = 0\n"
        )
        step = self.step(program_of_graph(text, [], ["arg1_1"]).source)
        self.assertIn("def forward(self, arg1_1):", step)
        self.assertIn("self.graph(arg1_1=arg1_1, arg0_1=8, arg2_1=self.held_arg2_1)", step)
        self.assertIn("'size': [4, 8], 'dtype': 'float32', 'stride': [1, 4]", step)

    def test_errors_name_what_cannot_be_run(self) -> None:
        head = "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_{}):\n        return {}\n"
        for text, words in (
            ("no graph", "neither class nor def"),
            (head.format("", "L_x_ +"), "line 3"),
            (head.format("", "self._tensor_constant0"), "the value of self._tensor_constant0"),
            (head.format(', L_y_: "f32[s0, 3]"', "L_y_"), "no call contains the input 'L_y_'"),
            (head.format(", L_y_", "L_y_"), "no call contains the input 'L_y_'"),
            ("class A:\n    pass\n", "no class with a forward()"),
        ):
            with (
                self.subTest(words),
                self.assertRaisesRegex(ReplayError, words.replace("(", r"\(").replace(")", r"\)")),
            ):
                program_of_graph(text, [], ["x"])


if __name__ == "__main__":
    unittest.main()
