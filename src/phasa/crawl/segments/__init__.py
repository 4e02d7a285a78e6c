"""Website segments: what they are, what links to them say, which one to crawl next (segment-focused-crawling)."""
