# Everything a fresh Debian machine with Python 3.11 to 3.13, git and make needs. `make help` lists the targets.
PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin
# Seconds of damaged input in `make soak`.
FUZZ   ?= 7200

.PHONY: help demo test lint format wheels bench soak browser clean

help:
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/installed: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "phasa needs Python 3.11 or later as '$(PYTHON)'"; exit 1; }
	test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(RUN)/python -m compileall -q src
	touch $@

demo: $(VENV)/installed ## see what phasa does, no network needed
	$(RUN)/python -m phasa.demo

test: $(VENV)/installed browser ## all tests that everyone runs (minutes)
	$(RUN)/python -m pytest -n 2 --dist loadfile -m "not soak"

lint: $(VENV)/installed ## ruff and mypy --strict
	$(RUN)/ruff check src tests bench
	$(RUN)/ruff format --check src tests bench
	$(RUN)/mypy

format: $(VENV)/installed ## let ruff tidy the code
	$(RUN)/ruff check --fix src tests bench
	$(RUN)/ruff format src tests bench

wheels: $(VENV)/installed ## the wheel on every Python that is here: its weight, and that it works
	$(RUN)/python tests/wheels.py

bench: $(VENV)/installed ## phasa beside its peers, ratios from one run
	$(RUN)/python -m pip install --quiet --disable-pip-version-check 'pip>=24.1'  # older ones fail on lxml[html_clean]
	$(RUN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,bench]'
	$(RUN)/python bench/all.py

soak: $(VENV)/installed browser ## the slow proofs
	$(RUN)/python -m pytest -m soak -s
	$(RUN)/python -m tests.fuzz --seconds $(FUZZ) --jobs 2

browser:
	@sh tests/browser.sh

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
