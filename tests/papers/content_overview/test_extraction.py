"""Extraction repeated on generated pages (E1–E5, E15)."""

from __future__ import annotations

from phasa.overview.evaluation import average
from phasa.papers.content_overview.extraction import (
    DAILYNEWS,
    KHAOSOD,
    SANOOK,
    extract,
    extraction_part,
    lengths,
    with_ecm,
)
from phasa.papers.content_overview.pages import TOOLS, Site, write_site
from phasa.papers.options import Options


def test_a_site_is_written_the_same_each_time_and_differs_by_seed() -> None:
    assert write_site(KHAOSOD, 1, 2) == write_site(KHAOSOD, 1, 2)
    assert write_site(KHAOSOD, 1, 1) != write_site(KHAOSOD, 2, 1)


def test_gold_stands_on_its_page_and_tools_do_not_belong_to_it() -> None:
    for page in write_site(Site("x", tools=3, teasers=2, own=2), 1, 3):
        assert all(part in page.html for part in page.gold)
        assert not any(tool in "".join(page.gold) for tool in TOOLS)


def test_a_template_without_noise_is_extracted_exactly() -> None:
    for table in (False, True):
        for page in write_site(Site("clean", in_table=table), 3, 3):
            assert lengths(extract(page), page).scores() == (1.0, 1.0, 1.0)


def test_the_noise_of_a_template_is_constant() -> None:
    assert len({lengths(extract(page), page).noise for page in write_site(KHAOSOD, 4, 4)}) == 1


def test_ecm_cleans_repeated_teasers_but_not_what_one_page_alone_has() -> None:
    for site, clean in ((DAILYNEWS, True), (SANOOK, False)):
        pages = write_site(site, 5, 40)
        single = [extract(page) for page in pages]
        before = average(lengths(found, page).scores() for found, page in zip(single, pages, strict=True))
        after = average(lengths(found, page).scores() for found, page in zip(with_ecm(single), pages, strict=True))
        assert after.precision > before.precision + 0.1
        assert after.recall == before.recall
        assert (after.f > 0.99) is clean


def test_every_claim_about_extraction_holds_and_each_table_has_its_rows() -> None:
    sections, claims = extraction_part(Options(quick=True))
    assert [claim.text for claim in claims if not claim.holds] == []
    assert [section.title.split()[0] for section in sections] == ["E1", "E2", "E3", "E4,", "E15"]
    assert [len(section.tables[0].rows) for section in sections[:4]] == [7, 3, 12, 6]
