"""phasa collects, keeps fresh and reads the web of one language."""

__version__ = "0.1.0"
