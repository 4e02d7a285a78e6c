"""E0–E5 of specs/persian-crawling.md §6 on generated worlds, each published table next to ours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phasa.crawl.wire.counters import Cycle
from phasa.lab.chance import generator
from phasa.lab.chart import Chart, Series
from phasa.lab.curves import interval
from phasa.lab.result import Cell, Claim, Result, Section, Table
from phasa.lab.seeds import seeds_of
from phasa.lab.world import World
from phasa.papers.options import Options
from phasa.papers.persian_crawling import published
from phasa.papers.persian_crawling.calibration import calibrate
from phasa.papers.persian_crawling.crawls import ACCEPTED, CycledCrawl, Indicator, Readings, crawl_cycles
from phasa.strategy_settings import CycleSettings, ScoreWeights
from phasa.web.url import authority, tld_of

WEIGHTS = (0, 1, 3, 6, 12, 25, 50, 100, 250, 500, 1000)
Runs = dict[tuple[str, int, Indicator], list[CycledCrawl]]


def run(options: Options) -> Result:
    """E0–E5 on the worlds of all seeds."""
    chosen = options.chosen(list(EXPERIMENTS))
    bench = _Bench(options)
    sections, claims = [], []
    for what in chosen:
        experiment = EXPERIMENTS[what]
        options.progress(what)
        section, more = experiment(bench)
        sections.append(section)
        claims += more
    return Result(
        "persian",
        "A language crawler for Persian: E0–E5",
        f"Worlds {', '.join(bench.names)} (seed:pages) of the recipe fa-note, which lie {options.lies:g} times as "
        f"often as the real web, crawled in cycles of {bench.settings.batch} pages by the manager and loop of `phasa "
        "crawl --cycles`. Pages are marked by the Persian cascade on their HTML (one stop word is enough, the literal "
        "reading). No knowledge base. The note's crawls were live in February 2009, one run each; here every run is "
        "repeated on each world. Readings: §8 items 2 (WLRank), 3 (the parent's flag), 4 (0), 5 (250), 10 (0 and 500), "
        "12 (.es).",
        [*sections, _calibration(bench)],
        claims,
        {"persian-cycles.csv": bench.csv()} | ({"persian-audit.csv": bench.sheet} if bench.sheet else {}),
    )


class _Bench:
    """The worlds, and every run on them that was made so far."""

    def __init__(self, options: Options) -> None:
        pages = 6000 if options.quick else options.pages
        seeds = options.seeds[:2] if options.quick else options.seeds
        self.names = [f"{seed}:{pages}" for seed in seeds]
        self.worlds = [World.from_name(name, "fa-note", lies=options.lies) for name in self.names]
        self.readings = [Readings(world) for world in self.worlds]
        self.sheet = ""
        """The audit sheet of E0."""
        # 16 cycles parsed about 28,000 pages of a web without end; here they may take a quarter of the world.
        self.settings = CycleSettings(batch=max(20, round(1800 * pages / 115_000)), domains=ACCEPTED)
        self._runs: Runs = {}
        self._lengths: dict[tuple[str, int, Indicator], int] = {}

    def run(self, seeds: str, weight: int, cycles: int, indicator: Indicator = Indicator.COMBINED) -> list[CycledCrawl]:
        """The crawls of one setting on all worlds, of at least so many cycles."""
        key = (seeds, weight, indicator)
        known = self._runs.get(key)
        if known is None or self._lengths[key] < cycles:
            self._lengths[key] = cycles
            known = self._runs[key] = [self._one(one, seeds, weight, cycles, indicator) for one in self.readings]
        return known

    def _one(self, readings: Readings, seeds: str, weight: int, cycles: int, indicator: Indicator) -> CycledCrawl:
        weights, world = ScoreWeights(persian=weight), readings.world
        chance = world.seed % 2**31
        planted = seeds_of(world, seeds)
        return crawl_cycles(readings, planted, cycles, self.settings, weights, indicator, chance)

    def persian(
        self, seeds: str, weight: int, cycle: int, indicator: Indicator = Indicator.COMBINED
    ) -> NDArray[np.float64]:
        """Persian pages after a cycle, per world."""
        return np.array([_after(run, cycle).persian for run in self.run(seeds, weight, cycle, indicator)], float)

    def ratio(
        self, seeds: str, weight: int, cycle: int, indicator: Indicator = Indicator.COMBINED
    ) -> NDArray[np.float64]:
        """Persian among parsed pages after a cycle, per world."""
        return np.array([_after(run, cycle).ratio for run in self.run(seeds, weight, cycle, indicator)], float)

    def curve(self, seeds: str, weight: int, cycles: int, of: str, indicator: Indicator = Indicator.COMBINED) -> Series:
        """A figure over the cycles, mean and interval over the worlds."""
        runs = self.run(seeds, weight, cycles, indicator)
        table = np.array([[float(getattr(_after(run, mark), of)) for mark in range(1, cycles + 1)] for run in runs])
        marks = list(range(1, cycles + 1))
        return Series(f"weight {weight}", marks, table.mean(axis=0).tolist(), interval(table).tolist())

    def csv(self) -> str:
        """One row per world, setting and cycle."""
        lines = [
            "world,seeds,weight,indicator,cycle,processed,parsed,persian,ratio,duplicates,static,dynamic,outside_ir"
        ]
        for (seeds, weight, indicator), runs in self._runs.items():
            for name, crawl in zip(self.names, runs, strict=True):
                lines += [
                    f"{name},{seeds},{weight},{indicator.value},{row.number},{row.processed},{row.parsed},{row.persian},"
                    f"{row.ratio:.6f},{row.duplicates},{row.static},{row.dynamic},{row.outside:.6f}"
                    for row in crawl.cycles
                ]
        return "\n".join(lines) + "\n"


def _audit(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E0: 100 links that the detector marked Persian, drawn by chance, beside the truth of the world; Table 5."""
    world, readings = bench.worlds[0], bench.readings[0]
    crawl = bench.run("set1", 250, 16)[0]
    last = crawl.cycles[min(16, len(crawl.cycles)) - 1]
    chosen = generator(world.seed, "audit").permutation(crawl.persian)[:100]
    truth = world.graph.wanted[chosen]
    bench.sheet = _sheet(readings, chosen, truth)
    tlds = [tld_of(authority(world.url(int(page)))) for page in chosen]
    split = {name: tlds.count(name) / max(1, len(tlds)) for name in ("ir", "com")}
    table = published.TABLE_5
    rows: list[list[Cell]] = [
        ["precision of the audit", 1.0, float(truth.mean())],
        ["under .ir", 0.50, split["ir"]],
        ["under .com", 0.48, split["com"]],
        ["Persian pages outside .ir, all of them", None, last.outside],
        ["unique / parsed", table["unique"] / table["processed"], 1 - last.duplicates / max(1, last.parsed)],
        ["duplicate / parsed", table["duplicate"] / table["processed"], last.duplicates / max(1, last.parsed)],
        ["static / parsed", table["static"] / table["processed"], last.static / max(1, last.parsed)],
        ["dynamic / parsed", table["dynamic"] / table["processed"], last.dynamic / max(1, last.parsed)],
        ["parsed / processed", table["parsed"] / table["processed"], last.parsed / max(1, last.processed)],
        ["Persian / parsed", table["persian"] / table["parsed"], last.ratio],
        ["Persian by the tag (stage 1)", None, last.tagged / max(1, last.persian)],
    ]  # fmt: skip
    claims = [
        Claim("E0 §6.2", "audit precision near 1", float(truth.mean()) >= 0.99, f"{int(truth.sum())} of {len(chosen)}"),
        Claim(
            "E0 §6.2", "about half of the Persian pages lie outside .ir", split["ir"] < 0.75, f".ir {split['ir']:.2f}"
        ),
    ]
    return Section(
        "E0 — audit and Table 5",
        "100 links marked Persian in the crawl from set 1 at weight 250, drawn by chance; the sheet "
        "(persian-audit.csv) has their addresses, what the detector saw and what the page was written as. Copies are "
        "counted by the text of the pages, static and dynamic by their addresses; the note counts them among the "
        "processed.",
        [Table("Published beside ours", ["", "published", "here"], rows), _thresholds(readings, crawl)],
    ), claims


