"""Experiments of specs/content-overview.md."""
