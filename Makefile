# Each target is one line you can read off and run without make.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint types imports fmt bench serve lock clean

help:           ## what there is
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 12

setup: $(VENV)/.ready   ## a virtual environment with everything pinned, made once

$(VENV)/.ready: requirements.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	$(BIN)/python -m compileall -q fastagent tools incident_playbooks wafer_backend
	@touch $@

demo: setup     ## diagnose a recorded PostgreSQL incident and triage its log, at emulated speed
	$(BIN)/fastagent demo

test: setup     ## the tests
	$(BIN)/pytest -q

check: lint types imports test   ## what CI runs

lint: setup     ## ruff, format and rules
	$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: setup    ## mypy --strict
	$(BIN)/mypy && ls examples/incidents/*/*.py | xargs -n 1 $(BIN)/mypy

imports: setup  ## who may import whom; the longest chain, and that there is no cycle
	$(BIN)/lint-imports && $(BIN)/python .ci/structure.py

fmt: setup      ## format in place
	$(BIN)/ruff format . && $(BIN)/ruff check --fix .

bench: setup    ## the claims, measured quickly
	for b in benchmarks/*.py; do $(BIN)/python $$b --quick || exit 1; done

serve: setup    ## the emulator on loopback
	$(BIN)/wafer serve

lock: setup     ## pin again (needs uv)
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock" -o requirements.txt

clean:          ## remove what was made
	rm -rf $(VENV) dist build
