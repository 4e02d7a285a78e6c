"""Experiments of specs/language-specific-crawling.md."""
