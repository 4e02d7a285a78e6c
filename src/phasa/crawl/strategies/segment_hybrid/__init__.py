"""The strategy segment-hybrid: the segment predictor as a start, everything else learned while crawling."""

from phasa.crawl.strategies.segment_hybrid.strategy import SegmentHybrid

__all__ = ["SegmentHybrid"]
