"""A real web: the documentation that Debian packages, under the hosts where it stands. `python bench/debian_web.py`."""
