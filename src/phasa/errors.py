"""The one small hierarchy of errors that phasa raises on purpose.

A message names the thing, what was wrong with it, and what to do. The command line prints it as one line.
"""


class PhasaError(Exception):
    """Something the user can understand and mend."""


class InputError(PhasaError):
    """A file, text or argument that cannot be used as it is."""


class SettingsError(PhasaError):
    """A collection.toml or language profile that does not say something valid."""


class CollectionError(PhasaError):
    """A collection on disk that is missing, locked or damaged."""
