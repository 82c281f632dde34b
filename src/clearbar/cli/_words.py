"""The library's sentences in the words of the command line: options, not arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from clearbar.core.errors import brief

_AS_TYPED = (
    (
        r"; use evaluate_scores, or y_score >= threshold\.",
        "; if they are probabilities, add --threshold 0.5.",
    ),
    (r" Judge one class against the rest: pass .*", " Turn it into one class against the rest first."),
    (r" Use \S+ >= threshold\.", " Turn it into labels first."),
    (r" Turn it into labels first, e\.g\. with \S+ == value\.", " Turn it into labels first."),
    (r" Pass (?:a NumPy array|them as NumPy arrays).*", " Turn it into whole numbers or text first."),
    (r"pass overwrite=True to replace it", "add --force to replace it"),
    (r"get_measure\('(\w+)', ([^()]*)\)", r"--measure '\1(\2)'"),
    (r"clearbar\.measures\([^)]*\) lists all", "`clearbar measures` lists all"),
    (r"\(first at position (\d+)\)", lambda m: f"(first in row {int(m[1]) + 1:,})"),
    (r"\(at position (\d+)\)", lambda m: f"(in row {int(m[1]) + 1:,})"),
    (r"pass nulls='drop'", "add --nulls drop"),
    (r"nulls='drop'", "--nulls drop"),
    (r"by_file needs files", "--by-file needs files"),
    (r"pos_label=('(?:[^'\\]|\\.)*'|\S+?)(?=[,.;)]?(?:\s|$))", lambda m: _pos_label(m[1])),
)


_IN_OUTPUT = (
    (r"undefined='worst'(\s+)or(\s+)undefined=0\.0", r"--undefined worst\1or\2--undefined 0"),
    (r"more:\s+(?:card\.[\w\\]+(?:\([^)]*\))?(?:,\s+|\.))+", "more with --all."),
    (r"card\.to_frame\(\)(\s+)has(\s+)the(\s+)reasons", r"--json\1has\2the\3reasons"),
)


def _pos_label(literal: str) -> str:
    text = literal[1:-1] if literal[:1] in {"'", '"'} and literal[-1:] == literal[:1] else literal
    return f"--pos-label {shlex.quote(text)}"


def reason_as_typed(text: str) -> str:
    """Return text with reasons in which the policy for undefined outcomes is the option."""
    for pattern, words in _IN_OUTPUT:
        text = re.sub(pattern, words, text, flags=re.MULTILINE)
    return text


def as_typed(sentence: str, columns: Mapping[str, str] | None = None) -> str:
    """Return a sentence of the library as the command line says it."""
    sentence = reason_as_typed(sentence)
    for pattern, words in _AS_TYPED:
        sentence = re.sub(pattern, words, sentence)
    if not columns:
        return sentence
    longest_first = sorted(columns, key=len, reverse=True)
    names = rf"(?<![\w.'])(?:{'|'.join(map(re.escape, longest_first))})(?![\w\['])"
    return re.sub(names, lambda found: f"column {brief(columns[found[0]])!r}", sentence)
