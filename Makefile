# Every target first installs its requirements into .venv, if pyproject.toml has changed.
#
#   make report      every loadout of one faction against every loadout of another, into reports/
#   make quick       the tests that run in two minutes, during development
#   make test        the checks and all tests, with the random cases of the day
#   make proof       all random cases, too, and the wheel: before a release, or after a change of an engine
#   make matrix      the quick tests on each supported Python that is installed here, and on the oldest packages
#   make dist        build the wheel into dist/, install it elsewhere, and run the examples of README.md
#   make lint        the checks alone
#   make sweep       a small sweep with Dask workers, one of which is killed during the run, into reports/
#   make faults      sweeps whose processes are killed and whose files are damaged: make faults TIMES=100
#   make fuzz        mutated inputs at every entry point, CASES of them: make fuzz CASES=20000 SEED=7
#   make notebooks   run the notebooks from top to bottom and store their output
#   make docs        the documentation, with a reference from the docstrings, into docs/_build/html
#   make bench       benchmarks of the engines
#   make calibration coverage of the intervals, into docs/calibration.md; half an hour
#   make clean       remove the environment and the caches
#
# Another Python: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without --no-compile pip would compile 9000 modules, most of which are never imported.
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check

REPORT := reports/crown-vs-imperium
SOURCES := $(shell find analyser -name '*.py')
SIDE_BY_SIDE := $(BIN)/pytest -n auto --dist worksteal
CASES ?= 5000
SEED ?= 1
TIMES ?= 100

unexport PYTHONDONTWRITEBYTECODE  # or each process of the tests compiles all sources again

.NOTPARALLEL:
.PHONY: report sweep faults quick test proof checked matrix dist lint fuzz notebooks docs bench calibration clean

report: $(VENV)/.compiled-report
	@$(BIN)/analyser report --attackers 'crown/*' --defenders 'imperium/*' --out $(REPORT)

sweep: $(VENV)/.ready-cluster
	@$(BIN)/python -m benchmarks.small_sweep

faults: $(VENV)/.ready-test
	@$(BIN)/python -m tests.sweep.campaign --times $(TIMES) --seed $(SEED)

quick: $(VENV)/.compiled-test
	$(SIDE_BY_SIDE) -m "not slow and not proof"

test: checked
	$(SIDE_BY_SIDE) -m "not proof" --durations=10

proof: dist $(VENV)/.ready-bench $(VENV)/.ready-build checked
	$(SIDE_BY_SIDE)

# The type checker uses one core, so it runs in parallel with the compiler.
checked: $(VENV)/.ready-test
	@$(MAKE) --no-print-directory lint & lint=$$!; \
	  $(MAKE) --no-print-directory $(VENV)/.compiled-test && wait $$lint

matrix:
	@$(PYTHON) .ci/matrix.py

dist: $(VENV)/.made
	rm -f dist/*.whl
	$(PIP) --upgrade build
	$(BIN)/python -m build --wheel .
	$(BIN)/python .ci/wheel.py dist/*.whl

lint: $(VENV)/.ready-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(VENV)/.ready-test
	$(BIN)/python -m tests.fuzz.campaign --cases $(CASES) --seed $(SEED) --keep

notebooks: $(VENV)/.ready-notebook
	$(BIN)/python -m notebooks

# The examples of the docstrings and of the pages are run first.
docs: $(VENV)/.ready-docs
	$(BIN)/pytest analyser tests/docs -m "not slow and not proof"
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build/html

bench: $(VENV)/.ready-bench
	$(BIN)/python -m benchmarks

calibration: $(VENV)/.ready
	$(BIN)/python -m benchmarks.calibration

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis docs/_build docs/api
	find analyser tests benchmarks notebooks -name __pycache__ -type d -prune -exec rm -rf {} +

# Kernels, compiled once before parallel processes each compile their own.

$(VENV)/.compiled-report: $(VENV)/.ready $(SOURCES)
	@$(BIN)/analyser warm-up matchups exact-fights
	@touch $@

$(VENV)/.compiled-test: $(VENV)/.ready-test $(SOURCES)
	@$(BIN)/analyser warm-up
	@touch $@ $(VENV)/.compiled-report

# Stamp files, touched after pip succeeds, so that a failed set-up is retried.

$(VENV)/.ready: $(VENV)/.made pyproject.toml
	@echo "Setting up analyser in $(VENV) (once; a minute or two) ..."
	@$(PIP) -e .
	@touch $@

$(VENV)/.ready-%: $(VENV)/.made pyproject.toml
	@echo "Setting up analyser in $(VENV), with what '$*' needs (once; a minute or two) ..."
	@$(PIP) -e '.[$*]'
	@touch $@ $(VENV)/.ready

$(VENV)/.made:
	@command -v $(PYTHON) > /dev/null || { \
	  echo "error: no $(PYTHON) here; name a Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: $(PYTHON) is $$($(PYTHON) -V 2>&1), and analyser needs Python 3.11 or newer;" \
	    "name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@
