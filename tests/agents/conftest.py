"""Real agent programs are started by `make test-agents` and `make test-agents-quick` only: they come from npm."""

from tests.stage.asked_for import OnlyByTarget
from tests.stage.command_fixtures import stage, template

__all__ = ["stage", "template"]
target = OnlyByTarget("FOUREYES_AGENTS")
collect_ignore_glob = target.ignored
pytest_collect_file, pytest_terminal_summary = target.collect, target.summary
