"""Faults happen at the places of `fixtures.py`."""

from tests.faults.fixtures import home, place, server, template

__all__ = ["home", "place", "server", "template"]
