"""hybrid: our own strategy, and the default. It learns during the crawl which links lead to the language."""

from phasa.crawl.strategies.hybrid.strategy import Hybrid

__all__ = ["Hybrid"]
