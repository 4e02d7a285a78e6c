"""How good a model is on lines that were kept back from it, by set, language and length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from phasa.language.detectors.auto import Auto
from phasa.language.linear import read_model
from phasa.language.profile import known_languages
from phasa.language.training.build import kept_back
from phasa.language.training.corpus import SETS, main_script, read_set

LENGTHS = (None, 40, 20)
_SHORTEST = 20


def accuracy_table(model: Path, data: Path) -> Iterator[str]:
    """Lines `set language length F1 precision recall lines`, and the share of other Arabic-script lines called Persian.

    Gold labels are those of the sets as they are, wrong ones included; the model must not have seen the lines.
    """
    auto = Auto(read_model(model, str(model)))
    shown = known_languages()
    for source in SETS:
        if source in ("pairs", "words"):
            continue
        lines = [line for line in read_set(data, source) if kept_back(line) and len(line.text) >= _SHORTEST]
        gold = [auto.model.code_of(line.label) for line in lines]
        for length in LENGTHS:
            answers = [verdict.language for verdict in auto.detect_many([line.text[:length] for line in lines])]
            name = f"{source}\t{'whole' if length is None else length}"
            pairs = list(zip(gold, answers, strict=True))
            yield f"{name}\tall\taccuracy {sum(g == a for g, a in pairs) / len(pairs):.4f}\t{len(pairs)} lines"
            for language in shown:
                right = sum(g == language for g, _ in pairs)
                made = sum(a == language for _, a in pairs)
                hits = sum(g == a == language for g, a in pairs)
                if right:
                    yield (
                        f"{name}\t{language}\tF1 {2 * hits / (right + made):.4f}\tprecision {hits / max(made, 1):.4f}"
                        f"\trecall {hits / right:.4f}\t{right} lines"
                    )
            arabic = [
                a for line, (g, a) in zip(lines, pairs, strict=True) if g != "fa" and main_script(line.text) == "Arab"
            ]
            if arabic:
                leaked = sum(a == "fa" for a in arabic) / len(arabic)
                yield f"{name}\tother Arabic-script lines called Persian\t{leaked:.4f}\t{len(arabic)} lines"
