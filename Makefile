# Two commands for a newcomer: `make demo` and `make test`. Both make .venv themselves. Before a release: `make check`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check soak lint bench clean

# The versions and hashes that were tested; `make LOCKED=` takes the newest that pyproject.toml allows.
LOCKED ?= yes
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(VENV)/.ready: pyproject.toml requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit("moderator needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(if $(LOCKED),$(PIP) --require-hashes -r requirements-dev.txt,$(PIP) -e '.[dev]')
	$(if $(LOCKED),$(PIP) --no-deps --no-build-isolation -e .)
	@touch $@

demo: $(VENV)/.ready
	@$(BIN)/moderator demo

lint: $(VENV)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --config tests/walls.toml

# The tests of every day: without those marked `slow`, and without the long lists of cases (tests/budgets.toml).
test: $(VENV)/.ready
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not matrix" $(PYTEST_ARGS)

# What the gate runs: lint, and every test; of each long list of cases a sample that the commit chooses. A missing server is
# a failure. Some tests wait for servers most of their time, so there are more workers than cores.
EVERYTHING := REQUIRE_SERVERS=1 $(BIN)/python -m pytest -n $$(($$(nproc) * 2)) --dist worksteal

check: lint
	$(EVERYTHING) $(PYTEST_ARGS)

# Every case of every list, as long as it takes; before a release. tests/soak.md says what it has shown.
soak: $(VENV)/.ready
	-$(EVERYTHING) --soak --junitxml=$(VENV)/soak.xml $(PYTEST_ARGS)
	$(BIN)/python -m tests.soak $(VENV)/soak.xml

bench: $(VENV)/.ready
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache
