"""Formulas of the registry as JavaScript, read from their source: none of them is typed twice.

What a formula may hold is little: arithmetic, comparisons, NumPy's elementary functions, `np.where`, helpers.
Whatever else stands in it is refused, so that nothing is translated half.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import json
import math
import sys
import textwrap
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from clearbar.catalogue import Entry


class NotTranslatedError(Exception):
    """A formula holds something that has no translation."""


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%",
    ast.BitAnd: "&&", ast.BitOr: "||", ast.And: "&&", ast.Or: "||",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!==",
    ast.Is: "===", ast.IsNot: "!==", ast.USub: "-", ast.UAdd: "+", ast.Not: "!",
}  # fmt: skip

NAMES: dict[Any, str] = {
    np.sqrt: "Math.sqrt", np.log: "Math.log", np.log1p: "Math.log1p", np.abs: "Math.abs", np.exp: "Math.exp",
    np.minimum: "Math.min", np.maximum: "Math.max", builtins.min: "Math.min", builtins.max: "Math.max",
    builtins.abs: "Math.abs", math.sqrt: "Math.sqrt", math.log: "Math.log", builtins.float: "Number",
}  # fmt: skip
"""What a function of NumPy or Python is called in JavaScript, where it does the same to one number."""

PHRASES: dict[Any, str] = {
    np.where: "({0} ? {1} : {2})",
    np.zeros_like: "0",
    Fraction: "({0} / {1})",
}
"""What becomes of a call that JavaScript has no function for."""

FORMS = {"f'.12g'": "String(Number({0}.toPrecision(12)))", "f','": "number({0})"}
"""How numbers are written within text."""

SHORTCUTS = {"_are_whole": "false"}
"""Functions that say whether a shorter way leads to the same number, and the answer that is always right."""

Resolve = Callable[[str], Any]


class Translator:
    """Functions of Python as JavaScript, each helper once."""

    def __init__(self) -> None:
        self.helpers: dict[str, str] = {}
        self._known: dict[str, FunctionType] = {}
        self._open: list[Resolve] = []
        self.given: list[tuple[str, ...]] = []

    def function(
        self,
        function: Any,
        node: ast.Lambda | None = None,
        *,
        by_name: tuple[str, ...] = (),
        within: tuple[str, ...] = (),
    ) -> str:
        """Return a function, or a lambda of its source, as JavaScript.

        Parameters `by_name` come in an object at the end; those `within` belong to the function around it.
        """
        self._open.append(_names_of(function))
        self.given.append((*by_name, *within))
        try:
            tree = node or _definition(function)
            given = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]
            plain = [one.arg for one in given if one.arg not in by_name]
            local = {*plain, *by_name, *within}
            left_out = dict(zip(plain[::-1], tree.args.defaults[::-1], strict=False))
            shown = [
                f"{one} = {literal(ast.literal_eval(left_out[one]))}" if one in left_out else one
                for one in plain
            ]
            parameters = ", ".join([*shown, *([f"{{ {', '.join(by_name)} }}"] if by_name else [])])
            if isinstance(tree, ast.Lambda):
                return f"({parameters}) => {self.expression(tree.body, local)}"
            return f"({parameters}) => {self._body(tree, local)}"
        finally:
            self._open.pop()
            self.given.pop()

    def _body(self, tree: ast.FunctionDef, parameters: set[str]) -> str:
        stored = {
            one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        } | {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one is not tree}
        own = sorted(stored - parameters)
        first = f"let {', '.join(own)}; " if own else ""
        return "{ " + first + " ".join(self._statement(one, parameters | stored) for one in tree.body) + " }"

    def _statement(self, node: ast.stmt, local: set[str]) -> str:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return ""  # a docstring
        if isinstance(node, ast.Return) and node.value is not None:
            return f"return {self.expression(node.value, local)};"
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return f"{self._target(node.targets[0])} = {self.expression(node.value, local)};"
        if isinstance(node, ast.If):
            test = self.expression(node.test, local)
            yes, no = (
                " ".join(self._statement(one, local) for one in part) for part in (node.body, node.orelse)
            )
            return f"if ({test}) {{ {yes} }}" + (f" else {{ {no} }}" if no else "")
        if isinstance(node, ast.For):
            return self._loop(node, local)
        raise _refused(node)

    def _target(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(self._target(one) for one in node.elts)}]"
        raise _refused(node)

    def _loop(self, node: ast.For, local: set[str]) -> str:
        """Translate ``for i in range(first, end, step)`` with a step that is written as a number."""
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and len(call.args) > 1):
            raise _refused(node)
        first, end, *rest = call.args
        step = ast.literal_eval(rest[0]) if rest else 1
        i, body = self._target(node.target), " ".join(self._statement(one, local) for one in node.body)
        start, stop = self.expression(first, local), self.expression(end, local)
        return f"for ({i} = {start}; {i} {'<' if step > 0 else '>'} {stop}; {i} += {step}) {{ {body} }}"

    def expression(self, node: ast.expr, local: set[str]) -> str:
        """Return an expression; names that are not local are looked up where the function stands."""
        translate = getattr(self, f"_{type(node).__name__.lower()}", None)
        if translate is None:
            raise _refused(node)
        text: str = translate(node, local)
        return text

    def _constant(self, node: ast.Constant, _local: set[str]) -> str:
        return literal(node.value)

    def _name(self, node: ast.Name, local: set[str]) -> str:
        return node.id if node.id in local else self.value(self._open[-1](node.id), node)

    def _attribute(self, node: ast.Attribute, local: set[str]) -> str:
        return self.value(self._resolved(node, local), node)

    def _resolved(self, node: ast.expr, local: set[str]) -> Any:
        """Return what a name of a module or of the file stands for; None for what is computed."""
        if isinstance(node, ast.Name) and node.id not in local:
            return self._open[-1](node.id)
        if isinstance(node, ast.Attribute):
            owner = self._resolved(node.value, local)
            return getattr(owner, node.attr) if isinstance(owner, (ModuleType, Entry)) else None
        return None

    def value(self, value: Any, node: ast.AST) -> str:
        """Write what a name stands for: a number, or a function, which becomes a helper."""
        if isinstance(value, (bool, int, float, str)):
            return literal(value)
        if isinstance(value, FunctionType):
            return self.helper(value)
        if callable(value) and value in NAMES:
            return NAMES[value]
        raise _refused(node)

    def helper(self, function: FunctionType) -> str:
        """Translate a function that others call, once, and return its name."""
        name = function.__name__
        if self._known.setdefault(name, function) is not function:
            raise NotTranslatedError(f"two helpers are called {name}")
        if name not in self.helpers:
            self.helpers[name] = self.function(function)
        return name

    def _call(self, node: ast.Call, local: set[str]) -> str:
        called = self._resolved(node.func, local)
        if getattr(called, "__name__", "") in SHORTCUTS:
            return SHORTCUTS[called.__name__]
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise _refused(node)
        arguments = [self.expression(one, local) for one in node.args]
        if called in PHRASES:
            return PHRASES[called].format(*arguments)
        return f"{self.expression(node.func, local)}({', '.join(arguments)})"

    def _binop(self, node: ast.BinOp, local: set[str]) -> str:
        left, right = self.expression(node.left, local), self.expression(node.right, local)
        if isinstance(node.op, ast.Add) and self._is_list(node.left, local):
            return f"[...{left}, ...{right}]"
        return f"({left} {_sign(node.op)} {right})"

    def _is_list(self, node: ast.expr, local: set[str]) -> bool:
        """Tell lists from numbers, since Python writes both sums alike."""
        if isinstance(node, ast.Call):
            annotations = getattr(self._resolved(node.func, local), "__annotations__", {})
            return str(annotations.get("return", "")).startswith("list")
        return isinstance(node, ast.List) or (isinstance(node, ast.BinOp) and self._is_list(node.left, local))

    def _unaryop(self, node: ast.UnaryOp, local: set[str]) -> str:
        return f"({_sign(node.op)}{self.expression(node.operand, local)})"

    def _boolop(self, node: ast.BoolOp, local: set[str]) -> str:
        return f"({f' {_sign(node.op)} '.join(self.expression(one, local) for one in node.values)})"

    def _compare(self, node: ast.Compare, local: set[str]) -> str:
        sides = [self.expression(one, local) for one in (node.left, *node.comparators)]
        parts = [
            f"{left} {_sign(op)} {right}" for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return f"({' && '.join(parts)})"

    def _ifexp(self, node: ast.IfExp, local: set[str]) -> str:
        test, yes, no = (self.expression(one, local) for one in (node.test, node.body, node.orelse))
        return f"({test} ? {yes} : {no})"

    def _tuple(self, node: ast.Tuple | ast.List, local: set[str]) -> str:
        return f"[{', '.join(self.expression(one, local) for one in node.elts)}]"

    _list = _tuple

    def _joinedstr(self, node: ast.JoinedStr, local: set[str]) -> str:
        """Translate text with numbers in it."""
        parts = []
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                form = FORMS.get(ast.unparse(one.format_spec or ast.Constant("")))
                if form is None:
                    raise _refused(one)
                parts.append(form.format(self.expression(one.value, local)))
            else:
                parts.append(self.expression(one, local))
        return f"({' + '.join(parts)})"


def literal(value: Any) -> str:
    """Write a number, text or truth value, or a list of them."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value, ensure_ascii=False)


