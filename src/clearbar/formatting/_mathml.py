"""LaTeX formulas as MathML, which every browser sets without a script or a font from elsewhere."""

from __future__ import annotations

import html
import re

from clearbar.core.errors import visible

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.", re.DOTALL)
_DEEPEST = 30
"""Groups within groups; what is deeper is nobody's formula."""

_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ",
    "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_FUNCTIONS = {"ln", "log", "exp", "max", "min", "arccos", "arcsin", "arctan", "cos", "sin", "tan"}
_OPERATORS = {
    "sum": "∑", "prod": "∏", "cdot": "·", "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "ne": "≠", "neq": "≠", "in": "∈", "infty": "∞", "to": "→", "ldots": "…", "dots": "…",
    "mid": "|", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#", "&": "&", "$": "$", "|": "‖",
}  # fmt: skip
_SPACES = {",": 0.1667, ":": 0.2222, ";": 0.2778, " ": 0.3333, "quad": 1.0, "qquad": 2.0, "!": -0.1667}
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙"}
_UPRIGHT = {"mathrm", "text", "textrm", "operatorname", "mathbf"}
_STRETCHED = {".": "", "\\{": "{", "\\}": "}", "\\|": "‖"}
_THIN = '<mspace width="0.1667em"></mspace>'
_SYMBOLS = {
    **{name: f"<mi>{letter}</mi>" for name, letter in _LETTERS.items()},
    **{name: f"<mo>{html.escape(sign)}</mo>" for name, sign in _OPERATORS.items()},
    **{name: f'<mspace width="{size}em"></mspace>' for name, size in _SPACES.items()},
}


class UnknownLatexError(ValueError):
    """LaTeX beyond what measures are written in."""


def mathml(latex: str, *, block: bool = False) -> str:
    r"""Return a formula as MathML.

    Knows what measures are written in: letters, numbers, fractions, roots, powers and indices, words in
    upright letters, Greek, sums, logarithms, brackets of any size. What it does not know is shown as it is
    written.
    """
    try:
        inside = _Reader(latex).formula()
    except UnknownLatexError:
        return f"<code>{html.escape(visible(latex))}</code>"
    display = ' display="block"' if block else ""
    return f"<math{display}>{inside}</math>"


class _Reader:
    """Reads tokens from left to right; every method returns the elements of what it has read."""

    def __init__(self, latex: str) -> None:
        self.tokens = _TOKEN.findall(latex)[::-1]
        self.next = ""
        self.depth = 0
        self.take()

    def take(self) -> str:
        token, self.next = self.next, self.tokens.pop() if self.tokens else ""
        return token

    def formula(self) -> str:
        row = self.row(end="")
        if self.next:
            raise UnknownLatexError(self.next)
        return "".join(row)

    def row(self, end: str) -> list[str]:
        """Read up to a closing token, which stays."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnknownLatexError(end)
        elements = []
        while self.next != end:
            if self.next in {"", "}", r"\right"}:
                raise UnknownLatexError(self.next)
            if self.next.isspace():
                self.take()
            else:
                elements.append(self.scripted())
        self.depth -= 1
        return elements

    def scripted(self) -> str:
        """Read one thing with what is raised or lowered behind it."""
        name = self.next.removeprefix("\\")
        limits = self.next.startswith("\\") and name in {"sum", "prod"}
        function = self.next.startswith("\\") and name in _FUNCTIONS
        base, scripts = self.atom(), {}
        while self.next in {"^", "_"} and self.next not in scripts:
            where = self.take()
            scripts[where] = self.argument()
        if scripts and function:  # the blank of a function stands behind its index
            base = f"<mi>{name}</mi>"
        kind = {"^": "sup", "_": "sub", "_^": "subsup"}.get("".join(sorted(scripts, reverse=True)), "")
        if limits:
            kind = {"sub": "under", "sup": "over", "subsup": "underover"}.get(kind, "")
        inside = "".join(scripts[at] for at in ("_", "^") if at in scripts)
        element = f"<m{kind}>{base}{inside}</m{kind}>" if kind else base
        return f"{element}{_THIN}" if function and scripts else element

    def argument(self) -> str:
        """Read one thing, or a group in braces, as a single element."""
        while self.next.isspace():
            self.take()
        if self.next in {"", "}", "^", "_"}:
            raise UnknownLatexError(self.next)
        if len(self.next) > 1 and self.next[0].isdigit():  # only the first digit, as in TeX
            self.tokens.append(self.next[1:])
            self.next = self.next[0]
        return self.atom()

    def atom(self) -> str:
        token = self.take()
        if token == "{":  # noqa: S105 - a brace
            elements = self.row(end="}")
            self.take()
            return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{html.escape(visible(token))}</mi>"
        if token in {"^", "_", "$", "&", "#", "%", "~"}:
            raise UnknownLatexError(token)
        return f"<mo>{html.escape(visible({'-': '−', '*': '∗'}.get(token, token)))}</mo>"

    def command(self, name: str) -> str:
        readers = {"frac": self.fraction, "sqrt": self.root, "left": self.brackets}
        readers |= dict.fromkeys(_UPRIGHT, self.upright)
        if name in readers:
            return readers[name]()
        if name in _ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo stretchy="false">{_ACCENTS[name]}</mo></mover>'
        if name in _FUNCTIONS:
            return f"<mi>{name}</mi>{'' if self.next in {'(', '^', '_'} else _THIN}"
        symbol = _SYMBOLS.get(name)
        if symbol is None:
            raise UnknownLatexError(name)
        return symbol

    def fraction(self) -> str:
        over, under = self.argument(), self.argument()
        return f"<mfrac>{over}{under}</mfrac>"

    def root(self) -> str:
        return f"<msqrt>{self.argument()}</msqrt>"

    def upright(self) -> str:
        """Read a word that is not slanted."""
        if self.next != "{":
            raise UnknownLatexError(self.next)
        self.take()
        word = ""
        while self.next != "}":
            token = self.take()
            if not token or token == "{" or (token.startswith("\\") and token[1:] not in {"_", " "}):  # noqa: S105
                raise UnknownLatexError(token)
            word += token.removeprefix("\\")
        self.take()
        text = html.escape(visible(word))
        if not word.replace(".", "").isalnum():
            return f"<mtext>{text}</mtext>"
        return f'<mi mathvariant="normal">{text}</mi>' if len(word) == 1 else f"<mi>{text}</mi>"

    def brackets(self) -> str:
        """Read what stands between brackets that grow with it."""
        opened = self.take()
        inside = "".join(self.row(end=r"\right"))
        self.take()
        ends = [html.escape(visible(_STRETCHED.get(end, end))) for end in (opened, self.take())]
        left, right = (
            f'<mo fence="true" stretchy="true" form="{form}">{end}</mo>' if end else ""
            for end, form in zip(ends, ("prefix", "postfix"), strict=True)
        )
        return f"<mrow>{left}{inside}{right}</mrow>"
