"""The command line is tried with the fixtures of `tests/stage/command_fixtures.py`."""

from tests.stage.command_fixtures import bare_repo, stage, template

__all__ = ["bare_repo", "stage", "template"]
