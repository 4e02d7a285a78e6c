"""Topics: is a page in the language of the collection also about the subject? (segment-focused-crawling §4.2, §4.3)."""
