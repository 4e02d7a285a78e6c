"""Webs with topical segments: sites one section of which is about Thailand (specs/segment-focused-crawling.md)."""
