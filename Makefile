.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Which Python makes the virtual environment; .ci/venv looks for one when this is empty.
PYTHON ?=
# More arguments for `make test` and `make bench`, such as ARGS="-k flow".
ARGS ?=

# What is compiled, and the modules it is made of; `.ci/compile` names those that are hot.
COMPILED := niagara_arena/_compiled/manifest.json
HOT := $(wildcard $(addprefix niagara_arena/,errors.py records.py rules/*.py rules/spirits/*.py \
         referee/*.py wire/*.py match/*.py sandbox/meter.py))

.PHONY: help install compile demo test lint types format bench calibrate schema wheel clean

help: ## show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s  %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## make .venv with the project and its tools in it

$(INSTALLED): pyproject.toml .ci/venv
	@PYTHON='$(PYTHON)' .ci/venv $(VENV)
	@touch $@

compile: $(COMPILED) ## compile the rules and the referee, 1.7 times as fast

$(COMPILED): $(INSTALLED) .ci/compile $(HOT)
	@.ci/tools gcc
	$(BIN)/python .ci/compile

demo: $(INSTALLED) ## play a tournament of the bundled bots and two new ones, in the cage
	@.ci/tools bwrap g++ node go rustc
	@rm -f results/demo.db*
	@for bot in otter heron; do \
	  test -e results/demo/$$bot || $(BIN)/niagara -q bot new python results/demo/$$bot || exit; \
	done
	$(BIN)/niagara tournament run .ci/demo.toml --db results/demo.db
	$(BIN)/niagara leaderboard --db results/demo.db

test: lint types compile ## lint, types and all tests; ARGS go to pytest
	@.ci/tools bwrap
	$(BIN)/python -m pytest -n auto $(ARGS)

lint: $(INSTALLED) ## check style and format with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED) ## check types with mypy
	$(BIN)/mypy

format: $(INSTALLED) ## let ruff mend style and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: compile ## measure speed; ARGS go to the benchmark
	$(BIN)/python -m benchmarks $(ARGS)

calibrate: $(INSTALLED) ## check by simulation that the ratings keep their word
	$(BIN)/python -m benchmarks.calibrate $(ARGS)

schema: $(INSTALLED) ## write the JSON Schemas of the protocol anew
	$(BIN)/niagara protocol schema --out protocol/schema

wheel: $(INSTALLED) ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

clean: ## remove .venv, dist/, what was compiled and every cache
	rm -rf $(VENV) niagara_arena/_compiled dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
