# Two commands for a newcomer: `make demo` and `make test`. Both make .venv themselves. Before a release: `make check`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check lint bench clean

# The versions that were tested; `make CONSTRAINTS=` takes the newest that pyproject.toml allows.
CONSTRAINTS ?= --constraint constraints.txt

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("moderator needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e '.[dev]'
	@touch $@

demo: $(VENV)/.ready
	@$(BIN)/moderator demo

lint: $(VENV)/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The tests of every day, in three minutes on two cores: without those of tests/long.txt.
test: $(VENV)/.ready
	$(BIN)/python -m pytest -n auto --dist worksteal $(if $(MODERATOR_SLOW),,-m "not long") $(PYTEST_ARGS)

# What runs once more on PostgreSQL: the store and the backup, and of the rest so many files that every statement that any
# test of a club makes, and every column that one of them changes, is there. (tests/growth runs on PostgreSQL anyway.)
ON_POSTGRES := tests/store tests/today tests/backup --ignore=tests/backup/test_secrets_kept.py tests/test_integrity.py tests/test_cli.py \
	tests/test_tournament_cli.py tests/site/test_letter.py $(patsubst %,tests/club/test_%.py,address asking boss bounced \
	clock_by_mail digest faults headings joining leave_by_mail outbox protests state_line tournament_commands trouble unsubscribe \
	watching who_wrote)

# Everything: lint, every test with nothing left out (soaks, every kill point; a server that is missing is a failure), what
# touches the database once more on a real PostgreSQL, and that docs/reliability.md claims no more than this run did.
# Some tests wait for servers most of their time, so there are more at once than there are cores.
check: lint
	@rm -f $(VENV)/figures
	PYTEST_XDIST_AUTO_NUM_WORKERS=$$(($$(nproc) * 2)) REQUIRE_SERVERS=1 MODERATOR_SLOW=1 MODERATOR_FIGURES=$(CURDIR)/$(VENV)/figures $(MAKE) test
	REQUIRE_SERVERS=1 $(BIN)/python -m tests.servers.postgres $(BIN)/python -m pytest -n auto --dist worksteal $(ON_POSTGRES)
	$(BIN)/python -m tests.figures --check $(VENV)/figures

bench: $(VENV)/.ready
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache
