"""Races happen at the places of `fixtures.py`."""

from tests.faults.fixtures import cast, home, place, server, stage, template

__all__ = ["cast", "home", "place", "server", "stage", "template"]
