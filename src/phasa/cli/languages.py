"""`phasa languages`: what phasa knows of languages, and how its model is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phasa.cli.group import group_with_default
from phasa.cli.inputs import write_text
from phasa.extras import needs_extra

if TYPE_CHECKING:
    from phasa.language.profile import Profile

app = typer.Typer(cls=group_with_default("list"), epilog="Example:  phasa languages   ·   phasa languages fa --json")


@app.command("list", epilog="Example:  phasa languages   ·   phasa languages fa --json")
def list_languages(
    codes: Annotated[list[str] | None, typer.Argument(help="Codes or your own profile files; all when none.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also the languages that the general model knows but that have no profile.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The whole profiles as JSON.")] = False,
) -> None:
    """List the languages that have a profile: scripts, charsets, top-level domains, threshold, engine.

    After them stand the licences of the language model, the word models and the lists that come with phasa.
    """
    import msgspec

    from phasa.language.profile import known_languages, load_profile

    profiles = [load_profile(code) for code in codes or known_languages()]
    if as_json:
        write_text(msgspec.json.format(msgspec.json.encode(profiles), indent=2).decode() + "\n")
        return
    for profile in profiles:
        domains = " ".join(f".{tld}" for tld in profile.tlds[:4])
        print(
            f"{profile.code:5} {profile.name:18} {'/'.join(profile.scripts):6} {profile.direction} "
            f"Z={profile.threshold:<5} {profile.segmenter:7} {' '.join(profile.charsets):38} {domains}".rstrip()
        )
    if everything:
        from phasa.language.detectors.auto import Auto

        with_profile = {profile.code for profile in profiles}
        print("without a profile:", " ".join(sorted(Auto().codes - with_profile)))
    print()
    for terms, names in _licences(profiles).items():
        print(f"licence {terms}: {', '.join(names)}")


def _licences(profiles: list[Profile]) -> dict[str, list[str]]:
    """The shipped files that serve these languages, by the terms under which they may be used."""
    from importlib.resources import files

    from phasa.licences import by_terms

    folder = Path(str(files("phasa.language") / "data"))

    patterns = ["model.npz"]
    for profile in profiles:
        patterns += [f"model-{profile.code}*.zst", f"frequencies-{profile.code}.zst", f"packed-*-{profile.code}.zst"]
        patterns += [f"words-{profile.dictionary}.txt.zst", f"stop-{profile.stop_words}.txt"]
    found = dict.fromkeys(file for pattern in patterns for file in sorted(folder.glob(pattern)))
    return {terms: [file.name for file in same] for terms, same in by_terms(found).items()}


@app.command(epilog="Example:  phasa languages train ../shared/data --check   ·   nice, some ten minutes")
def train(
    data: Annotated[Path, typer.Argument(help="The folder with the lid-* sets.", exists=True, file_okay=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="The folder to write to.")] = Path("trained"),
    seed: Annotated[int, typer.Option(help="Same data and seed, same model.")] = 1,
    check: Annotated[
        bool, typer.Option("--check", help="Learn from four fifths only and measure on the rest.")
    ] = False,
) -> None:
    """Make the detectors' data anew from labelled sets (needs scipy; wordfreq and django add text when installed)."""
    from phasa.language.linear import write_model

    with needs_extra("train", "Training"):
        from phasa.language.training.build import build_model, read_lines
        from phasa.language.training.check import accuracy_table
        from phasa.language.training.resources import write_resources

    def tell(message: str) -> None:
        typer.echo(message, err=True)

    output.mkdir(parents=True, exist_ok=True)
    lines = read_lines(data, seed=seed, check=check)
    for step in write_resources(lines, output).steps:
        tell(f"Persian stop words, {step.name}: {step.words}")
    write_model(build_model(lines, seed=seed, tell=tell), output / "model.npz")
    if check:
        for row in accuracy_table(output / "model.npz", data):
            print(row)
