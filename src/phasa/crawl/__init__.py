"""The crawl loop, its judges, its knowledge base and its strategies."""
