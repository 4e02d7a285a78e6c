"""Experiments of specs/persian-crawling.md."""
