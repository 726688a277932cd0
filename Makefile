# Everything runs in .venv, which is set up once and again when what it holds changes: what the demo
# needs first, and for everything else what developers need besides.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BASE := $(VENV)/.base
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-again torture test-browser coverage docs figures web format bench clean

demo: $(BASE)
	@mkdir -p demo
	$(BIN)/geopar solve examples/deliveries.json --time-limit 5 \
	  --out demo/plan.json --picture demo/plan.png
	@echo "The picture is demo/plan.png, the plan demo/plan.json."

# Tests are shared by as many processes as there are cores, up to four.
SHARED := --numprocesses logical --maxprocesses 4 --dist loadgroup
test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/pytest $(SHARED) --cov --cov-report=term-missing:skip-covered

# Those that failed the last time, one after the other; none is an error as well.
test-again: $(READY)
	$(BIN)/pytest --last-failed --last-failed-no-failures none

# Random problems, days, files and a suffering service, from a new seed each time, or from SEED.
torture: $(READY)
	$(BIN)/python -m geopar.testing torture --minutes $(or $(MINUTES),1) --keep build/torture \
	  $(if $(SEED),--seed $(SEED))

# In a real Chromium, which is installed if it is not there (Debian's package), with axe-core (npm's).
test-browser: $(READY)
	@sh tests/browser/chromium.sh
	@sh tests/browser/axe.sh
	@$(BIN)/python -c "import playwright" 2>/dev/null || $(PIP) -q -e '.[browser]'
	$(BIN)/pytest tests/browser

# What the tests of the search and of our pointer's features reach inside of compiled code, which
# coverage cannot see otherwise.
UNCOMPILED := search pointer/hcvrp pointer/omdcpdp
coverage: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest $(UNCOMPILED:%=tests/%) $(UNCOMPILED:%=--cov=src/geopar/%) \
	  --cov-report=term-missing --cov-config=/dev/null -q

# The documentation, into site/: open site/index.html, or for its search as well, serve it with
# `python -m http.server -d site`. Its pictures: python docs/pictures.py
docs: $(READY)
	$(BIN)/mkdocs build

# Every number of README and documentation that older code made, tables and pictures: hours, in parts
# with MINUTES=30, with VRPLIB=FOLDER those of windows. Which are stale: benchmarks/figures.py --stale
figures: $(READY)
	$(BIN)/python benchmarks/figures.py $(if $(MINUTES),--minutes $(MINUTES)) $(if $(VRPLIB),--vrplib $(VRPLIB))

# The page of the service, from web/ into the package; only who changes it needs Node.
web:
	@command -v npm >/dev/null || { echo "Building the page needs Node 20 or newer, with npm." >&2; exit 1; }
	cd web && npm install --no-package-lock && npm test && npm run build

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Speed of the parts in a minute or so; what takes longer is run by hand, see benchmarks/.
bench: $(READY)
	$(BIN)/python benchmarks/import_time.py
	$(BIN)/python benchmarks/read_speed.py
	$(BIN)/python benchmarks/check_speed.py
	$(BIN)/python benchmarks/dispatch_speed.py
	$(BIN)/python benchmarks/search_speed.py --largest 5000

clean:
	rm -rf demo build dist site .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml constraints.txt
	@$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	  'geopar needs Python 3.11 or newer, this is %d.%d. Maybe: make PYTHON=python3.11' \
	  % sys.version_info[:2])"
	@echo "Setting up $(VENV): once, under a minute."
	$(PYTHON) -m venv $(VENV)
	$(PIP) -q -e '.[plot]'
	@touch $(BASE)

$(READY): $(BASE)
	@echo "Setting up what developers need: once, a few minutes."
	$(PIP) -e '.[dev]'
	@touch $(READY)
