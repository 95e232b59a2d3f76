# Needs Python 3.11 or newer, git and make. Everything else goes into .venv.
#   make demo    see it work          make check   lint, types, contracts, docs, tests
#   make test    tests of every day   make bench   figures, as ratios
#   make test-sandboxes  the real agent programs from npm, in their own sandboxes (needs root)
#   make test-agents     the real codex, claude, gemini, opencode and qwen from npm, driven by Foureyes (needs root)
#   make test-projects   projects of six kinds with their own tools (pip, uv, npm, pnpm, Go, Rust), init to merge
#   make record-agents   record what the real agent programs print, for tests of those who read it (needs root)
#   make nightly everything: every variant of every test, every failpoint on both engines, ROUNDS=500 days of random kills (hours)

PYTHON      ?= python3
PYTEST_ARGS ?=
ROUNDS      ?= 500
VENV        := .venv
BIN         := $(VENV)/bin
STAMP       := $(VENV)/.made-from

.DEFAULT_GOAL := help
.PHONY: help setup demo test nightly test-sandboxes test-agents test-agents-quick test-projects record-agents check lint types contracts docs docs-check pictures bench clean

help:
	@sed -n 's/^#   //p' Makefile
	@echo "parts of check: lint types contracts docs-check test     make docs writes docs/reference, make pictures docs/pictures"
	@echo "one test: make test PYTEST_ARGS='tests/core -k minor'     another Python: make PYTHON=python3.12 test"

setup: $(STAMP)

# Re-made when the dependencies may have changed; otherwise nothing is done.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Foureyes needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
		echo "next: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "setting up $(VENV) (once, about a minute) ..." >&2
	@test -x $(BIN)/python && $(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(STAMP)
	@$(BIN)/fe demo

# Compiled files are kept whatever the machine says: else every worker would rewrite all tests. Who has done with its
# share takes half of what another one still has: neighbours stay together, and share what they have made.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n auto --dist worksteal

test: $(STAMP)
	@$(PYTEST) $(PYTEST_ARGS)

nightly: $(STAMP)
	@FOUREYES_NIGHTLY=1 FOUREYES_ROUNDS=$(ROUNDS) $(PYTEST) $(PYTEST_ARGS)

# The real agent programs from npm, in their own sandboxes, in a network namespace with loopback only. Needs root, npm,
# and, for claude, bwrap and socat. What cannot be run here is listed as NOT RUN.
test-sandboxes: $(STAMP)
	@mkdir -p .venv-agents/run
	@FOUREYES_SANDBOXES=1 TMPDIR=$(CURDIR)/.venv-agents/run $(BIN)/python -m pytest -n 0 -v tests/sandboxes $(PYTEST_ARGS)

# All five real programs, in network namespaces with loopback only, with every case; or one piece of work and one error of
# each, where there are root and npm. What cannot be run here is listed as NOT RUN.
AGENTS_TOGETHER ?= 2
TEST_AGENTS := mkdir -p .venv-agents/run && FOUREYES_AGENTS=1 FOUREYES_NIGHTLY=1 TMPDIR=$(CURDIR)/.venv-agents/run \
	$(BIN)/python -m pytest -n $(AGENTS_TOGETHER) --dist worksteal -rs
test-agents: $(STAMP)
	@$(TEST_AGENTS) tests/agents $(PYTEST_ARGS)

test-agents-quick: $(STAMP)
	@$(TEST_AGENTS) tests/agents/test_quick.py $(PYTEST_ARGS)

# Small projects with their own tools and what those fetch from the registries: pip, uv, npm, pnpm, Go, Rust. What is not
# here is listed as NOT RUN; uv and pnpm are installed for it.
PROJECT_TOOLS := .venv-projects
test-projects: $(STAMP)
	@test -x $(PROJECT_TOOLS)/bin/uv || { $(PYTHON) -m venv $(PROJECT_TOOLS) && $(PROJECT_TOOLS)/bin/pip install -q uv; } || true
	@test -x $(PROJECT_TOOLS)/node_modules/.bin/pnpm || npm install --silent --prefix $(PROJECT_TOOLS) pnpm@9 || true
	@mkdir -p $(PROJECT_TOOLS)/tools && ln -sf ../bin/uv ../node_modules/.bin/pnpm $(PROJECT_TOOLS)/tools/
	@FOUREYES_PROJECTS=1 PATH="$(CURDIR)/$(PROJECT_TOOLS)/tools:$$PATH" $(BIN)/python -m pytest -n 2 -rs tests/projects $(PYTEST_ARGS)

# RECORD='codex case=401' records some of it.
record-agents: $(STAMP)
	@FOUREYES_AGENTS=1 $(BIN)/python -m tests.agents.record $(RECORD)

check: lint types contracts docs-check test

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

pictures: $(STAMP)
	@$(BIN)/python -m tools.pictures

bench: $(STAMP)
	@$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .venv-agents .venv-projects .venv-bench .venv-bench-crowded .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
