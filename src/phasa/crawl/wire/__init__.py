"""The crawl in cycles of the Persian specification: manager, harvester, gatherer and seeder around one store."""
