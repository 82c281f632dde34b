# make test     sets up and runs the tests, but for those that take long (four minutes)
# make quick    runs the core of them, after each change (one minute)
# make test-all runs every test: also exhaustive tables, simulations, papers (some ten minutes). Its last lines name
#               each skipped test with the reason. LOCK=1 brings the packages of those: peers, Spark, Dask, Selenium
#               and axe; Chromium, chromedriver, Java, tmux, zsh and fish are the system's, the site is make docs'
# make demo     sets up and judges five classifiers on two real data sets
# make check    lint, types and the import contract
# make docs     sets up and builds the site in build/site/html
# make calculator   sets up and builds the reviewer's calculator, one file: build/calculator.html
# make papers   sets up and makes the papers' tables and figures anew, in build/papers (some minutes)
# make integrations  tests the plug-ins beside the real MLflow, Inspect, skore ..., each in an environment of its own
# make bench    sets up, measures against the peers and writes docs/benchmarks.md (some seventeen minutes)
#
# PYTHON=...    builds .venv with that Python (3.11 or newer)
# LOCK=1        installs all packages, in the pinned versions that continuous integration uses
# ARGS=...      is passed on to pytest, the demo or the benchmarks

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help test quick test-all demo check lint types imports format lock docs calculator papers integrations bench clean

export PYTHON LOCK
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH PYTHONHOME
# Processes that tests start load what is compiled.
unexport PYTHONDONTWRITEBYTECODE
# Matplotlib's caches stay in the checkout.
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib

PY := .venv/bin/python
READY := sh tools/venv.sh
CHECKED := src tests examples integrations tools docs/conf.py $(wildcard benchmarks)

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

PYTEST := $(PY) -m pytest -n auto --maxprocesses 8 --dist worksteal

test:
	@$(READY) test
	@$(PYTEST) $(ARGS)

quick:
	@$(READY) test
	@$(PYTEST) -m "quick and not slow" $(ARGS)

test-all:
	@$(READY) test
	@$(PYTEST) -m "" $(ARGS)

demo:
	@$(READY) demo
	@$(PY) examples/journal_demo.py $(ARGS)

check: lint types imports

lint:
	@$(READY) lint
	@$(PY) -m ruff check $(CHECKED)
	@$(PY) -m ruff format --check $(CHECKED)

format:
	@$(READY) lint
	@$(PY) -m ruff check --fix $(CHECKED)
	@$(PY) -m ruff format $(CHECKED)

types:
	@$(READY) lint
	@$(PY) -m mypy

imports:
	@$(READY) lint
	@$(PY) -c 'from importlinter.cli import lint_imports_command as run; run()' --no-cache --no-logo

lock:
	@LOCK= $(READY) demo
	@$(PY) tools/lock.py

docs:
	@$(READY) docs
	@$(PY) -m tools.site $(ARGS)

calculator:
	@$(READY) demo
	@$(PY) -m tools.calculator $(ARGS)

papers:
	@$(READY) docs
	@$(PY) -m examples.papers $(ARGS)

integrations:
	@$(READY) demo
	@$(PY) tools/integrations.py $(ARGS)

bench:
	@$(READY) bench
	@$(PY) -m benchmarks $(ARGS)

clean:
	rm -rf .venv build dist demo_output .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
