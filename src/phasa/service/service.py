"""What every page of the application works on: the collection, and what the application itself keeps."""

from __future__ import annotations

import secrets
from pathlib import Path

from phasa.collection import Collection
from phasa.language.profile import Profile, load_profile
from phasa.service.jobs import Jobs


class Service:
    """One application over one collection. `csrf` is a secret of this process that its forms carry."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.csrf = secrets.token_urlsafe(24)
        self.profile: Profile = load_profile(collection.settings.language)
        self.jobs = Jobs(self.folder / "jobs")

    @property
    def folder(self) -> Path:
        """Where the application keeps its own files, inside the collection; may be deleted at any time."""
        return self.collection.path / "service"

    @property
    def name(self) -> str:
        return self.collection.path.resolve().name

    def start(self) -> None:
        """Begin what goes on in the background."""

    def close(self) -> None:
        self.jobs.close()
