"""The words that webs with topics are written with: themes, places of Thailand and elsewhere, plain English.

Written for phasa. The places of Thailand are terms of the shipped dictionary; those of elsewhere are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from phasa.crawl.segments.dictionary import load_dictionary
from phasa.lab.chance import generator
from phasa.lab.vocabulary import vocabulary
from phasa.language.stopwords import stop_words_for

_THAI = """
thailand thai bangkok phuket pattaya samui krabi phangan phi-phi chiang-mai chiang-rai hua-hin koh-samui
koh-tao koh-chang koh-lanta koh-phangan ko-samet kanchanaburi ayutthaya sukhothai udon-thani hat-yai patong
kata-beach railay rayong trang ranong satun lampang similan-islands surin-islands phang-nga khao-lak khao-yai
jomtien cha-am bophut chaweng lamai nakhon-ratchasima khon-kaen ubon-ratchathani surat-thani mae-hong-son loei
"""
THAI = _THAI.split()
_ELSEWHERE = """
spain italy france hawaii bali greece mexico florida egypt turkey portugal croatia vietnam malaysia maldives
fiji australia queensland jamaica cuba morocco kenya japan india goa cyprus malta crete ibiza cancun dubai
singapore london paris rome barcelona lisbon prague vienna berlin california texas colorado ontario wales
"""
ELSEWHERE = _ELSEWHERE.split()
# Theme → its words. The first are the commonest.
THEMES: dict[str, str] = {
    "tourism": "hotel beach travel tour island resort guide temple holiday trip ferry market night sunset attraction "
    "backpacker hostel massage itinerary sightseeing waterfall visa airport taxi excursion trekking elephant palace",
    "diving": "diving dive scuba reef snorkeling padi liveaboard coral divers underwater boat visibility instructor "
    "wreck shark fins mask tank snorkel freediving depth marine certification beach island resort tour",
    "estate": "property villa condo apartment house rent sale land estate agent bedroom investment freehold lease "
    "developer mortgage buyer listing penthouse title deed square ownership broker landlord furnished residence",
    "food": "recipe curry noodle restaurant soup rice spicy chili coconut basil dish street cooking sauce lemongrass "
    "papaya salad grill seafood kitchen chef menu taste garlic fish lime market dessert",
    "motor": "car engine gearbox brake truck tyre dealer diesel repair vehicle mileage hybrid motor garage clutch",
    "software": "software download windows driver update server install code database browser version file network",
    "finance": "loan bank stock credit insurance fund rate debt account trading dollar tax pension broker dividend",
    "health": "doctor clinic vitamin disease therapy patient symptom diet medicine nurse pain skin sleep surgery",
    "music": "band guitar album lyrics concert song drummer vocal record tour singer festival piano remix tickets",
    "sport": "football match league goal player team coach season score stadium transfer fans club tennis cup",
    "garden": "garden plant seed soil rose lawn compost shrub pruning greenhouse bulb bloom weed tree herb",
    "company": "company contact about office staff terms privacy services client team form address support career",
    "news": "news police government minister court protest election economy report crime export parliament",
}
_PARTS = """
bel mon ter vil san cor del mar gra nol ber lin ster dam ham ton wick ford bury rio val par bra cas tel lom bor den gar
pol ska vik lund berg hau sen nor fal mou tre ver dun ross kil dare lan ark mil wau kee ohi tex cal gou sac ram ento
"""
_SYLLABLES = _PARTS.split()
_PLACE_SKEW = 4.0
PLAIN_WORDS = 500
VAGUE = ("click here", "more", "read more", "next page", "details", "website", "homepage", "see also", "info", "links",
         "our partner", "recommended site", "visit", "back", "continue")  # fmt: skip
FOREIGN = ("de", "fr", "th")


@dataclass(frozen=True)
class Lexicon:
    """All words in one list; each part of it is a stretch."""

    words: tuple[str, ...]
    plain: tuple[int, int]
    thai: tuple[int, int]
    elsewhere: tuple[int, int]
    themes: dict[str, tuple[int, int]]
    foreign: dict[str, tuple[int, int]]


def dialect(seed: int, recipe_share: float, places: int = 0) -> dict[str, list[str]]:
    """The words that the links and addresses of one web use: a share of each list, in an order of its own.

    Webs of different seeds overlap in part only: what a model learned on one holds on another as far as they do. Behind
    the well-known places come so many rare `places` of each side; no two webs share many of those.
    """
    lists = {"thai": THAI, "elsewhere": ELSEWHERE, **{name: text.split() for name, text in THEMES.items()}}
    chosen = {}
    for name, words in lists.items():
        order = generator(seed, "topical", "dialect", name).permutation(len(words)).tolist()
        chosen[name] = [words[at] for at in order[: max(3, round(recipe_share * len(words)))]]
    for name, rare in (("thai", rare_thai), ("elsewhere", rare_elsewhere)) if places else ():
        known = rare()
        order = generator(seed, "topical", "rare", name).permutation(len(known))[:places].tolist()
        chosen[name] += [known[at] for at in order]
    return chosen


def pick(words: list[str], chance: float) -> str:
    """One of the words, the first ones oftener; `chance` in [0, 1)."""
    return words[int(chance**1.7 * len(words))]


def pick_place(places: list[str], chance: float) -> str:
    """One of the places: the well-known ones in front about every other time, the rare ones once or twice."""
    return places[int(chance**_PLACE_SKEW * len(places))]


@cache
def rare_thai() -> list[str]:
    """Places of the shipped dictionary that nobody has heard of, as addresses write them."""
    common = {*vocabulary("en").words, *THAI}
    terms = sorted(load_dictionary().terms)
    return [
        term.replace(" ", "-")
        for term in terms
        if term.count(" ") < 2 and not any(len(word) < 4 or word in common for word in term.split())
    ]


@cache
def rare_elsewhere() -> list[str]:
    """As many places that are nowhere in the dictionary, made of syllables."""
    dice = generator(0, "topical", "elsewhere")
    terms, made = load_dictionary().terms, dict[str, None]()
    while len(made) < len(rare_thai()):
        parts = [_SYLLABLES[at] for at in dice.integers(0, len(_SYLLABLES), 3).tolist()]
        name = "".join(parts[: 2 + len(made) % 2])
        if name not in terms:
            made[name] = None
    return list(made)


@cache
def lexicon() -> Lexicon:
    """The words."""
    words: list[str] = []

    def add(some: list[str]) -> tuple[int, int]:
        words.extend(some)
        return len(words) - len(some), len(words)

    used = {word for text in THEMES.values() for word in text.split()} | set(THAI) | set(ELSEWHERE)
    stop = stop_words_for("en")
    english = vocabulary("en").words
    plain = [word for word in english if word.isascii() and word.isalpha() and word not in used]
    # Half of the running words of a text are stop words; the rest says nothing about its subject.
    chosen = [word for word in plain if word in stop][: PLAIN_WORDS // 2]
    chosen += [word for word in plain if word not in stop and len(word) > 3][: PLAIN_WORDS // 2]
    mixed = [
        word for pair in zip(chosen[: PLAIN_WORDS // 2], chosen[PLAIN_WORDS // 2 :], strict=False) for word in pair
    ]
    return Lexicon(
        plain=add(mixed),
        thai=add(THAI),
        elsewhere=add(ELSEWHERE),
        themes={name: add(text.split()) for name, text in THEMES.items()},
        foreign={code: add(list(vocabulary(code).words[:250])) for code in FOREIGN},
        words=tuple(words),  # evaluated last: all parts are in it by now
    )
