"""Real agent programs are started by `make test-sandboxes` only: they come from npm, and take their time."""

import os

from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
collect_ignore_glob = [] if os.environ.get("FOUREYES_SANDBOXES") else ["test_*.py"]
