"""Faults happen at the places of `tests/stage/place_fixtures.py`."""

from tests.stage.place_fixtures import home, place, server, stage, stored, template

__all__ = ["home", "place", "server", "stage", "stored", "template"]
