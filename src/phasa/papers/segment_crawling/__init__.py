"""Experiments of specs/segment-focused-crawling.md."""
