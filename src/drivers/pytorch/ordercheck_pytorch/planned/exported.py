"""Writes a traced graph as a graph of a record (schema/record.json)."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

from ..program.exact.kernels import Unsupported
from ..torch_compat import schema_of
from .joint_graph import TOKENS, Traced


def exported(traced: Traced) -> dict[str, Any]:
    """`graph`, the names of `parameters`, and for each input of the graph whether its first dim is samples."""
    return _Export(traced).written()


class _Export:
    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self._shapes: list[list[int]] = []
        self._element_bytes: list[int] = []
        self._view_of: list[int] = []
        self._values: dict[fx.Node, list[int]] = {}  # of what is no tensor: -1
        self._module_of: dict[fx.Node, str] = {}
        self._base: dict[fx.Node, fx.Node] = {}  # of views
        self._views: dict[fx.Node, list[fx.Node]] = {}  # a base and its views
        self._outdated: set[fx.Node] = set()  # share memory with a tensor that was written in place
        self._of_tangent: set[fx.Node] = set()  # depend on the gradient of the logits
        self._nodes: list[dict[str, Any]] = []

    def written(self) -> dict[str, Any]:
        traced = self._traced
        traced.graph.eliminate_dead_code()
        placeholders: list[int] = []
        output: Any = ()
        for node in traced.graph.nodes:
            if node.op == "placeholder":
                placeholders.append(self._add_value(node.meta["val"]))
                self._values[node] = [placeholders[-1]]
                if len(placeholders) > len(traced.parameters) + len(traced.inputs):
                    self._of_tangent.add(node)
            elif node.op == "output":
                output = node.args[0]
            elif node.op == "get_attr":  # a constant of the model that is neither parameter nor buffer
                self._add_node(node, "ordercheck::constant", "", [])
            elif node.target is operator.getitem:
                self._add_part(node)
            else:
                self._add_operator(node)
        parameters = len(traced.parameters)
        inputs = parameters + len(traced.inputs)
        logits, *gradients = output
        missing = [name for name, each in zip(traced.parameters, gradients, strict=True) if each is None]
        if missing:
            raise Unsupported(f"{missing[0]} gets no gradient: the logits do not depend on it")
        in_backward = {value for node in self._nodes if node["backward"] for value in node["operands"]}
        of_forward = {value for node in self._nodes if not node["backward"] for value in node["results"]}
        graph = {
            "module": "",
            "passes": [],
            "shapes": self._shapes,
            "element_bytes": self._element_bytes,
            "view_of": self._view_of,
            "inputs": placeholders[parameters:inputs],
            "parameters": placeholders[:parameters],
            "saved": sorted(in_backward & (of_forward | set(placeholders[:inputs]))),
            "outputs": self._values[logits],
            "tangents": placeholders[inputs:],
            "gradients": [self._values[each][0] for each in gradients],
            "nodes": self._nodes,
        }
        return {
            "graph": graph,
            "parameters": traced.parameters,
            "has_samples": [name == TOKENS for name in traced.inputs],
        }

    def _add_operator(self, node: fx.Node) -> None:
        self._check_is_current(node)
        schema = schema_of(node.target)
        passed = dict(zip((each.name for each in schema.arguments), node.args, strict=False)) | node.kwargs
        arguments = [passed.get(each.name, each.default_value) for each in schema.arguments]
        operands = [value for each in arguments for value in self._operands_in(each)]
        name = schema.name.removesuffix("_") if not schema.name.endswith("__") else schema.name
        self._add_node(node, name, ", ".join(map(self._printed, arguments)), operands)
        is_tensor = bool(arguments) and isinstance(arguments[0], fx.Node)
        first = schema.arguments[0].alias_info if is_tensor else None
        if first is not None:
            self._note_alias(node, arguments[0], first.is_write)
        if first is not None and first.is_write:
            self._values[arguments[0]] = self._values[node]  # later nodes read the changed tensor
        elif first is not None and operands and len(self._values[node]) == 1:
            self._view_of[self._values[node][0]] = operands[0]

    def _note_alias(self, node: fx.Node, operand: fx.Node, is_write: bool) -> None:
        base = self._base[node] = self._base.get(operand, operand)
        family = self._views.setdefault(base, [base])
        if is_write:
            self._outdated.update(each for each in family if each is not operand)
        family.append(node)

    def _check_is_current(self, node: fx.Node) -> None:
        """The graph has no edge from a write in place to the views of the tensor, so its plan would be of another model."""
        for each in node.all_input_nodes:
            if each in self._outdated:
                raise Unsupported(
                    f"{self._forward_module(node) or node.name} reads a tensor after another view of it was written in place; "
                    "expected an operator that makes a new tensor"
                )

    def _add_part(self, node: fx.Node) -> None:
        """One of several results."""
        source: Any = node.args[0]
        index: Any = node.args[1]
        self._note_dependence(node)
        self._values[node] = [self._values[source][index]]
        self._module_of[node] = self._module_of[source]

    def _add_node(self, node: fx.Node, name: str, arguments: str, operands: list[int]) -> None:
        value = node.meta["val"]
        several = value if isinstance(value, list | tuple) else [value]
        self._values[node] = [
            self._add_value(each) if isinstance(each, torch.Tensor) else -1 for each in several
        ]
        self._note_dependence(node)
        backward = self._traced.is_backward(node)
        module = self._backward_module(node) if backward else self._forward_module(node)
        self._module_of[node] = module
        self._nodes.append(
            {
                "module": module,
                "op": name,
                "backward": backward,
                "recomputed": False,
                "policy": "",
                "unshards": False,
                "bucket": "",
                "group": "",
                "ranks": 0,
                "arguments": arguments,
                "operands": operands,
                "results": [each for each in self._values[node] if each >= 0],
            }
        )

    def _forward_module(self, node: fx.Node) -> str:
        """A cast of a parameter belongs to the module that has it."""
        if found := self._traced.module_of(node):
            return found
        return next(map(self._module_read, node.all_input_nodes), "")

    def _backward_module(self, node: fx.Node) -> str:
        """That of what it reads from forward, else of what it reads from backward; the latest of several."""
        read = sorted(
            node.all_input_nodes, key=lambda each: (each not in self._of_tangent, self._values[each])
        )
        return next(filter(None, map(self._module_read, reversed(read))), "")

    def _note_dependence(self, node: fx.Node) -> None:
        if any(each in self._of_tangent for each in node.all_input_nodes):
            self._of_tangent.add(node)

    def _module_read(self, node: fx.Node) -> str:
        if node.op != "placeholder":
            return self._module_of[node]
        parameters = self._traced.parameters
        value = self._values[node][0]
        return parameters[value].rpartition(".")[0] if value < len(parameters) else ""

    def _add_value(self, value: torch.Tensor) -> int:
        self._shapes.append([int(size) for size in value.shape])
        self._element_bytes.append(value.element_size())
        self._view_of.append(-1)
        return len(self._shapes) - 1

    def _operands_in(self, argument: Any) -> list[int]:
        if isinstance(argument, fx.Node):
            return [value for value in self._values[argument] if value >= 0]
        if isinstance(argument, list | tuple):
            return [value for each in argument for value in self._operands_in(each)]
        return []

    def _printed(self, argument: Any) -> str:
        """As the graphs of the native engine print it."""
        if isinstance(argument, fx.Node):
            return f"%{self._values[argument][0]}"
        if isinstance(argument, list | tuple):
            return f"[{', '.join(map(self._printed, argument))}]"
        return str(argument)
