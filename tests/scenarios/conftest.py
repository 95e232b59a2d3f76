"""Stories are told with the fixtures of `fixtures.py`."""

from tests.scenarios.fixtures import bare_repo, cast, stage, template

__all__ = ["bare_repo", "cast", "stage", "template"]
