"""Tests mirror src/phasa; shared parts are imported as `tests.…`."""
