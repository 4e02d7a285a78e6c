"""Bytes kept for good: WARC, CDXJ, WACZ, repository and text exports, duplicates."""
