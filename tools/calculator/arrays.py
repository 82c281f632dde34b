"""Bars of many classes as JavaScript: functions of an array of class sizes, with NumPy's rules for arrays.

`arrays.js` has the few operations they take, under the same names; a function that takes another is refused.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import FunctionType
from typing import Any

from tools.calculator.translate import NotTranslatedError, Translator, literal

from clearbar.problems.multiclass.optima import ClassOptimum

KNOWN = frozenset(
    re.findall(r"^  (\w+):", (Path(__file__).parent / "arrays.js").read_text("utf-8"), re.MULTILINE)
)
"""The operations that arrays.js has."""

IGNORED = {"kind", "dtype"}
"""Keywords that change no number."""

PYTHON = {"int": "same", "float": "same", "range": "arange", "fsum": "sum", "in": "isin"}
"""What arrays.js calls an operation of Python."""


class ArrayTranslator(Translator):
    """Functions of arrays: every operation is a call, since JavaScript's own know numbers alone."""

    def value(self, value: Any, node: ast.AST) -> str:
        """Write what a name stands for; a function without a name that is no one else's stands inside."""
        if isinstance(value, ClassOptimum):
            return self._object(dict(zip(ClassOptimum._fields, map(literal, value), strict=True)))
        if isinstance(value, FunctionType) and (value.__closure__ or value.__name__ == "<lambda>"):
            # made for each measure anew, so that its name is no one's
            return f"({self.function(value, within=self.given[-1])})"
        return super().value(value, node)

    @staticmethod
    def _object(facts: dict[str, str]) -> str:
        return "({" + ", ".join(f"{name}: {text}" for name, text in facts.items()) + "})"

    def _call(self, node: ast.Call, local: set[str]) -> str:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
            return self.expression(node.func.value, local)
        arguments = [self.expression(one, local) for one in node.args]
        keywords = {one.arg: one.value for one in node.keywords if one.arg not in IGNORED}
        called = inspect.unwrap(self._resolved(node.func, local) or _nothing)
        if called is ClassOptimum:
            given = {str(name): self.expression(value, local) for name, value in keywords.items()}
            return self._object(dict(zip(ClassOptimum._fields, arguments, strict=False)) | given)
        if keywords:
            raise NotTranslatedError(ast.unparse(node))
        if called is _nothing and isinstance(node.func, ast.Attribute):  # a method of an array
            return _operation(node.func.attr, [self.expression(node.func.value, local), *arguments])
        own = isinstance(called, FunctionType) and called.__module__.startswith("clearbar")
        if own and called.__name__ not in KNOWN:
            return f"{self.value(called, node)}({', '.join(arguments)})"
        if called is _nothing:
            return f"{self.expression(node.func, local)}({', '.join(arguments)})"
        return _operation(called.__name__, arguments)

    def _binop(self, node: ast.BinOp, local: set[str]) -> str:
        return _operation(
            type(node.op).__name__.lower(), [self.expression(one, local) for one in (node.left, node.right)]
        )

    def _unaryop(self, node: ast.UnaryOp, local: set[str]) -> str:
        if isinstance(node.op, (ast.USub, ast.Invert)):
            return _operation(type(node.op).__name__.lower(), [self.expression(node.operand, local)])
        return super()._unaryop(node, local)

    def _compare(self, node: ast.Compare, local: set[str]) -> str:
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            return super()._compare(node, local)
        if len(node.ops) > 1:
            raise NotTranslatedError(ast.unparse(node))
        sides = [self.expression(one, local) for one in (node.left, node.comparators[0])]
        return _operation(type(node.ops[0]).__name__.lower(), sides)

    def _subscript(self, node: ast.Subscript, local: set[str]) -> str:
        owner = self.expression(node.value, local)
        if isinstance(node.slice, ast.Slice):
            ends = [node.slice.lower, node.slice.upper]
            first, last = ("undefined" if end is None else self.expression(end, local) for end in ends)
            return f"{owner}.slice({first}, {last})"
        return _operation("at", [owner, self.expression(node.slice, local)])

    def _generatorexp(self, node: ast.GeneratorExp, local: set[str]) -> str:
        (part,) = node.generators
        if part.ifs:
            raise NotTranslatedError(ast.unparse(node))
        name = self._target(part.target)
        element = self.expression(node.elt, {*local, name})
        return f"{self.expression(part.iter, local)}.map(({name}) => {element})"

    def _statement(self, node: ast.stmt, local: set[str]) -> str:
        if isinstance(node, ast.FunctionDef):
            names = [one.arg for one in node.args.args]
            return f"{node.name} = ({', '.join(names)}) => {self._body(node, local | set(names))};"
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return f"{self._target(node.target)} = {self.expression(node.value, local)};"
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Subscript) and isinstance(node, (ast.Assign, ast.AugAssign)):
            owner, index, value = (
                self.expression(one, local) for one in (target.value, target.slice, node.value)
            )
            if isinstance(node, ast.AugAssign):
                value = _operation(type(node.op).__name__.lower(), [_operation("at", [owner, index]), value])
            return f"{_operation('put', [owner, index, value])};"
        return super()._statement(node, local)


def _nothing() -> None:
    """Stand for a function that is computed, not named."""


def _operation(name: str, arguments: list[str]) -> str:
    name = PYTHON.get(name, name)
    if name not in KNOWN:
        raise NotTranslatedError(f"arrays.js has no {name}")
    return f"np.{name}({', '.join(arguments)})"
