"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import clearbar

BESIDE_OTHERS = {f"clearbar.integrations.{name}" for name in ("inspect", "mlflow", "skore")}
"""They load beside their tool alone, which `make integrations` has."""

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(clearbar.__path__, "clearbar.")
    if not module.name.endswith("__main__") and module.name not in BESIDE_OTHERS
)


LONG = {"clearbar.verdict._planning", "clearbar.verdict._power"}


@pytest.mark.parametrize(
    "name", ["clearbar", *(pytest.param(one, marks=[pytest.mark.slow] * (one in LONG)) for one in MODULES)]
)
def test_examples_of_a_module(name: str) -> None:
    import matplotlib.pyplot as plt

    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    plt.close("all")
    assert found.failed == 0


def test_every_public_name_has_an_example() -> None:
    for name in clearbar.__all__:
        value = getattr(clearbar, name)
        if callable(value) and name not in {"Optimum", "Verdict", "UndefinedMeasureWarning"}:
            assert ">>> " in (value.__doc__ or ""), name
