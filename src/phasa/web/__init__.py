"""Bytes from the web, safely: addresses, robots, guard, fetch, charset, HTML, sitemaps. Knows nothing of crawling."""
