"""Generated webs, replay, and the published experiments."""
