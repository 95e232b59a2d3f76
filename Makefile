# Needs Python 3.11 or newer, git and make. Everything else goes into .venv.
#   make setup       create .venv (the other targets do it when needed)
#   make demo        see Foureyes work in a temporary repository
#   make test        the default tests, in parallel
#   make check       everything CI runs: lint, types, contracts, docs-check, site, test
#   make docs        write the generated pages of docs/ (docs-check only compares them)
#   make site        build the documentation site into build/site
#   make coverage    the default tests with line and branch coverage, as htmlcov/index.html
#   make bench       benchmarks, as ratios
#   make mutants     how many small changes of the pure rules the tests of tests/core notice (15 minutes)
#   make clean       remove .venv and everything that is built
#
#   Seldom needed:
#   make nightly         all cases of all tests, and ROUNDS=500 random crash tests (hours)
#   make test-projects   Foureyes in pip, uv, npm, pnpm, Go and Rust projects (needs the network)
#   make test-agents     the real codex, claude, gemini, opencode and qwen (needs root and npm; test-agents-quick: one case each)
#   make test-sandboxes  those programs in their own sandboxes (needs root and npm)
#   make record-agents   record their output for the tests that parse it (needs root and npm)
#   make pictures        write docs/pictures

PYTHON      ?= python3
PYTEST_ARGS ?=
ROUNDS      ?= 500
VENV        := .venv
BIN         := $(VENV)/bin
STAMP       := $(VENV)/.made-from

.DEFAULT_GOAL := help
.PHONY: help setup demo test coverage mutants nightly test-sandboxes test-agents test-agents-quick test-projects record-agents \
	check lint types contracts docs docs-check site pictures bench clean

help:
	@sed -n '2,/^$$/s/^# \{0,3\}//p' Makefile
	@echo
	@echo "one test: make test PYTEST_ARGS='tests/core -k minor'     another Python: make PYTHON=python3.12 test"

setup: $(STAMP)

# Runs again when the dependencies may have changed.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Foureyes needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
		echo "next: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "setting up $(VENV) (once, about a minute) ..." >&2
	@test -x $(BIN)/python && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,docs]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/fe demo

# Without compiled files every worker would compile all tests. With worksteal, neighbouring tests mostly run in the same
# worker and share its fixtures.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal

test: $(STAMP)
	@$(PYTEST) $(PYTEST_ARGS)

coverage: $(STAMP)
	@$(PYTEST) --cov --cov-report=html $(PYTEST_ARGS)
	@echo "$$($(BIN)/coverage report --format=total) % covered: htmlcov/index.html"

MUTANTS_ARGS ?=
mutants: $(STAMP)
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m tools.mutants $(MUTANTS_ARGS)

nightly: $(STAMP)
	@FOUREYES_NIGHTLY=1 FOUREYES_ROUNDS=$(ROUNDS) $(PYTEST) $(PYTEST_ARGS)

# In a network namespace with loopback only. claude also needs bwrap and socat. What cannot run here is listed as NOT RUN.
test-sandboxes: $(STAMP)
	@mkdir -p .venv-agents/run
	@FOUREYES_SANDBOXES=1 TMPDIR=$(CURDIR)/.venv-agents/run $(BIN)/python -m pytest -n 0 -v tests/sandboxes $(PYTEST_ARGS)

# In network namespaces with loopback only. What cannot run here is listed as NOT RUN.
AGENTS_TOGETHER ?= 2
TEST_AGENTS := mkdir -p .venv-agents/run && FOUREYES_AGENTS=1 FOUREYES_NIGHTLY=1 TMPDIR=$(CURDIR)/.venv-agents/run \
	$(BIN)/python -m pytest -n $(AGENTS_TOGETHER) --dist worksteal -rs
test-agents: $(STAMP)
	@$(TEST_AGENTS) tests/agents $(PYTEST_ARGS)

test-agents-quick: $(STAMP)
	@$(TEST_AGENTS) tests/agents/test_quick.py tests/agents/test_restarted.py $(PYTEST_ARGS)

# uv and pnpm are installed for it. What else is missing is listed as NOT RUN.
PROJECT_TOOLS := .venv-projects
test-projects: $(STAMP)
	@test -x $(PROJECT_TOOLS)/bin/uv || { $(PYTHON) -m venv $(PROJECT_TOOLS) && $(PROJECT_TOOLS)/bin/pip install -q uv; } || true
	@test -x $(PROJECT_TOOLS)/node_modules/.bin/pnpm || npm install --silent --prefix $(PROJECT_TOOLS) pnpm@9 || true
	@mkdir -p $(PROJECT_TOOLS)/tools && ln -sf ../bin/uv ../node_modules/.bin/pnpm $(PROJECT_TOOLS)/tools/
	@FOUREYES_PROJECTS=1 PATH="$(CURDIR)/$(PROJECT_TOOLS)/tools:$$PATH" $(BIN)/python -m pytest -n 2 -rs tests/projects $(PYTEST_ARGS)

# RECORD='codex case=401' records only that.
record-agents: $(STAMP)
	@FOUREYES_AGENTS=1 $(BIN)/python -m tests.agents.record $(RECORD)

check: lint types contracts docs-check site test

lint: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .

types: $(STAMP)
	@$(BIN)/mypy

contracts: $(STAMP)
	@$(BIN)/lint-imports --no-logo

docs: $(STAMP)
	@$(BIN)/python -m tools.reference

docs-check: $(STAMP)
	@$(BIN)/python -m tools.reference --check

site: $(STAMP)
	@$(BIN)/mkdocs build --quiet --strict

pictures: $(STAMP)
	@$(BIN)/python -m tools.pictures

bench: $(STAMP)
	@$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .venv-agents .venv-projects .venv-bench .venv-bench-crowded .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage htmlcov build dist
