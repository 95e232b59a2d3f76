"""Findings as faces show them."""

from __future__ import annotations

from foureyes.app.views.finding import FindingView
from foureyes.core.loop.next_steps import state_in_words
from foureyes.core.nouns.finding import Finding, Location
from foureyes.core.nouns.finding_state import UNRESOLVED


def view_of(finding: Finding, now: str, names: dict[str, str], iteration: int = 0) -> FindingView:
    """A finding for every face. It stands for as many rounds as there were since; a settled one stood until it was last
    flagged.
    """
    last = max(iteration, finding.flagged) if finding.state in UNRESOLVED else finding.flagged
    return FindingView(
        id=finding.id,
        root=finding.root,
        task=finding.task,
        kind=finding.kind,
        severity=finding.severity,
        blocking=finding.blocking,
        state=finding.state,
        title=finding.title,
        location=Location(finding.path, finding.line),
        problem=finding.problem,
        fix=finding.fix,
        why=finding.why,
        quote=finding.quote,
        fix_patch=finding.fix_patch,
        rule=finding.rule,
        source=finding.source,
        check=finding.by_check,
        by=names.get(finding.session, finding.session),
        raised=finding.raised,
        flagged=finding.flagged,
        flags=finding.flags,
        rounds=last - finding.raised + 1,
        note=finding.note,
        anchored=finding.anchored,
        waiting=finding.waiting,
        must_fix=finding.must_fix,
        left_diff=finding.left_diff,
        answer=finding.answer,
        ruling=finding.ruling,
        false_fixes=finding.false_fixes,
        waived_until=finding.waived_until,
        expired=finding.state == "waived" and not finding.is_waived(now),
        tracked=finding.tracked,
        alike=finding.alike,
        open=finding.is_open(now),
        holds=finding.holds(now),
        state_in_words=state_in_words(finding, now),
    )
