"""Experiments of specs/feed-retrieval-scheduling.md."""
