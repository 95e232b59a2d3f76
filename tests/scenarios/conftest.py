"""Stories are told with those of `tests/stage`, attacks on checks and merges with those of `attack_gate.py`.

Everything here is played by real processes, seconds a case.
"""

from tests.scenarios.attack_gate import gate, guarded
from tests.stage.command_fixtures import bare_repo, stage, template
from tests.stage.kept_team import own_team, team

__all__ = ["bare_repo", "gate", "guarded", "own_team", "stage", "team", "template"]
