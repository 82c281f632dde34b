"""LaTeX formulas as MathML, which every browser sets without a script or a font from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from clearbar.core.errors import visible
from clearbar.formatting._latex import Node, UnknownLatexError, read_latex

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
    "mid": "|", "cap": "∩", "cup": "∪", "triangle": "△", "{": "{", "}": "}", "%": "%", "_": "_", "#": "#",
    "&": "&", "$": "$", "|": "‖",
}  # fmt: skip
_SPACES = {",": 0.1667, ":": 0.2222, ";": 0.2778, " ": 0.3333, "quad": 1.0, "qquad": 2.0, "!": -0.1667}
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙"}
_STRETCHED = {".": "", "\\{": "{", "\\}": "}", "\\|": "‖"}
_THIN = '<mspace width="0.1667em"></mspace>'
_SYMBOLS = {
    **{name: f"<mi>{name}</mi>" for name in _FUNCTIONS},
    **{name: f"<mi>{letter}</mi>" for name, letter in _LETTERS.items()},
    **{name: f"<mo>{html.escape(sign)}</mo>" for name, sign in _OPERATORS.items()},
    **{name: f'<mspace width="{size}em"></mspace>' for name, size in _SPACES.items()},
}


def mathml(latex: str, *, block: bool = False) -> str:
    r"""Return a formula as MathML; one with LaTeX that no measure is written in is shown as it is written."""
    try:
        inside = "".join(_row(read_latex(latex)))
    except UnknownLatexError:
        return f"<code>{html.escape(visible(latex))}</code>"
    display = ' display="block"' if block else ""
    return f"<math{display}>{inside}</math>"


def _row(parts: Sequence[Node]) -> list[str]:
    elements = []
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        if part.kind == "blank":
            continue
        element = _element(part)
        spaced = _is_function(part) or (part.kind == "scripts" and _is_function(part.parts[0]))
        elements.append(f"{element}{_THIN}" if spaced and not _opens(part, following) else element)
    return elements


def _is_function(part: Node) -> bool:
    return part.kind == "symbol" and part.text in _FUNCTIONS


def _opens(part: Node, following: Node | None) -> bool:
    """Tell whether a function has a bracket right behind it, so that no blank is needed."""
    return part.kind != "scripts" and following == Node("sign", "(")


def _element(part: Node) -> str:
    """Return a part as a single element."""
    writers: dict[str, Callable[[Node], str]] = {
        "row": _group,
        "accent": _accented,
        "scripts": _with_scripts,
        "brackets": _in_brackets,
        "frac": lambda part: f"<mfrac>{''.join(map(_element, part.parts))}</mfrac>",
        "sqrt": lambda part: f"<msqrt>{_element(part.parts[0])}</msqrt>",
    }
    return writers.get(part.kind, _leaf)(part)


def _group(part: Node) -> str:
    elements = _row(part.parts)
    return elements[0] if len(elements) == 1 else f"<mrow>{''.join(elements)}</mrow>"


def _accented(part: Node) -> str:
    accent = f'<mo stretchy="false">{_ACCENTS[part.text]}</mo>'
    return f'<mover accent="true">{_element(part.parts[0])}{accent}</mover>'


def _with_scripts(part: Node) -> str:
    base, *scripts = part.parts
    by_sign = dict(zip(part.scripts, map(_element, scripts), strict=True))
    kind = {"^": "sup", "_": "sub"}.get(part.scripts, "subsup")
    if base.kind == "symbol" and base.text in {"sum", "prod"}:
        kind = {"sub": "under", "sup": "over", "subsup": "underover"}[kind]
    return f"<m{kind}>{_element(base)}{''.join(by_sign[sign] for sign in '_^' if sign in by_sign)}</m{kind}>"


def _in_brackets(part: Node) -> str:
    ends = [html.escape(visible(_STRETCHED.get(end, end))) for end in part.text.split("\n")]
    left, right = (
        f'<mo fence="true" stretchy="true" form="{form}">{end}</mo>' if end else ""
        for end, form in zip(ends, ("prefix", "postfix"), strict=True)
    )
    return f"<mrow>{left}{''.join(_row(part.parts))}{right}</mrow>"


def _leaf(part: Node) -> str:
    text = html.escape(visible(part.text))
    if part.kind == "number":
        return f"<mn>{text}</mn>"
    if part.kind == "letter":
        return f"<mi>{text}</mi>"
    if part.kind == "word":
        if not part.text.replace(".", "").isalnum():
            return f"<mtext>{text}</mtext>"
        return f'<mi mathvariant="normal">{text}</mi>' if len(part.text) == 1 else f"<mi>{text}</mi>"
    if part.kind == "symbol" and part.text in _SYMBOLS:
        return _SYMBOLS[part.text]
    if part.kind == "symbol" or part.text in {"^", "_", "$", "&", "#", "%", "~"}:
        raise UnknownLatexError(part.text)
    return f"<mo>{html.escape(visible({'-': '−', '*': '∗'}.get(part.text, part.text)))}</mo>"