def _thresholds(readings: Readings, crawl: CycledCrawl) -> Table:
    """What the detector would have found on the parsed pages with other numbers of stop words."""
    truth = readings.world.graph.wanted[crawl.parsed]
    rows: list[list[Cell]] = []
    for least in (1, 2, 3, 5, 10):
        marks = np.array([(one := readings.of(int(page))).tagged or one.content.hits >= least for page in crawl.parsed])
        right = int((marks & truth).sum())
        rows.append([least, int(marks.sum()), right / max(1, int(marks.sum())), right / max(1, int(truth.sum()))])
    return Table(
        "The parsed pages again, by langid.min_stopword_hits",
        ["stop words", "marked", "precision", "recall"],
        rows,
        "The note prints no number; 1 is its literal reading.",
    )


def _after(crawl: CycledCrawl, cycle: int) -> Cycle:
    """The figures after a cycle; the last ones when nothing was left before."""
    return crawl.cycles[min(cycle, len(crawl.cycles)) - 1]


def _sheet(readings: Readings, chosen: NDArray[np.int64], truth: NDArray[np.bool_]) -> str:
    """The audit sheet: one line per page, to be looked at by a person."""
    lines = ["url,tld,stage,stop_words,written_in,right,begins"]
    world = readings.world
    for page, right in zip(chosen.tolist(), truth.tolist(), strict=True):
        reading, url = readings.of(page), world.url(page)
        finding = reading.finding(Indicator.COMBINED)
        language = world.graph.languages[int(world.graph.language[page])]
        words = reading.beginning.replace(",", " ").replace('"', " ")
        lines.append(f"{url},{tld_of(authority(url))},{finding.stage},{finding.hits},{language},{int(right)},{words}")
    return "\n".join(lines) + "\n"


