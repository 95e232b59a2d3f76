"""One world with a scripted repository, for pages that say what the program does."""

from tests.app.conftest import desk

__all__ = ["desk"]
