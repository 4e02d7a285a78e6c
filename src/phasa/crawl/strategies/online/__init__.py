"""Learning while crawling: what the strategies hybrid and segment-hybrid share."""