def _weights_table(bench: _Bench, seeds: str, cycles: int, printed: Sequence[tuple[int, int | None, int]]) -> Table:
    rows: list[list[Cell]] = []
    for weight, parsed, persian in printed:
        runs = bench.run(seeds, weight, cycles)
        mine_parsed = float(np.mean([_after(run, cycles).parsed for run in runs]))
        mine = bench.persian(seeds, weight, cycles)
        rows.append([f"{weight}", parsed, persian, None if parsed is None else persian / parsed, round(mine_parsed),
                     round(float(mine.mean())), float(bench.ratio(seeds, weight, cycles).mean()),
                     round(_half(mine), 1)])  # fmt: skip
    header = ["weight", "parsed publ.", "Persian publ.", "ratio publ.", "parsed", "Persian", "ratio", "± 95 % Persian"]
    return Table(f"After {cycles} cycles, published beside ours", header, rows)


def _set_one(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E1: seeds in five languages; the weight helps and saturates."""
    shown = (0, 250, 500, 1000)
    means = []
    for weight in WEIGHTS:
        runs = bench.run("set1", weight, 16)
        means.append(float(np.mean([[_after(run, mark).ratio for mark in range(1, 17)] for run in runs])))
    sweep = Chart(
        "Mean ratio by weight (Fig. 3)", "Persian weight", "mean ratio", [Series("mean ratio", WEIGHTS, means)]
    )
    charts = [
        Chart(
            "Persian pages (Fig. 1)", "cycle", "pages", [bench.curve("set1", weight, 16, "persian") for weight in shown]
        ),
        Chart(
            "Persian / parsed (Fig. 2)",
            "cycle",
            "ratio",
            [bench.curve("set1", weight, 16, "ratio") for weight in shown],
        ),
        sweep,
    ]
    claims = [
        _more("E1 §6.3", "Persian pages rise with the weight: 250 > 0", bench, "set1", 250, 0, 16),
        _more("E1 §6.3", "Persian pages rise with the weight: 500 > 250", bench, "set1", 500, 250, 16),
        *_flat("E1 §6.3", means),
    ]
    rows: list[list[Cell]] = [[f"{weight}", mean] for weight, mean in zip(WEIGHTS, means, strict=True)]
    tables = [_weights_table(bench, "set1", 16, published.TABLE_2),
              Table("Mean coverage per weight", ["weight", "mean ratio over 16 cycles"], rows)]  # fmt: skip
    return Section(
        "E1 — seed set 1",
        "Set 1: 150 home pages in each of Japanese, German, Spanish, English and Persian. With normalised scores all "
        "other terms add up to 100, so weights above 100 dominate them (§4.5).",
        tables,
        charts,
    ), claims


def _half(values: NDArray[np.float64]) -> float:
    """Half the width of the 95 % interval of a mean."""
    return float(interval(values[:, None])[0])


def _more(source: str, text: str, bench: _Bench, seeds: str, first: int, second: int, cycle: int) -> Claim:
    gaps = bench.persian(seeds, first, cycle) - bench.persian(seeds, second, cycle)
    half = _half(gaps)
    mine, theirs = bench.persian(seeds, first, cycle).mean(), bench.persian(seeds, second, cycle).mean()
    return Claim(
        source,
        text,
        bool(gaps.mean() > 0),
        f"{mine:,.0f} against {theirs:,.0f}; difference {gaps.mean():+,.0f} ± {half:,.0f}",
    )


def _flat(source: str, means: Sequence[float]) -> list[Claim]:
    """Saturation: nothing more above 500, and below the weight from which it is flat less is found."""
    high = means[WEIGHTS.index(1000)] / max(1e-9, means[WEIGHTS.index(500)]) - 1
    first = next(weight for weight, mean in zip(WEIGHTS, means, strict=True) if mean >= 0.98 * means[-1])
    rise = [means[place] <= means[place + 1] * 1.02 for place in range(WEIGHTS.index(first))]
    return [
        Claim(
            source,
            "no notable effect from 500 upward",
            abs(high) < 0.03,
            f"1000 against 500: {high:+.1%}; flat from weight {first} on",
        ),
        Claim(
            source,
            "up to the saturation weight more weight finds more",
            first > 0 and all(rise),
            ", ".join(f"{weight}: {mean:.3f}" for weight, mean in zip(WEIGHTS, means, strict=True)),
        ),
    ]


def _set_two(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E2: seeds from directories of the language."""
    cycle = 5
    two, one = bench.ratio("set2", 500, cycle), bench.ratio("set1", 500, cycle)
    gaps = two - one
    claims = [
        Claim("E2 §6.4", "seeds matter: ratio of set 2 far above set 1 at cycle 5, weight 500 (0.6 against 0.2)",
              bool(two.mean() > 1.5 * one.mean()),
              f"{two.mean():.3f} against {one.mean():.3f}; difference {gaps.mean():+.3f} ± {_half(gaps):.3f}"),
        _more("E2 §6.4", "Persian pages rise with the weight: 500 > 0", bench, "set2", 500, 0, 6),
    ]  # fmt: skip
    charts = [Chart("Persian / parsed (Fig. 4)", "cycle", "ratio",
                    [bench.curve("set2", weight, 6, "ratio") for weight in (0, 250, 500)], 1.0)]  # fmt: skip
    return Section(
        "E2 — seed set 2",
        "Home pages in Persian only.",
        [_weights_table(bench, "set2", 6, published.TABLE_3)],
        charts,
    ), claims


def _set_three(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E3: fewer seeds, Persian ones on sites with many links out, and English ones."""
    claims = [_more("E3 §6.5", "Persian pages: 500 > 0", bench, "set3", 500, 0, 16)]
    for cycle, what, sign in ((1, "set 3 starts slower than set 1", -1), (16, "and ends above it", 1)):
        gaps = bench.persian("set3", 500, cycle) - bench.persian("set1", 500, cycle)
        half = _half(gaps)
        claims.append(
            Claim(
                "E3 §6.5",
                f"{what} (cycle {cycle}, weight 500)",
                bool(sign * gaps.mean() > 0),
                f"difference {gaps.mean():+,.0f} ± {half:,.0f} pages",
            )
        )
    charts = [
        Chart(
            "Persian pages (Fig. 5)",
            "cycle",
            "pages",
            [bench.curve("set3", weight, 16, "persian") for weight in (0, 500)],
        )
    ]
    return Section(
        "E3 — seed set 3",
        "60 home pages, half Persian, half English.",
        [_weights_table(bench, "set3", 16, published.TABLE_4)],
        charts,
    ), claims


def _speed(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E4: cycles that the unweighted crawler needs for what the weighted one has after 16."""
    rows: list[list[Cell]] = []
    ratios = []
    for seeds in ("set1", "set2", "set3"):
        goals = bench.persian(seeds, 500, 16)
        slow = bench.run(seeds, 0, 48)
        needed = [
            next((row.number for row in run.cycles if row.persian >= goal), 49)
            for run, goal in zip(slow, goals, strict=True)
        ]
        speed = np.array(needed) / 16
        ratios.append(speed)
        rows.append(
            [
                seeds,
                round(float(goals.mean())),
                float(np.mean(needed)),
                float(speed.mean()),
                _half(speed),
            ]
        )
    first = ratios[0]
    claim = Claim("E4 §6.6", "at least twice as fast as the plain crawler (set 1)", bool(first.mean() >= 2),
                  f"{first.mean():.2f} ± {_half(first):.2f} times")  # fmt: skip
    table = Table(
        "Cycles of the plain crawler for what weight 500 has after 16",
        ["seeds", "Persian pages", "cycles", "speed-up", "± 95 %"],
        rows,
        "A run that does not get there in 48 cycles counts as 49.",
    )
    return Section(
        "E4 — speed", "The note gives no readable figure for the plain crawler, only 'at least twice'.", [table]
    ), [claim]


def _indicators(bench: _Bench) -> tuple[Section, list[Claim]]:
    """E5: language tag only, content only, both; at weight 0 (pure recall) and 500 (with feedback)."""
    rows: list[list[Cell]] = []
    claims: list[Claim] = []
    charts = []
    for weight in (0, 500):
        last = {mode: bench.persian("set2", weight, 25, mode) for mode in Indicator}
        for mode in Indicator:
            ratio = bench.ratio("set2", weight, 25, mode)
            rows.append(
                [
                    f"{weight}",
                    mode.value,
                    round(float(last[mode].mean())),
                    float(ratio.mean()),
                    _half(ratio),
                ]
            )
        order = last[Indicator.META] < last[Indicator.CONTENT], last[Indicator.CONTENT] < last[Indicator.COMBINED]
        claims.append(Claim("E5 §6.7", f"meta < content < combined at weight {weight}", bool(np.all(order)),
                            ", ".join(f"{mode.value} {last[mode].mean():,.0f}" for mode in Indicator)))  # fmt: skip
        lines = [bench.curve("set2", weight, 25, "persian", mode) for mode in Indicator]
        named = [Series(mode.value, line.x, line.y, line.around) for mode, line in zip(Indicator, lines, strict=True)]
        charts.append(Chart(f"Persian pages by indicator, weight {weight} (Fig. 6)", "cycle", "pages", named))
    table = Table("After 25 cycles", ["weight", "indicator", "Persian pages", "ratio", "± 95 %"], rows)
    return Section(
        "E5 — indicators",
        "Pages that the detector marks, when it looks at the language tag, at the content, at both.",
        [table],
        charts,
    ), claims


def _calibration(bench: _Bench) -> Section:
    rows: list[list[Cell]] = [
        [f"{row.table} {row.what}", row.published, row.here, f"{row.off:+.1%}"] for row in calibrate(bench.worlds[0])
    ]
    return Section("Calibration of the world", "The shares that the note prints, beside those of the first world.",
                   [Table("Published beside ours", ["share", "published", "here", "off by"], rows)])  # fmt: skip


EXPERIMENTS = {
    "E0": _audit,
    "E1": _set_one,
    "E2": _set_two,
    "E3": _set_three,
    "E4": _speed,
    "E5": _indicators,
}
