"""A collection being crawled: its parts put together, one process or several, control, status and reports."""
