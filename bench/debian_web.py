"""A real web to crawl: Debian's documentation in about 30 languages, under the hosts where it stands.

    python bench/debian_web.py fetch                     packages from the mirror of this machine, unpacked; no root
    python bench/debian_web.py serve [--port 8443]       all hosts on one port of the loopback, HTTP and TLS
    python bench/debian_web.py survey                    what is there: pages, languages, addresses that lie, dead links
    python bench/debian_web.py run --lang de --strategy hybrid --pages 2000
    python bench/debian_web.py graph --lang de -o de.graph       the same web for `phasa lab run --graph`
    python bench/debian_web.py table [--langs fa,ja,de,ru,fr,ko] [--draws 1]     strategies, live and lab
    python bench/debian_web.py speed [--pages 5000]      hybrid and bfs beside Scrapy, pages per CPU second, memory

The packages are kept in ~/.cache/phasa/debian-web (PHASA_DEBIAN_WEB names another folder). docs/real_web.md explains.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.debian.fetch import MissingError, cache_folder, choose, fetch, known_packages
from bench.debian.sites import FAMILIES, PACKAGES, SITES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=cache_folder(), help="folder of the unpacked packages")
    parser.add_argument(
        "--independent", action="store_true", help="truth by py3langid, not by phasa's detector on the whole text"
    )
    parser.add_argument("--hosts", default="", help="only these hosts, separated by commas: a smaller web")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("fetch")
    serve = commands.add_parser("serve")
    serve.add_argument("--port", type=int, default=0)
    commands.add_parser("survey")
    commands.add_parser("child")  # the two processes that crawl: a Task on standard input
    commands.add_parser("scrapy")
    graph = commands.add_parser("graph")
    graph.add_argument("--lang", required=True)
    graph.add_argument("-o", "--out", type=Path, required=True)
    run, table, speed = (commands.add_parser(name) for name in ("run", "table", "speed"))
    run.add_argument("--lang", required=True)
    run.add_argument("--strategy", default="hybrid")
    table.add_argument("--langs", default="fa,ja,de,ru,fr,ko")
    table.add_argument("--strategies", default="hybrid,best-first,handmade,bfs")
    for one in (run, table):
        one.add_argument("--pages", type=int, default=2000)
        one.add_argument("--draws", type=int, default=1, help="how many draws of seeds")
        one.add_argument("--first", type=int, default=1, help="number of the first draw")
        one.add_argument("--runs", type=int, default=1, help="live crawls of each draw")
        one.add_argument("--delay", type=float, default=0.0)
        one.add_argument("--lab-only", action="store_true")
        one.add_argument("--json", type=Path, help="also append every crawl to this file, a line each")
    speed.add_argument("--pages", type=int, default=5000)
    speed.add_argument("--lang", default="de")
    speed.add_argument("--strategies", default="hybrid,bfs")
    options = parser.parse_args()
    try:
        sys.exit(_run(options))
    except MissingError as problem:
        sys.exit(f"debian_web: {problem}")


def _run(options: argparse.Namespace) -> int:
    if options.command in ("child", "scrapy"):
        import msgspec
        from bench.debian.crawls import Task, live_child
        from bench.debian.speed import scrapy_child

        task = msgspec.json.decode(sys.stdin.buffer.read(), type=Task)
        print(json.dumps(live_child(task) if options.command == "child" else scrapy_child(task)))
        return 0
    if options.command == "fetch":
        came = fetch(options.cache, choose(known_packages(), PACKAGES, FAMILIES), lambda text: print(text, flush=True))
        print(f"{came} packages came, in {options.cache}")
        return 0
    if not (options.cache / "packages").is_dir():
        if options.command is None:  # bench/all.py runs every script without arguments
            print("the web is not here; python bench/debian_web.py fetch brings it")
            return 0
        raise MissingError(f"{options.cache}: no packages here; run: python bench/debian_web.py fetch")
    from bench.debian import commands

    chosen = options.hosts.split(",") if options.hosts else [site.host for site in SITES]
    if unknown := set(chosen) - {site.host for site in SITES}:
        raise MissingError(f"--hosts: no {', '.join(sorted(unknown))} in this web; see bench/debian/sites.py")
    return commands.run(options, [site for site in SITES if site.host in chosen])


if __name__ == "__main__":
    main()
