"""Archives to clean, deduplicated, documented text of one language."""
