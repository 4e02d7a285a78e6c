"""What made a priority: the log odds that each class of features brings."""

from __future__ import annotations

from phasa.crawl.strategies.hybrid.candidates import WIDTH, Candidates, Feature
from phasa.crawl.strategies.online.model import OnlineModel
from phasa.crawl.strategies.online.names import PIECES
from phasa.crawl.strategy import Reason

_CLASSES: dict[str, tuple[Feature, ...]] = {
    "what is expected of any link": (Feature.BIAS,),
    "the pages that link to it": (
        *(Feature.WANTED_PARENT, Feature.PARENT_SIMILARITY, Feature.WANTED_PARENTS, Feature.WANTED_SHARE),
        *(Feature.DISTANCE, Feature.PARENTS, Feature.PATH, Feature.INSIDE, Feature.INSIDE_WANTED),
    ),
    "how other links of these pages turned out": (Feature.SIBLINGS,),
    "the words of the link": (Feature.ANCHOR_YES, Feature.ANCHOR_NO),
    "the language that the link says it has (hreflang)": (Feature.HINT,),
    "the language that the address says it has": (Feature.ADDRESS,),
    "the pages of its server, site and domain so far": (
        *(Feature.DOMAIN, Feature.SITE, Feature.SERVER, Feature.SERVER_JUDGED),
    ),
    "the pages of its directory so far": (Feature.DIRECTORY,),
    "the country of its server": (Feature.COUNTRY,),
    "that it is a seed": (Feature.SEED,),
    "the knowledge base": (Feature.KNOWLEDGE,),
}


def reasons(table: Candidates, model: OnlineModel, row: int) -> list[Reason]:
    """What each class of features adds to the log odds of a row, the most telling first; what says nothing is left
    out."""
    cells, weights = table.cells[row * WIDTH : (row + 1) * WIDTH], model.weights.tolist()
    found = [Reason(name, sum(cells[cell] * weights[cell] for cell in group)) for name, group in _CLASSES.items()]
    pieces = table.pieces[row * PIECES : (row + 1) * PIECES]
    found.append(Reason("the pieces of its name", float(model.piece_weights.take(pieces).sum())))
    return sorted((one for one in found if abs(one.worth) >= 0.005), key=lambda one: -abs(one.worth))