def facts(function: Any) -> dict[str, ast.expr]:
    """Return what stands in the decorator of a formula, by name."""
    (decorator,) = _definition(function).decorator_list
    if not isinstance(decorator, ast.Call):
        raise _refused(decorator)
    return {one.arg: one.value for one in decorator.keywords if one.arg}


def _definition(function: Any) -> Any:
    """Return the source of a function as a tree, its decorators too; of a lambda, what stands in its line."""
    if function.__name__ == "<lambda>":
        module = ast.parse(inspect.getsource(sys.modules[function.__module__]))
        lambdas = (one for one in ast.walk(module) if isinstance(one, ast.Lambda))
        at = [one for one in lambdas if one.lineno == function.__code__.co_firstlineno]
        if len(at) != 1:
            raise NotTranslatedError("several lambdas stand in one line")
        return at[0]
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    if not isinstance(tree, ast.FunctionDef):
        raise _refused(tree)
    return tree


def _names_of(function: Any) -> Resolve:
    """Return what looks names up as the function does: where it was made, in its file, among Python's own."""
    known = {**vars(builtins), **function.__globals__, **inspect.getclosurevars(function).nonlocals}

    def resolve(name: str) -> Any:
        if name not in known:
            raise NotTranslatedError(f"nothing is called {name}")
        return known[name]

    return resolve


def _sign(operator: ast.AST) -> str:
    if type(operator) not in OPERATORS:
        raise NotTranslatedError(f"no translation of {type(operator).__name__}")
    return OPERATORS[type(operator)]


def _refused(node: ast.AST) -> NotTranslatedError:
    return NotTranslatedError(f"no translation of {ast.unparse(node)!r}")
