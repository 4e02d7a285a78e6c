"""hybrid beside the hand-made order and the others on the real graph of home pages, language by language.

Prints the share of the reachable pages in the language that was found after 5, 10, 20 and 50 % of all reachable pages,
mean over draws of mixed seeds. Needs the data folder webgraph-homepages2018 (`--data`, or PHASA_DATA).
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from phasa.lab.compare import compare
from phasa.lab.curves import SHARES, Ground, summarise

STRATEGIES = "hybrid,handmade,best-first,soft-focused,limited-distance,lswc,shark,persian,a1,a4,bfs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    beside = Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("PHASA_DATA", beside)))
    parser.add_argument("--languages", default="fa,ja,ru,de")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="number of the first draw")
    parser.add_argument("--strategies", default=STRATEGIES)
    chosen = parser.parse_args()
    graph = chosen.data / "webgraph-homepages2018"
    if not graph.is_dir():
        print(f"{graph}: not there; nothing to measure")
        return
    print(f"{'':<4}{'order':<18}" + "".join(f"{share:>8.0%}" for share in SHARES) + f"{'CPU s':>8}")
    for language in chosen.languages.split(","):
        grounds = [Ground("mixed", language, graph=graph, draw=chosen.first + draw) for draw in range(chosen.draws)]
        for strategy in chosen.strategies.split(","):
            start = time.process_time()
            found = summarise(compare(grounds, [strategy], 1))[0].found_after
            spent = time.process_time() - start
            print(f"{language:<4}{strategy:<18}" + "".join(f"{share:>8.3f}" for share in found) + f"{spent:>8.1f}")


if __name__ == "__main__":
    main()
