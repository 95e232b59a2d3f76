"""An intent on record (Q4, Q6): as long as nobody knows whether a merge arrived, nothing ends its approval."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType

import pytest

from foureyes.adapters.store.projections import projection
from foureyes.app.context import ENDS_APPROVAL
from foureyes.core.events import WHERE
from foureyes.errors import StoreProblem
from foureyes.ui.steps import steps_text

from tests.stage.clones import Clones
from tests.stage.gated import approved, merge
from tests.stage.people import ALICE, CODEX


def test_everything_that_ends_an_approval_waits_until_a_push_is_known_about_Q4_Q6() -> None:
    closes = {"TaskClosed", "TaskCancelled", "TaskDeleted"}  # the task leaves with its approvals as they are
    assert {kind for kind in WHERE if _ends_approvals(projection(kind))} | closes == ENDS_APPROVAL


def _ends_approvals(apply: Callable[..., None]) -> bool:
    """Whether a projection ends approvals, itself or by a step that it takes."""
    code = apply.__code__
    if any("attempt.end_approval" in str(constant) for constant in code.co_consts):
        return True
    steps = (apply.__globals__.get(name) for name in code.co_names)
    return any(_ends_approvals(step) for step in steps if isinstance(step, FunctionType) and step is not apply)


@pytest.mark.parametrize(
    "value",
    ["", "garbage", "a" * 40, f"{'a' * 40} one origin", f"{'a' * 40} 1", f"{'a' * 40} 1 ", "aa 1 origin", "a b c"],
)
def test_an_intent_that_somebody_wrote_into_the_tables_is_named_and_nothing_goes_on_J2_Q4(
    clones: Clones, value: str
) -> None:
    alpha = clones.alpha
    task = approved(alpha, by=CODEX)
    name = f"merge:sent:{task}"
    row = {"name": name, "value": value, "session": "ses-alice", "at": "2026-03-01T12:00:00.000Z"}
    alpha.store.engine.run("project.set_setting", {**row})
    verbs: list[Callable[[], object]] = [
        lambda: merge(alpha),
        lambda: alpha.app.decisions.withdraw(CODEX, task),
        lambda: alpha.app.feedback.redo(ALICE, task, "once more"),
    ]
    for verb in verbs:
        with pytest.raises(StoreProblem) as said:
            verb()
        assert f"what is on record of the push of {task}" in said.value.message
        assert steps_text(said.value.next_step) == "fe audit verify"
    assert any(name in each.message for each in alpha.app.audit.verify().findings)
    assert f"the push of {task}" in str([each.message for each in alpha.app.doctor.examine(ALICE)])
    assert alpha.app.status.show(ALICE).counts["approved"] == 1
    alpha.store.engine.run("project.unset_setting", {"name": name})
    assert merge(alpha) == {task: "merged"}
